"""Kills the commands that keep an index in order, and cuts the power under them: nothing that was acknowledged may be lost.

    scripts/soak kills [--kills N] [--failures N] [--seed S] [--no-build]

1. `index`, `merge`, `expire`, `forget` and `repair` are killed (SIGKILL) N times each (default 40) at random moments.
2. The same commands run one after the other while their system calls are recorded (strace). Then, N times (default 200), the folder is made
   as a disk may hold it when the power fails at a random moment of that: without any part of what was not synced (lib/lost_writes.py).

After each: what the commands before had finished is there, with the same sightings; what was to go is there whole or not at all; a damaged file
is where it was or in the folder `damaged`; the next command that writes finishes the work, after which `index check` finds nothing, and
what was forgotten is in no file. Ends with 1 when something does not hold. Some 10 minutes on two processors. Needs ffmpeg and strace.
"""
import glob, json, os, random, shutil, signal, subprocess, tempfile, time

import lost_writes
from program import FRAMEGREP, held, with_patterns

READING = ["--engine", "tesseract"]
WORDS = """HARBOR LANTERN MEADOW ORCHARD PEBBLE QUARRY RIDGE SUMMIT TIMBER UPLAND VALLEY WILLOW ANCHOR BASALT COBALT DESERT
           EMBER FALCON GRANITE HOLLOW""".split()


def pictures(folder):
    """A still picture for each word, which nothing else shows."""
    os.makedirs(folder)
    paths = {}
    for word in WORDS:
        paths[word] = os.path.join(folder, word.lower() + ".png")
        drawn = f"drawtext=text={word}:fontsize=40:x=20:y=20"
        subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "color=white:s=320x80", "-vf", drawn, "-frames:v", "1", paths[word]], check=True)
    return paths


def framegrep(*words, index):
    return subprocess.run([FRAMEGREP, *words, "--index", index], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=300)


def found(index):
    """By word, in which recordings it is."""
    done = framegrep("find", "--format", "jsonl", *with_patterns(WORDS), index=index)
    seen = [event for event in map(json.loads, done.stdout.splitlines()) if event["type"] == "sighting"]
    return {word: sorted(event["source"] for event in seen if event["pattern"] == word) for word in WORDS if any(event["pattern"] == word for event in seen)}


class Step:
    """A command that keeps the index in order."""

    def __init__(self, name, *command):
        self.name, self.command = name, command


class Scene:
    """The index that the steps begin with, and the steps."""

    def __init__(self, folder):
        self.folder = folder
        self.index, self.shard = os.path.join(folder, "index"), os.path.join(folder, "shard")
        paths = pictures(os.path.join(folder, "pictures"))
        first, more, other = WORDS[:9], WORDS[9:12], WORDS[12:]
        for index, words in ((self.index, first), (self.shard, other)):
            done = framegrep("index", *READING, "-q", *[paths[word] for word in words], index=index)
            if done.returncode: raise SystemExit(done.stderr)
        self.paths = paths
        self.steps = [
            Step("index", "index", *READING, "-q", *[paths[word] for word in more]),
            Step("merge", "index", "merge", "INDEX", self.shard),
            Step("forget", "index", "forget", *[paths[word] for word in WORDS[:2]]),
            Step("expire", "index", "expire", "--budget", "HALF"),
            Step("repair", "index", "repair"),
        ]

    def command(self, step, index):
        words = [{"INDEX": index, "HALF": f"{size(index) // 2000}kB"}.get(word, word) for word in step.command]
        return [FRAMEGREP, *words, *([] if step.name == "merge" else ["--index", index])]


def size(index): return sum(os.path.getsize(path) for path in glob.glob(index + "/segments/*/*.fgi"))


def damage(index, chance):
    """Damages a segment; returns its bytes."""
    path = chance.choice(sorted(glob.glob(index + "/segments/*/*.fgi")))
    with open(path, "r+b") as file:
        # In the first page, without which nothing of it is read.
        file.seek(200)
        file.write(b"\x55" * 64)
    with open(path, "rb") as file: return file.read()


def holds(data, index):
    """The bytes are a file of the index."""
    for path, _, names in os.walk(index):
        for name in names:
            with open(os.path.join(path, name), "rb") as file:
                if file.read() == data: return True
    return False


