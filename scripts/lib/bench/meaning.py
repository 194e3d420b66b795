"""How often search by meaning finds the right line, what it finds that is not there, and what it costs.

    scripts/bench meaning [--keep FOLDER] [--record] [CLIP...]

Needs 'framegrep setup --meaning'. First the lines and questions of Tests/MeaningTests/questions.txt (measure-meaning): those it was tuned
with and those put aside, and the time of a text. Then questions about things that are not there over each clip, all rendered ones or those
that are named: 50 that were looked at while the method was chosen (absent.txt beside it), and 50 that were not (absent-aside.txt). What is
found is false, and printed. Last a search for a word beside the same with a
question, three times in turn: processor time and memory.
"""
import json, os, statistics, subprocess, sys

import clips
from figures import machine
from program import BUILT, FRAMEGREP, ROOT, measured

TESTS = os.path.join(ROOT, "Tests", "MeaningTests")


def questions(name):
    with open(os.path.join(TESTS, name)) as file: return [line.strip() for line in file if line.strip()]


def false_sightings(name, paths):
    """Prints what is found of what is not there."""
    asked = questions(name)
    options = [word for question in asked for word in ("--meaning", question)]
    total = 0
    for path in paths:
        status, out, errors, _, _ = measured([FRAMEGREP, "find", "--no-index", "--format", "jsonl", *options, path])
        if status > 1: sys.exit(f"bench meaning: {errors}")
        for line in out.splitlines():
            found = json.loads(line)
            total += 1
            print(f"  {os.path.basename(path)}: {found['pattern']} -> {found['text'][:60]!r}, {found['score']:.2f}", flush=True)
    print(f"false sightings, {name}: {total} of {len(asked)} questions over {len(paths)} clips: {total / len(asked):.2f} a question, "
          f"{total / len(asked) / max(1, len(paths)):.4f} a question and clip", flush=True)


def used(command):
    """Processor time of a program in seconds, which a busy machine changes little, and MiB at the most."""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
    errors = child.stderr.read().decode()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in (0, 1): sys.exit(f"bench meaning: {errors}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def cost(paths):
    """Prints what a question adds to a search for a word."""
    print("what a question adds   processor without   with   MiB without   with   ratio")
    sums = [0.0, 0.0]
    for path in paths:
        runs = [[], []]
        for _ in range(3):
            for which, options in enumerate(([], ["--meaning", "way out"])):
                runs[which].append(used([FRAMEGREP, "find", "--no-index", "-c", "-e", "EXIT", *options, path]))
        times = [statistics.median(run[0] for run in some) for some in runs]
        sizes = [max(run[1] for run in some) for some in runs]
        sums = [sum + time for sum, time in zip(sums, times)]
        print(f"  {os.path.basename(path):22} {times[0]:10.2f} {times[1]:10.2f} {sizes[0]:10.0f} {sizes[1]:10.0f} {times[1] / times[0]:8.3f}", flush=True)
    print(f"  all {sums[0]:29.2f} {sums[1]:10.2f} {sums[1] / sums[0]:30.3f}")


def arguments(parser):
    parser.add_argument("clips", nargs="*")


def run(given, folder):
    print(machine(), flush=True)
    sys.stdout.write(subprocess.run([os.path.join(BUILT, "measure-meaning"), os.path.join(TESTS, "questions.txt")],
                                    check=True, stdout=subprocess.PIPE, text=True).stdout)
    paths = [clips.render(name, folder) for name in given.clips or clips.names()]
    for name in ("absent.txt", "absent-aside.txt"): false_sightings(name, paths)
    cost(paths)
