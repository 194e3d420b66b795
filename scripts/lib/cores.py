"""What a search costs with 1, 2, 4 and more threads, beside decoding alone."""
import glob, hashlib, os, subprocess, tempfile, threading, time

import long
from program import FRAMEGREP, with_patterns

# Threads of the engines, which read: framegrep names them so.
READERS = ("neural", "tesseract")


def counts(most=None):
    """1, 2, 4 and so on up to twice the processors that this process may use."""
    found, most = [1], most or 2 * len(os.sched_getaffinity(0))
    while found[-1] * 2 <= most: found.append(found[-1] * 2)
    return found


def watch(process, times):
    """Notes how long each thread of a process has worked, in seconds, until it ends: `times` has the names and the times by thread."""
    while os.path.exists(f"/proc/{process}/task"):
        for folder in glob.glob(f"/proc/{process}/task/*"):
            try:
                with open(folder + "/comm") as name, open(folder + "/schedstat") as stat:
                    times[folder] = (name.read().strip(), int(stat.read().split()[0]) / 1e9)
            except (OSError, ValueError, IndexError):
                # It has ended meanwhile.
                pass
        time.sleep(0.1)


def cost(command):
    """What was printed, as a sum; seconds by the clock, of processors, of these in the kernel, MiB at the most, and the threads' times."""
    times = {}
    with tempfile.TemporaryFile() as out:
        begun = time.monotonic()
        child = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        watcher = threading.Thread(target=watch, args=(child.pid, times))
        watcher.start()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        took = time.monotonic() - begun
        watcher.join()
        if child.returncode not in (0, 1): raise SystemExit(f"{command[0]}: status {child.returncode}")
        out.seek(0)
        printed = hashlib.sha256(out.read()).hexdigest()[:12]
    return printed, took, usage.ru_utime + usage.ru_stime, usage.ru_stime, usage.ru_maxrss / 1024, times


def row(name, length, took, processor, kernel, memory, working):
    print(f"{name:<22}{took:>8.1f}{processor:>11.1f}{kernel:>8.1f}{100 * kernel / processor:>7.1f} %{working:>9}{length / took:>8.1f}{memory:>7.0f}", flush=True)


def report(minutes, folder, options, _):
    """Searches one recording with different numbers of threads and prints what each took. False if they differ in what they print."""
    path, length, shown, absent = long.build(minutes, folder)
    patterns = list(dict.fromkeys(text for text, _, _ in shown)) + absent
    search = [FRAMEGREP, "find", "--no-index", "--format", "jsonl", *options, *with_patterns(patterns), path]
    print(f"{length / 60:.1f} minutes, {len(patterns)} patterns, {len(os.sched_getaffinity(0))} processors that may be used")
    print(f"{'':<22}{'clock s':>8}{'processor s':>12}{'kernel s':>9}{'':>7}{'working':>9}{'× real':>8}{'MiB':>7}")
    decode = ["gst-launch-1.0", "-q", "filesrc", f"location={path}", "!", "decodebin", "!", "fakesink", "sync=false"]
    _, took, processor, kernel, memory, _ = cost(decode)
    row("decoding alone", length, took, processor, kernel, memory, "")
    printed = set()
    for count in [*counts(), None]:
        threads = [] if count is None else ["--threads", str(count)]
        text, took, processor, kernel, memory, times = cost([*search[:2], *threads, *search[2:]])
        printed.add(text)
        readers = [seconds for name, seconds in times.values() if name.startswith(READERS)]
        number = len({name for name, _ in times.values() if name.startswith(READERS)})
        working = f"{100 * sum(readers) / (took * number):.0f} %" if number else ""
        row("default" if count is None else f"--threads {count}", length, took, processor, kernel, memory, working)
    print("the same was printed each time" if len(printed) == 1 else f"DIFFERENT results: {', '.join(sorted(printed))}")
    return 0 if len(printed) == 1 else 1