def wrong(index, before, goal, damaged, expected):
    """What does not hold in an index after a step that may not have come to its end."""
    faults = []
    now = found(index)
    for word in before & goal:
        if now.get(word) != expected[word]: faults.append(f"{word} is found in {now.get(word)}")
    for word in set(now) - (before | goal): faults.append(f"{word} is there again")
    for word in now:
        if now[word] != expected[word]: faults.append(f"{word}: {now[word]}")
    if damaged and not holds(damaged, index): faults.append("the damaged file is gone")
    done = framegrep("index", "repair", index=index)
    if done.returncode: faults.append(f"repair: {done.returncode} {done.stderr.strip()[-200:]}")
    if damaged and not holds(damaged, index): faults.append("the damaged file is gone after the repair")
    checked = framegrep("index", "check", index=index)
    if checked.returncode: faults.append(f"check: {checked.stdout.strip()[:200]}")
    after = found(index)
    if set(now) - set(after): faults.append(f"lost by the repair: {set(now) - set(after)}")
    listed = {os.path.basename(line.split(": ")[0]).split(".")[0].upper() for line in framegrep("index", "sources", index=index).stdout.splitlines()}
    for word in set(WORDS) - listed:
        if any(word.encode() in open(path, "rb").read() for path in glob.glob(index + "/segments/*/*")): faults.append(f"{word} is still in a file")
    return faults


def kills(scene, count, chance, expected, folder):
    """Kills each command; returns what was wrong."""
    faults, index, base = [], os.path.join(folder, "killed"), scene.index
    for step in scene.steps:
        start, killed, takes, some = os.path.join(folder, "start"), 0, None, []
        shutil.rmtree(start, ignore_errors=True)
        shutil.copytree(base, start)
        for number in range(-1, count):
            shutil.rmtree(index, ignore_errors=True)
            shutil.copytree(start, index)
            damaged = damage(index, chance) if step.name == "repair" else None
            before = set(found(index))
            begun = time.monotonic()
            child = subprocess.Popen(scene.command(step, index), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            if number < 0:
                child.wait()
                takes, goal = time.monotonic() - begun, set(found(index))
                shutil.rmtree(folder + "/done", ignore_errors=True)
                shutil.copytree(index, folder + "/done")
            else:
                time.sleep(chance.uniform(0, 1.1 * takes))
                killed += child.poll() is None
                child.send_signal(signal.SIGKILL)
                child.wait()
            # Another segment is damaged each time.
            now = before if step.name == "repair" else goal
            some += [f"{step.name} {number}: {fault}" for fault in wrong(index, before, now, damaged, expected)]
        held(f"{step.name}, which takes {takes:.1f} s, killed in the middle {killed} of {count} times, faults", len(some), not some)
        faults += some
        base = os.path.join(folder, "base")
        shutil.rmtree(base, ignore_errors=True)
        os.rename(folder + "/done", base)
    return faults


def failures(scene, count, chance, expected, folder):
    """Records all commands, one after the other, and lets the power fail in each; returns what was wrong."""
    index, damaged = os.path.join(folder, "recorded"), None
    shutil.copytree(scene.index, index)
    plan, before = [], set(found(index))
    for step in scene.steps:
        if step.name == "repair":
            damaged = damage(index, chance)
            shutil.copytree(index, os.path.join(folder, "damaged"))
            before = set(found(index))
        _, calls = lost_writes.recorded(scene.command(step, index), os.path.join(folder, "calls"))
        now = set(found(index))
        plan.append((step, calls, before, now))
        before = now
    faults, place = [], os.path.join(folder, "after")
    for number in range(count):
        last = number % len(plan)
        step, calls, before, now = plan[last]
        # What is repaired was damaged from outside, on a disk that was safe.
        repairs = step.name == "repair"
        disk = lost_writes.Disk(os.path.join(folder, "damaged") if repairs else scene.index, index)
        for call in [] if repairs else [call for earlier in plan[:last] for call in earlier[1]]: disk.play(*call)
        for call in calls[:chance.randint(0, len(calls))]: disk.play(*call)
        disk.after_failure(chance, place)
        some = wrong(place, before, now, damaged if repairs else None, expected)
        faults += [f"power {number}, {step.name}: {fault}" for fault in some]
    held(f"the power failed {count} times, faults", len(faults), not faults)
    return faults


def arguments(parser):
    parser.add_argument("--kills", type=int, default=40)
    parser.add_argument("--failures", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)


def run(given, _):
    """Whether all holds."""
    chance = random.Random(given.seed)
    with tempfile.TemporaryDirectory() as folder:
        scene = Scene(folder)
        expected = {word: [path] for word, path in zip(WORDS, map(scene.paths.get, WORDS))}
        faults = kills(scene, given.kills, chance, expected, folder) if given.kills else []
        if given.failures: faults += failures(scene, given.failures, chance, expected, folder)
    for fault in faults[:40]: print(f"    {fault}")
    return not faults
