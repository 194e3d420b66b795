"""A ten-minute recording put together from the rendered clips, and what a search of it costs."""
import json, os, random, re, statistics, subprocess, tempfile, threading, time

import clips
from program import FRAMEGREP, memory_of, with_patterns

# One size and rate, so that they can be put together without being encoded anew.
LEFT_OUT = {"bframes", "terminal"}
SEED = 12


def build(minutes, folder):
    """The recording's file, what it shows (text, start, end), and the near misses that it does not.

    The clips are shuffled anew for each round, by a fixed seed; every border between two of them is a cut.
    """
    names = [name for name in clips.names() if name not in LEFT_OUT]
    numbers, order, length, shown, absent = random.Random(SEED), [], 0.0, [], set()
    while length < minutes * 60:
        for name in numbers.sample(names, len(names)):
            path = clips.render(name, folder)
            truth = clips.truth(path)
            for text in truth["texts"]:
                shown += [(text["text"], length + span["start"], length + span["end"]) for span in text["spans"]]
            absent.update(truth["absent"])
            order.append(path)
            length += truth["frames"] / truth["fps"]
            if length >= minutes * 60: break
    texts = [text.lower() for text, _, _ in shown]
    absent = [word for word in sorted(absent) if not any(word.lower() in text for text in texts)]
    listed, long = os.path.join(folder, "long.txt"), os.path.join(folder, "long.mp4")
    with open(listed, "w") as file:
        file.writelines(f"file '{os.path.abspath(path)}'\n" for path in order)
    subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "concat", "-safe", "0", "-i", listed, "-c", "copy", long], check=True)
    return long, length, shown, absent


def search(path, patterns, options):
    """Sightings, standard error, seconds, processor seconds, and resident memory in MiB with the time of each sample."""
    samples = []
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        begun = time.monotonic()
        child = subprocess.Popen([FRAMEGREP, "find", "-v", "--no-index", "--format", "jsonl", *options, *with_patterns(patterns), path],
                                 stdout=out, stderr=err, stdin=subprocess.DEVNULL)
        watch = threading.Thread(target=memory_of, args=(child.pid, samples))
        watch.start()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        took = time.monotonic() - begun
        watch.join()
        out.seek(0), err.seek(0)
        seen = [o for o in map(json.loads, out) if o["type"] == "sighting"]
        return child.returncode, seen, err.read(), took, usage.ru_utime + usage.ru_stime, samples


def report(minutes, folder, options, decode_only):
    """Searches the recording and prints what came of it."""
    path, length, shown, absent = build(minutes, folder)
    patterns = list(dict.fromkeys([text for text, _, _ in shown])) + absent
    code, seen, err, took, processor, samples = search(path, patterns, options)
    if code == 2: raise SystemExit(err.strip())
    decoding = decode_only(path)
    found = [any(s["pattern"] == text and s["start"] < end and s["end"] > start for s in seen) for text, start, end in shown]
    frames, read = (int(n) for n in re.search(r"(\d+) frames, (\d+) read", err).groups())
    lines, known = (int(n) for n in re.search(r"(\d+) lines read, (\d+) known", err).groups())
    print(f"{length / 60:.1f} minutes, {len(patterns)} patterns")
    print(f"found             {sum(found)}/{len(shown)}, false {sum(s['pattern'] in absent for s in seen)}")
    print(f"work a second     {took / length:.3f} s ({processor / length:.3f} s of a processor), {length / took:.1f} times real time")
    print(f"beside decoding   {took / decoding:.2f} ({decoding:.1f} s)")
    print(f"frames read       {read} of {frames} ({100 * read / frames:.1f} %)")
    print(f"lines             {lines} read, {known} known from before")
    part = max(1, len(samples) // max(1, round(minutes)))
    by_minute = [statistics.mean(samples[n:n + part]) for n in range(0, len(samples) - part + 1, part)]
    print("memory by minute  " + ", ".join(f"{m:.0f}" for m in by_minute) + f" MiB, at most {max(samples, default=0):.0f}", flush=True)
