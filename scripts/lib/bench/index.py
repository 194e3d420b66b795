"""How large the index is, how long its searches take and what they find, beside SQLite's FTS5 and grep.

    scripts/bench index [--lines N]

On made-up lines: the words are those of this repository's documents and sources; 6 % of the letters are misread.
"""
import os, resource, sqlite3, subprocess, tempfile, time

from program import BUILT, words_of_this_repository


def arguments(parser):
    parser.add_argument("--lines", type=int, default=1_000_000)


def run(given, _):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([os.path.join(BUILT, "measure-index"), "--words", words_of_this_repository(folder), "--folder", f"{folder}/index",
                        "--lines", str(given.lines), "--plain", f"{folder}/plain", "--report", f"{folder}/report"], check=True)
        compare(folder)


def compare(folder):
    """Prints what the same words cost and find in FTS5 and with grep."""
    rows = [line.rstrip("\n").split("\t") for line in open(f"{folder}/report")]
    database = sqlite3.connect(f"{folder}/fts.db")
    database.execute("CREATE VIRTUAL TABLE line USING fts5(text, tokenize='trigram')")
    with open(f"{folder}/plain") as lines:
        database.executemany("INSERT INTO line VALUES (?)", ((text,) for text in lines))
    database.commit()
    index = sum(os.path.getsize(os.path.join(path, name)) for path, _, names in os.walk(f"{folder}/index") for name in names)
    print(f"plain text {os.path.getsize(folder + '/plain') / 1e6:.0f} MB, index {index / 1e6:.0f} MB, "
          f"FTS5 with trigrams {os.path.getsize(folder + '/fts.db') / 1e6:.0f} MB")
    times = {"index": [float(row[2]) for row in rows], "FTS5": [], "grep -i": []}
    # What the processors did, which other programs on the machine do not make longer.
    work = {"index": [float(row[3]) for row in rows], "FTS5": [], "grep -i": []}
    counts = {"index": sum(int(row[1]) for row in rows), "FTS5": 0, "grep -i": 0}
    for word, *_ in rows:
        begun, before = time.perf_counter(), time.process_time()
        counts["FTS5"] += len(database.execute("SELECT text FROM line WHERE line MATCH ?", (f'"{word}"',)).fetchall())
        times["FTS5"].append(1000 * (time.perf_counter() - begun))
        work["FTS5"].append(1000 * (time.process_time() - before))
        begun, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
        found = subprocess.run(["grep", "-i", word, f"{folder}/plain"], capture_output=True, text=True).stdout
        counts["grep -i"] += found.count("\n")
        times["grep -i"].append(1000 * (time.perf_counter() - begun))
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        work["grep -i"].append(1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime))
    print(f"{len(rows)} words, load {os.getloadavg()[0]:.1f}:")
    for name, all in times.items():
        all.sort()
        work[name].sort()
        def at(share, values): return values[min(len(values) - 1, len(values) * share // 100)]
        print(f"  {name:8} p50 {at(50, all):8.1f} ms   p95 {at(95, all):8.1f} ms   longest {all[-1]:8.1f} ms   "
              f"processors p50 {at(50, work[name]):8.1f} ms   p95 {at(95, work[name]):8.1f} ms   {counts[name]} found")
    print("FTS5 and grep forgive no misreading, and say no more than that a line has the word.")
