"""Searches a long recording: memory that grows, sightings lost, times that drift.

    scripts/soak find [--minutes M] [--clip NAME] [--no-build] [-- OPTIONS FOR FIND]

The rendered clip NAME (default static-cuts, whose cuts are sharp) is repeated to M minutes (default 60) without being encoded
anew. Must hold: each word is found in each repetition, starts and ends are where they are in the first repetition to within
two frames (repeating a file rounds its times), nothing is found that is not there, and memory does not grow. Ends with 1 when something does not hold. Needs ffmpeg, which scripts/setup installs.
"""
import json, os, statistics, subprocess, tempfile, threading, time

import clips
from program import FRAMEGREP, held, memory_of, with_patterns


def arguments(parser):
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--clip", default="static-cuts")


def run(given, options):
    """Whether all holds."""
    with tempfile.TemporaryDirectory() as folder:
        once = clips.render(given.clip, folder)
        truth = clips.truth(once)
        seconds = truth["frames"] / truth["fps"]
        times = max(2, round(given.minutes * 60 / seconds))
        long = os.path.join(folder, "long.mp4")
        subprocess.run(["ffmpeg", "-v", "error", "-stream_loop", str(times - 1), "-i", once, "-c", "copy", long], check=True)
        print(f"{given.clip}, {times} times: {times * seconds / 60:.1f} minutes; load {os.getloadavg()[0]:.1f}", flush=True)
        begun, samples = time.monotonic(), []
        with open(os.path.join(folder, "out.jsonl"), "w+") as out:
            child = subprocess.Popen([FRAMEGREP, "find", "--format", "jsonl", *options,
                                      *with_patterns(clips.searched(truth)), long], stdout=out, stdin=subprocess.DEVNULL)
            watch = threading.Thread(target=memory_of, args=(child.pid, samples))
            watch.start()
            code = child.wait()
            watch.join()
            out.seek(0)
            seen = [o for o in map(json.loads, out) if o["type"] == "sighting"]
    took = time.monotonic() - begun
    good = [held("exit status", code, code == 0)]
    frame = 1 / truth["fps"]
    missing, errors = [], []
    for repetition in range(times):
        for text in truth["texts"]:
            for span in text["spans"]:
                # A word that is there at both ends of the clip is there without a break.
                start, end = (repetition * seconds + span[side] for side in ("start", "end"))
                hits = [s for s in seen if s["pattern"] == text["text"] and s["start"] < end - frame and s["end"] > start + frame]
                if not hits:
                    missing.append(f"{text['text']} at {start:.1f}")
                    continue
                if span["start"] > 2 * frame: errors.append(min(s["start"] for s in hits) - start)
                if span["end"] < seconds - 2 * frame: errors.append(max(s["end"] for s in hits) - end)
    false = [s["text"] for s in seen if s["pattern"] in truth["absent"]]
    late = errors[-len(errors) // 10:]
    # The first quarter minute is the engine's loading and the first pictures of each kind.
    steady = samples[60:] or samples
    tenth = max(1, len(steady) // 10)
    tenths = [statistics.mean(steady[n * tenth:(n + 1) * tenth]) for n in range(10) if steady[n * tenth:(n + 1) * tenth]]
    # Allocators settle in the first half; what leaks goes on growing in the second.
    growth = tenths[-1] - tenths[len(tenths) // 2 - 1]
    good += [
        held("appearances missed", f"{len(missing)} {missing[:3]}", not missing),
        held("found though not there", f"{len(false)} {false[:3]}", not false),
        held("greatest error of a start or end, frames", f"{max(map(abs, errors)) / frame:.1f}", max(map(abs, errors)) <= 2.01 * frame),
        held("median error in the last tenth, frames", f"{statistics.median(late) / frame:.1f}", abs(statistics.median(late)) <= 1.01 * frame),
        held("memory, MiB", f"{max(samples):.0f} at the most; last tenth {growth:+.1f} beside the fifth", growth < 8),
    ]
    print(f"  memory by tenths of the run, MiB: {' '.join(f'{m:.0f}' for m in tenths)}")
    print(f"  {len(seen)} sightings in {took:.0f} s, {times * seconds / took:.1f} times real time")
    return all(good)
