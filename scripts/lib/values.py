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


# Tables of scoreboards and meters (`framegrep values`): each clip with the options of one table, and what of the truth it is about.
TABLES = [
    ("meter-red", [], None), ("meter-volts", [], None), ("meter-lcd", ["--kind", "number"], None), ("meter-clock", ["--kind", "time"], None),
    ("meter-drum", [], None), ("meter-score", ["--near", "HOME"], "HOME"), ("meter-score", ["--near", "GUEST"], "GUEST"),
    ("meter-queue", ["--kind", "code"], None), ("meter-dimming", [], None), ("meter-speed", ["--near", "SPEED"], "SPEED"),
    ("meter-speed", ["--near", "ALT"], "ALT"), ("meter-pump", ["--kind", "money"], None),
]


def said(text):
    """What counts of a value: its digits and marks, with the letters of a code; a colon that blinks is a colon."""
    number = re.search(r"[-+]?\d[\d.,: ]*", text)
    code = re.search(r"\b[A-Z]-\d+", text)
    return code.group() if code else number.group().strip().replace(" ", ":").rstrip(".,") if number else None


def wanted_rows(path, label):
    """(value, first frame, frame after the last) of one place: the texts that begin with the label or stand below it, or that change."""
    truth = clips.truth(path)
    places = {t["text"]: t["places"][0]["quad"][0][0] for t in truth["texts"] if t["places"]}
    texts = [t for t in truth["texts"] if re.search(r"\d", t["text"]) and len(t["spans"]) and t["spans"][0]["frames"] != [0, truth["frames"]]]
    if label and any(t["text"].startswith(label + " ") for t in texts): texts = [t for t in texts if t["text"].startswith(label)]
    elif label: texts = [t for t in texts if abs(t["places"][0]["quad"][0][0] - places[label]) < 100]
    rows = []
    for t in texts:
        for span in t["spans"]:
            value, (first, end) = said(t["text"]), span["frames"]
            if rows and rows[-1][0] == value and rows[-1][2] == first: rows[-1] = (value, rows[-1][1], end)
            else: rows.append((value, first, end))
    return truth, sorted(rows, key=lambda row: row[1])


def judge_table(path, options, label, tolerance=2, verbose=False):
    """(rows, right, rows that were not there, seconds of work a second): a row is right with its value, its first and its last frame; while a
    drum turns between two values either may have the frames."""
    truth, wanted = wanted_rows(path, label)
    fps = truth["fps"]
    code, out, err, wall, memory = measured([FRAMEGREP, "values", "--format", "jsonl", *options, path])
    if code == 2: print("    " + err.strip())
    rows = [(said(o["text"]), round(o["start"] * fps), round(o["end"] * fps))
            for o in map(json.loads, out.splitlines())]
    right, used = 0, set()
    for index, (value, first, end) in enumerate(wanted):
        earliest = wanted[index - 1][2] if index else 0
        latest = wanted[index + 1][1] if index + 1 < len(wanted) else truth["frames"]
        good = [n for n, r in enumerate(rows) if n not in used and r[0] == value and earliest - tolerance <= r[1] <= first + tolerance
                and end - tolerance <= r[2] <= latest + tolerance]
        right += len(good) == 1
        used.update(good[:1])
        if verbose and len(good) != 1: print(f"    {value}: {first}..{end} said {[r for r in rows if r[1] < end and r[2] > first]}")
    # What was not there: no value of the clip's place at any of its frames says it.
    made_up = [r for r in rows if not any(w[0] == r[0] and w[1] - 15 < r[2] and w[2] + 15 > r[1] for w in wanted)]
    if verbose and made_up: print(f"    not there: {made_up}")
    return len(wanted), right, len(made_up), wall / (truth["frames"] / fps)


def tables(folder, names=None, verbose=False):
    """Prints how many rows are right, of all tables or of those of some clips."""
    total = [0, 0, 0]
    for clip, options, label in TABLES:
        if names and clip not in names: continue
        rows, right, made_up, work = judge_table(f"{folder}/{clip}.mp4", options, label, verbose=verbose)
        total = [total[0] + rows, total[1] + right, total[2] + made_up]
        print(f"{clip + ' ' + ' '.join(options):40} {right:3} of {rows:3} rows right, {made_up} not there, {work:.2f} s a second", flush=True)
    print(f"{'all':40} {total[1]:3} of {total[0]:3} rows right ({100 * total[1] / max(1, total[0]):.1f} %), {total[2]} not there")
