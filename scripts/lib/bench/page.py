"""The page in a headless Chromium: results, cameras, what a live job loses meanwhile, memory.

    scripts/bench page                    all but the hour, some ten minutes
    scripts/bench page --minutes 60       the hour too: two cameras and one tab
    scripts/bench page --only search      one of weight, search, load, latency, tabs, hour
    scripts/bench page --index FOLDER     an index of scripts/bench index instead of one made anew (--lines N: of how many lines)

How soon results come of an index of a million lines, how soon a camera's picture is on the canvas, whether a live job loses frames while others
search or look, and what everything has in memory. Takes the tests' build, and brings what scripts/check page does. What a click on a result takes, and how
many boxes are on their own frames, 'scripts/check page -s -k "click or frames"' prints.
"""
import os, subprocess

from program import ROOT, page_environment

PARTS = ["weight", "search", "load", "latency", "tabs", "hour"]


def arguments(parser):
    parser.add_argument("--minutes", type=int, default=0)
    parser.add_argument("--only", choices=PARTS)
    parser.add_argument("--index")
    parser.add_argument("--lines", type=int, default=1_000_000)


def run(given, _):
    python, environment = page_environment()
    words = ["--minutes", str(given.minutes), "--lines", str(given.lines)]
    if given.only: words += ["--only", given.only]
    if given.index: words += ["--index", given.index]
    return subprocess.run([python, os.path.join(ROOT, "Tests/page/measure.py"), *words], cwd=ROOT, env=environment).returncode
