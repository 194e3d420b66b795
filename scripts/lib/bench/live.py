"""What the live job draws on rendered clips that play at their own speed.

    scripts/bench live [--keep FOLDER] [--mode tracked|exact|both] [--repeat N] [--window SINK] [--record] [CLIP...]
                       [-- OPTIONS FOR RUN]

The program's own events say what was drawn on which frame (--format jsonl --boxes); the clips' truth says what should have
been. Printed for each clip, over all repeats:

  shown     frames a second that were passed on to the sink, and how many of the clip's were lost
  read      readings a second, and how long one took (median)
  latency   from the first frame that shows a word whole to the first frame with its box, in milliseconds of the picture:
            median and 95 of 100; words of the first second wait for the engine's start and are counted apart ("early")
  missed    appearances that never got a box
  IoU       mean overlap of the drawn box with the word's true quad, over all frames that show the word whole and a box for it
  drawn     the share of the frames with the whole word, from its first box on, that have a box
  left      the longest time a box stayed where its word no longer was (no overlap with it, or it is gone), in milliseconds
  stale     how much older than the shown frame the reading behind its boxes is: median and 95 of 100, as --stats says
  cpu       processor seconds of the whole program for each second of the clip

Without a display the frames go to a fakesink that keeps the clip's pace; --window ximagesink shows them.
"""
import json, os, resource, statistics, subprocess, sys

import clips
from figures import figure, machine
from program import FRAMEGREP, with_patterns

CLIPS = ["static-cuts", "appearing", "pan-300", "pan-600", "scroll", "covered", "zoom", "rotate", "textured", "noise", "demo"]


def area(quad):
    return abs(sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(quad, quad[1:] + quad[:1]))) / 2


def shared(a, b):
    """The area that two convex quads, clockwise, have in common (Sutherland and Hodgman 1974)."""
    for p, q in zip(b, b[1:] + b[:1]):
        side = lambda r: (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])
        result = []
        for r, s in zip(a, a[1:] + a[:1]):
            u, v = side(r), side(s)
            if u >= 0: result.append(r)
            if (u >= 0) != (v >= 0):
                t = u / (u - v)
                result.append([r[0] + t * (s[0] - r[0]), r[1] + t * (s[1] - r[1])])
        a = result
        if len(a) < 3: return 0
    return area(a)


def overlap(a, b):
    common = shared(a, b)
    return common / (area(a) + area(b) - common or 1)


class Totals:
    def __init__(self):
        self.latency, self.early, self.ious, self.missed = [], [], [], []
        self.visible = self.drawn = 0
        self.left, self.left_what = 0, ""
        self.shown, self.read, self.read_ms, self.lost, self.cpu, self.stale50, self.stale95 = [], [], [], [], [], [], []


