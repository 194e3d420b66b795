"""Values that change in one place: how many are found from their first frame to their last, and which share time."""
import json, os, re

import clips
from program import FRAMEGREP, measured, with_patterns


def expected(path):
    """What is said of each value that a clip shows: (text, first frame, frame after the last)."""
    truth = clips.truth(path)
    return truth, [(t["text"], round(s["start"] * truth["fps"]), round(s["end"] * truth["fps"])) for t in truth["texts"] for s in t["spans"]]


def sightings(path, patterns, options):
    code, out, err, wall, memory = measured([FRAMEGREP, "find", "-v", "--format", "jsonl", *options, *with_patterns(patterns), path])
    if code == 2: raise SystemExit(err.strip())
    return [o for o in map(json.loads, out.splitlines()) if o["type"] == "sighting"], wall, err


def judge(path, options, tolerance=2, verbose=False):
    """(values, right, found, neighbours, sharing, seconds of work a second)"""
    truth, wanted = expected(path)
    fps = truth["fps"]
    seen, wall, err = sightings(path, [text for text, _, _ in wanted], options)
    own = {}
    for s in seen: own.setdefault(s["pattern"], []).append((round(s["start"] * fps), round(s["end"] * fps)))
    right = found = 0
    for text, first, end in wanted:
        spans = own.get(text, [])
        near = [s for s in spans if s[0] < end and s[1] > first]
        found += bool(near)
        good = len(spans) == 1 and bool(near) and abs(near[0][0] - first) <= tolerance and abs(near[0][1] - end) <= tolerance
        right += good
        if verbose and not good: print(f"    {text}: {first}..{end} said {spans}")
    sharing = pairs = 0
    for (text, _, _), (following, _, _) in zip(wanted, wanted[1:]):
        pairs += 1
        shared = max((min(a[1], b[1]) - max(a[0], b[0]) for a in own.get(text, []) for b in own.get(following, [])), default=0)
        sharing += shared > 1
    return len(wanted), right, found, pairs, sharing, wall / (truth["frames"] / fps), err


def report(files, options):
    """A row a clip, and the sums."""
    print(f"{'clip':<24}{'right':>10}{'found':>8}{'sharing':>10}{'read':>6}{'work/s':>8}")
    totals = [0] * 5
    for path in files:
        *counts, work, err = judge(path, options, verbose=True)
        read = re.search(r"(\d+) frames, (\d+) read", err)
        totals = [a + b for a, b in zip(totals, counts)]
        wanted, right, found, pairs, sharing = counts
        print(f"{os.path.basename(path):<24}{right:>5}/{wanted:<4}{found:>8}{sharing:>5}/{pairs:<4}{(read.group(2) if read else '?'):>6}{work:>8.2f}", flush=True)
    wanted, right, found, pairs, sharing = totals
    print(f"{'all':<24}{right:>5}/{wanted:<4}{found:>8}{sharing:>5}/{pairs:<4}")
