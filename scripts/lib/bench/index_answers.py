"""What the index finds beside what reading finds, what indexing costs beside a search, and how large the index of an hour is.

    scripts/bench index-answers [CLIP...]

For each rendered clip (all of them, or those named; a file with its NAME.truth.json beside it is one too) all its words and near misses
are searched for by reading, and in an index of the clip. A sighting is the same where pattern and text are, and it begins and
ends at the same times. Printed for each clip and for all: sightings of reading, how many of them the index has, how many more it has,
how many are of near misses in each; how many sightings the index has for each appearance that it finds; the processors' time of indexing
beside that of a search; the index's size. Takes the engine that `find` takes by itself.
"""
import json, os, resource, subprocess, sys, tempfile

import clips
from program import FRAMEGREP, with_patterns


def done(*words):
    """What it printed, and the processors' time that it took in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ended = subprocess.run([FRAMEGREP, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if ended.returncode > 1: sys.exit(ended.stderr)
    return ended.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def sightings(text):
    found = [json.loads(line) for line in text.splitlines()]
    return [(one["pattern"], one["text"], round(one["start"], 3), round(one["end"], 3)) for one in found if one["type"] == "sighting"]


def size(folder):
    return sum(os.path.getsize(os.path.join(path, name)) for path, _, names in os.walk(folder) for name in names)


class Counts:
    """Of one clip, or of several."""

    def __init__(self): self.read = self.same = self.more = self.false_read = self.false_index = self.seen = self.appearances = 0

    def add(self, other):
        for name in vars(self): setattr(self, name, getattr(self, name) + getattr(other, name))

    def text(self):
        share = 100 * self.same / self.read if self.read else 100
        each = self.seen / self.appearances if self.appearances else 0
        return (f"{self.read:5} by reading, {self.same:5} of them in the index ({share:.1f} %), {self.more:3} more; near misses {self.false_read} and "
                f"{self.false_index}; {each:.2f} sightings an appearance")


def compare(truth, read, known):
    counts = Counts()
    absent = set(truth["absent"])
    left = list(known)
    for one in read:
        counts.read += 1
        if one in left:
            left.remove(one)
            counts.same += 1
    counts.more = len(left)
    counts.false_read = sum(one[0] in absent for one in read)
    counts.false_index = sum(one[0] in absent for one in known)
    for pattern in dict.fromkeys(text["text"] for text in truth["texts"]):
        own = sum(one[0] == pattern for one in known)
        if not own: continue
        counts.seen += own
        # A word may stand in a longer text, too.
        counts.appearances += sum(pattern.lower() in text["text"].lower() for text in truth["texts"])
    return counts


def arguments(parser):
    parser.add_argument("clips", nargs="*")


def run(given, _):
    total, work = Counts(), [0.0, 0.0]
    with tempfile.TemporaryDirectory() as folder:
        for name in given.clips or clips.names():
            path = clips.render(name, folder)
            truth = clips.truth(path)
            words = with_patterns(clips.searched(truth))
            index = os.path.join(folder, "index-" + os.path.basename(name))
            found, searching = done("find", "--no-index", "--format", "jsonl", *words, path)
            _, indexing = done("index", "-q", "--index", index, path)
            known, answering = done("find", "--index", index, "--format", "jsonl", *words)
            counts = compare(truth, sightings(found), sightings(known))
            total.add(counts)
            work = [work[0] + searching, work[1] + indexing]
            print(f"{name:14} {counts.text()}; search {searching:.1f} s, index {indexing:.1f} s, answer {answering:.2f} s; {size(index) / 1000:.0f} kB", flush=True)
    print(f"{'all':14} {total.text()}; search {work[0]:.1f} s, index {work[1]:.1f} s ({work[1] / work[0]:.2f} times)")