def judge(truth, events, totals):
    fps = truth["fps"]
    words = {e["id"]: e["pattern"] for e in events if e["type"] in ("appeared", "disappeared")}
    places = [{p["frame"]: p for p in t["places"]} for t in truth["texts"]]
    boxes = {}  # of each id: frame -> quad
    for e in events:
        if e["type"] == "box": boxes.setdefault(e["id"], {})[round(e["t"] * fps)] = e["quad"]
    # Which boxes stand over which text, in which frame.
    on = [{} for _ in truth["texts"]]
    for id, quads in boxes.items():
        mine = [i for i, t in enumerate(truth["texts"]) if words.get(id, "").lower() in t["text"].lower()]
        astray = longest = 0
        for frame in range(min(quads), max(quads) + 2):
            best = 0
            for i in mine if frame in quads else []:
                place = places[i].get(frame)
                value = overlap(quads[frame], place["quad"]) if place else 0
                best = max(best, value)
                if value > 0 and value > on[i].get(frame, 0): on[i][frame] = value
            astray = astray + 1 if frame in quads and best == 0 else 0
            if astray > longest: longest, where = astray, frame
        if longest * 1000 / fps > totals.left:
            totals.left, totals.left_what = longest * 1000 / fps, f"{words.get(id)!r} until {where / fps:.2f} s"
    for i, text in enumerate(truth["texts"]):
        for span in text["spans"]:
            first, last = span["frames"]
            found = [f for f in range(max(0, first - fps // 2), last) if f in on[i]]
            if not found:
                if last - first >= fps // 3: totals.missed.append(f"{text['text']} at {span['start']:.2f}")
                continue
            delay = max(0, found[0] - first) * 1000 / fps
            (totals.early if first < fps else totals.latency).append(delay)
            for frame in range(max(first, found[0]), last):
                totals.visible += 1
                if frame in on[i]:
                    totals.drawn += 1
                    totals.ious.append(on[i][frame])


def play(path, mode, sink, options, totals, show):
    truth = clips.truth(path)
    pipeline = (f"filesrc location={path} ! decodebin ! appsink name=frames "
                f"appsrc name=overlay ! videoconvert ! {sink}")
    command = [FRAMEGREP, "run", "--format", "jsonl", "--boxes", "--stats", "--overlay", mode, *options,
               *with_patterns(clips.searched(truth, near_misses=False)), pipeline]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=180)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode == 2: sys.exit(done.stderr.strip())
    if show: sys.stderr.write(done.stderr)
    events = [json.loads(line) for line in done.stdout.splitlines()]
    judge(truth, events, totals)
    # The first second loads the engine, the last one may not be whole.
    seconds = [e for e in events if e["type"] == "stats"][1:] or [e for e in events if e["type"] in ("stats", "end")]
    totals.shown.append(statistics.median(e["fps_shown"] for e in seconds))
    totals.read.append(statistics.median(e["fps_read"] for e in seconds))
    end = events[-1]
    totals.read_ms.append(end["read_ms_p50"])
    totals.lost.append(end["dropped"])
    stale = [e for e in seconds if e["staleness_ms_p95"] > 0]
    totals.stale50 += [e["staleness_ms_p50"] for e in stale]
    totals.stale95 += [e["staleness_ms_p95"] for e in stale]
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    totals.cpu.append(cpu / (truth["frames"] / truth["fps"]))


def row(name, t):
    mean = lambda v: statistics.mean(v) if v else 0
    stale = f"{statistics.median(t.stale50):.0f} / {max(t.stale95):.0f}" if t.stale50 else "-"
    print(f"{name:<22}{mean(t.shown):>6.1f}{sum(t.lost):>4}{mean(t.read):>6.1f}{mean(t.read_ms):>5.0f} ms{figure(t.latency):>12}{figure(t.early):>12}"
          f"{len(t.missed):>7}{mean(t.ious):>6.2f}{t.drawn / (t.visible or 1):>6.0%}{t.left:>6.0f}{stale:>12}{mean(t.cpu):>6.2f}", flush=True)
    for missing in t.missed: print(f"    missed: {missing}")
    if t.left > 100: print(f"    left: {t.left_what}")


def arguments(parser):
    parser.add_argument("clips", nargs="*", help=f"names from 'scripts/clips --list' or files with a truth file beside them; default: {' '.join(CLIPS)}")
    parser.add_argument("--mode", default="both", choices=["tracked", "exact", "both"])
    parser.add_argument("--repeat", type=int, default=1, help="play each clip so often")
    parser.add_argument("--window", help="show the frames in this sink, such as ximagesink")
    parser.add_argument("--show", action="store_true", help="pass the program's own messages on")


def run(given, folder):
    sink = given.window or "fakesink sync=true"
    modes = ["tracked", "exact"] if given.mode == "both" else [given.mode]
    print(f"{machine()}; framegrep run {' '.join(given.options)} into {sink}")
    print(f"{'clip':<22}{'shown':>6}{'lost':>4}{'read/s, each':>13}{'latency ms':>13}{'early ms':>12}{'missed':>7}{'IoU':>6}{'drawn':>6}{'left':>6}{'stale ms':>12}{'cpu':>6}")
    for name in given.clips or CLIPS:
        path = clips.render(name, folder)
        for mode in modes:
            totals = Totals()
            for _ in range(given.repeat): play(path, mode, sink, given.options, totals, given.show)
            row(f"{os.path.splitext(os.path.basename(path))[0]} {mode}", totals)
