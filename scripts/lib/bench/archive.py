"""How long a search takes over many segments, and over the same split among several indexes that are searched side by side.

    scripts/bench archive [--segments N] [--lines N] [--queries N]

Makes one segment of made-up lines (scripts/bench index says of what) and copies it N times (default 100 of 100,000 lines), each as
recordings of its own, then searches 1, a tenth and all of them with the same words, and last all of them as four indexes,
each asked by a process of its own. Takes 40 MB of disk a segment of 100,000 lines. A hundred of a million lines are 40 GB.
"""
import glob, os, re, resource, shutil, sqlite3, subprocess, sys, tempfile

import sums
from program import BUILT, FRAMEGREP, words_of_this_repository

MEASURE = os.path.join(BUILT, "measure-index")


def index(folder, segment, numbers):
    """An index of copies of a segment, each of which says that it is of another recording."""
    place = os.path.join(folder, "segments", "2026-01")
    os.makedirs(place)
    with open(segment, "rb") as file: original = file.read()
    for number in numbers:
        path = os.path.join(place, f"01JG{number:022d}.fgi")
        shutil.copy(segment, path)
        with sqlite3.connect(path) as database:
            database.execute("UPDATE part SET source = source / 1000 * 1000 + ?, name = name || ' of segment ' || ?", (number, number))
        database.close()
        sums.seal(path, original)
    # Segments without a catalog are taken in by the first command that writes.
    nothing = os.path.join(folder, "nothing")
    os.makedirs(nothing)
    done = subprocess.run([FRAMEGREP, "index", "--engine", "tesseract", "-q", nothing, "--index", folder], capture_output=True, text=True)
    if done.returncode: sys.exit(done.stderr)


def measure(folders, vocabulary, queries):
    """Each folder searched by a process of its own, all at once; what each printed, and the most memory that one took, in MB."""
    processes = [subprocess.Popen([MEASURE, "--words", vocabulary, "--folder", folder, "--queries", str(queries)], stdout=subprocess.PIPE, text=True)
                 for folder in folders]
    said = [process.communicate()[0] for process in processes]
    found = [re.findall(r"p50 ([\d.]+) ms, p95 ([\d.]+) ms", text) for text in said]
    return [[tuple(map(float, pair)) for pair in pairs] for pairs in found], resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1000


def arguments(parser):
    parser.add_argument("--segments", type=int, default=100)
    parser.add_argument("--lines", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=30)


def run(given, _):
    with tempfile.TemporaryDirectory() as folder:
        vocabulary = words_of_this_repository(folder)
        one = os.path.join(folder, "one")
        subprocess.run([MEASURE, "--words", vocabulary, "--folder", one, "--lines", str(given.lines), "--part", str(given.lines),
                        "--queries", "30"], check=True, stdout=subprocess.DEVNULL)
        segment = glob.glob(one + "/segments/*/*.fgi")[0]
        print(f"segments of {given.lines} lines and {os.path.getsize(segment) / 1e6:.1f} MB, load {os.getloadavg()[0]:.1f}")
        for count in sorted({1, max(1, given.segments // 10), given.segments}):
            place = os.path.join(folder, f"index-{count}")
            index(place, segment, range(count))
            ((clock, work),), memory = measure([place], vocabulary, given.queries)
            print(f"  {count:4} segments: clock p50 {clock[0]:.0f} ms, p95 {clock[1]:.0f} ms; processors p50 {work[0]:.0f} ms, p95 {work[1]:.0f} ms; memory at most {memory:.0f} MB", flush=True)
            if count < given.segments: shutil.rmtree(place)
        shutil.rmtree(os.path.join(folder, f"index-{given.segments}"))
        parts = [os.path.join(folder, f"part-{number}") for number in range(4)]
        for number, place in enumerate(parts): index(place, segment, range(number * given.segments // 4, (number + 1) * given.segments // 4))
        both, _ = measure(parts, vocabulary, given.queries)
        work = [pair[1] for pair in both]
        print(f"  four indexes of {given.segments // 4}: processors, added up, p50 {sum(pair[0] for pair in work):.0f} ms, p95 {sum(pair[1] for pair in work):.0f} ms; "
              f"the slowest by the clock p50 {max(pair[0][0] for pair in both):.0f} ms, p95 {max(pair[0][1] for pair in both):.0f} ms (all on this machine)")
