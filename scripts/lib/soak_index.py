"""An index of many recordings: how long each command takes, and whether everything is found after recordings came, changed and went.

    scripts/soak index [--recordings N] [--folders N] [--engine ENGINE] [--folder FOLDER] [--seconds S] [--no-build]

Makes N recordings (default 500; 10,000 is the real run) of three pictures each in folders with odd names: a few are rendered, and each copy differs
by a box that readers pass over. 3 % are cut off. Must hold: `index` reads each once and reports each damaged one; with nothing changed it
reads nothing; after 5 % were changed, 5 % renamed and 5 % removed, it reads only the changed ones; each word is found in just the recordings that
show it; `forget --gone` removes just those that are gone; `check` finds nothing; the digest is that of an index made anew (left out above
1,000); a run without changes takes 10 s of processor time at most for 10,000 recordings, and S seconds plus a millisecond each for fewer
(default 5). Where FRAMEGREP_SERVE names the page's server, what the page asks for is measured too. Some 3 minutes for 500 on two processors.
--folder: on another disk, such as /dev/shm, where syncing costs nothing. Needs ffmpeg.
"""
import glob, http.client, json, os, random, resource, subprocess, tempfile, time

from program import FRAMEGREP, held, measured

WORDS = ["EXIT", "PLATFORM", "KITCHEN", "WAREHOUSE"]
ODD = ["plain", "with space", "quote'", 'double"quote', "percent%20", "-dash", "star*", "ümlaut", "한국어", "semi;colon", "$dollar", "emoji🎬",
       "tab\there", "new\nline", "a" * 100, "back\\slash", "[bracket]", "#hash", "&and", "?question"]


def arguments(parser):
    parser.add_argument("--recordings", type=int, default=500)
    parser.add_argument("--folders", type=int, default=200)
    parser.add_argument("--engine", default="tesseract")
    parser.add_argument("--folder")
    parser.add_argument("--seconds", type=float, default=5)


def rendered(folder, engine):
    """The bytes of a recording of each word."""
    clips = []
    for word in WORDS:
        path = os.path.join(folder, word + ".mp4")
        subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "color=white:s=320x80:r=5:d=0.6", "-vf",
                        f"drawtext=text={word}:fontsize=40:x=20:y=20", "-pix_fmt", "yuv420p", path], check=True)
        with open(path, "rb") as file: clips.append(file.read())
    return clips


class Recordings:
    """The files, and what each shows."""

    def __init__(self, folder, clips):
        self.folder, self.clips, self.number = folder, clips, 0
        self.words, self.damaged = {}, set()

    def write(self, path, word, is_damaged=False):
        data = self.clips[word]
        # The last box is the index of its frames, without which nothing can be read.
        if is_damaged: data = data[:len(data) // 2]
        self.number += 1
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data + (16).to_bytes(4, "big") + b"free" + self.number.to_bytes(8, "big"))
            # Empty boxes cost no room, and make samples of the file as long as those of others.
            file.write((400_000).to_bytes(4, "big") + b"free")
            file.truncate(file.tell() + 400_000 - 8)
        self.words[path] = word
        if is_damaged: self.damaged.add(path)

    def make(self, count, folders, chance):
        for number in range(count):
            group = number % folders
            place = os.path.join(self.folder, f"{group // 20} {ODD[group % 20]}", f"{group}")
            name = f"{ODD[number // folders % 20]} {number}.mp4"
            self.write(os.path.join(place, name), chance.randrange(len(WORDS)), is_damaged=chance.random() < 0.03)

    def with_word(self, word): return {path for path, own in self.words.items() if own == word and path not in self.damaged}

    def change(self, chance):
        """Changes, renames and removes 5 % each of those that are whole; returns how many."""
        whole = sorted(set(self.words) - self.damaged)
        some = chance.sample(whole, max(3, len(whole) * 15 // 100))
        third = len(some) // 3
        for path in some[:third]: self.write(path, (self.words[path] + 1) % len(WORDS))
        for path in some[third:2 * third]:
            new = os.path.join(os.path.dirname(path), "renamed " + os.path.basename(path))
            os.rename(path, new)
            self.words[new] = self.words.pop(path)
        for path in some[2 * third:]:
            os.unlink(path)
            del self.words[path]
        return third, len(some) - 2 * third


class Index:
    def __init__(self, path, engine):
        self.path, self.engine, self.good = path, engine, []

    def run(self, what, *words, status=0, shown=True):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        code, out, err, wall, memory = measured([FRAMEGREP, *words, "--index", self.path])
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        if shown: print(f"  {what}: {seconds:.2f} s of processor time, {wall:.2f} by the clock, {memory:.0f} MiB", flush=True)
        if code not in (status if isinstance(status, tuple) else (status,)): self.hold(f"{what}: status", f"{code} {err.strip()[-300:]}", False)
        return out, err, seconds

    def hold(self, *what): self.good.append(held(*what))

    def read(self, what, folder, has_damage, says):
        out, err, seconds = self.run(what, "index", "--engine", self.engine, folder, status=2 if has_damage else 0)
        last = ([line for line in err.splitlines() if " read (" in line] or [err[-200:]])[-1].replace("framegrep: ", "")
        self.hold(f"{what}: {says}", last, last.startswith(says))
        return last, seconds

    def find(self, recordings):
        for word, text in enumerate(WORDS):
            out, _, _ = self.run(f"find {text}", "find", "--format", "jsonl", text, status=(0, 1, 2))
            seen = {event["source"] for event in map(json.loads, out.splitlines()) if event["type"] == "sighting"}
            wanted = {os.path.realpath(path) for path in recordings.with_word(word)}
            self.hold(f"find {text}: recordings", f"{len(seen)} of {len(wanted)}", seen == wanted)


class Page:
    """The page's server, and what the page asks it for: the first screen, then searches."""

    def __init__(self, index):
        self.server = subprocess.Popen([os.environ["FRAMEGREP_SERVE"], "--index", index, "--port", "0"],
                                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.base, _, key = self.server.stdout.readline().strip().partition("/#key=")
        head = {"Origin": self.base, "Content-Type": "application/json"}
        self.cookie = self.ask("/api/session", head, json.dumps({"key": key}))[0].headers["Set-Cookie"].split(";")[0]

    def ask(self, path, head, body=None):
        """The answer, and how long it took to its first line, and to its last."""
        connection = http.client.HTTPConnection(self.base.removeprefix("http://"), timeout=100)
        begun = time.monotonic()
        connection.request("POST" if body else "GET", path, body, head)
        answer = connection.getresponse()
        answer.body = answer.readline()
        first = time.monotonic() - begun
        answer.body += answer.read()
        connection.close()
        return answer, first, time.monotonic() - begun

    def work(self):
        """Its processor time so far, and its memory in MiB."""
        with open(f"/proc/{self.server.pid}/stat") as file: fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"), int(fields[21]) * os.sysconf("SC_PAGE_SIZE") >> 20

    def measure(self):
        for again in ("", ", again"):
            for path in ["/", "/api/coverage", "/api/sources", *(f"/api/search?q={word}&limit=600&soon=1" for word in WORDS[:2])]:
                before = self.work()[0]
                _, first, whole = self.ask(path, {"Cookie": self.cookie})
                work, memory = self.work()
                print(f"  page{again}, {path}: first line after {1000 * first:.0f} ms, last {1000 * whole:.0f}, {1000 * (work - before):.0f} of processor "
                      f"time, {memory} MiB", flush=True)
        self.server.send_signal(2)
        self.server.wait(timeout=30)


def run(given, _):
    """Whether all holds."""
    chance = random.Random(5)
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        recordings = Recordings(os.path.join(folder, "recordings"), rendered(folder, given.engine))
        recordings.make(given.recordings, given.folders, chance)
        count, damaged = given.recordings, len(recordings.damaged)
        print(f"{count} recordings in {given.folders} folders, {damaged} of them cut off; load {os.getloadavg()[0]:.1f}", flush=True)
        index = Index(os.path.join(folder, "index"), given.engine)
        index.read("index, from nothing", recordings.folder, damaged, f"{count - damaged} read")
        _, seconds = index.read("index, nothing changed", recordings.folder, damaged, f"0 read (0 s), {count - damaged} as they were")
        most = 10 if count >= 10_000 else given.seconds + count / 1000
        index.hold("index, nothing changed, seconds of processor time", f"{seconds:.2f} of {most:g}", seconds <= most)
        index.find(recordings)
        if "FRAMEGREP_SERVE" in os.environ: Page(index.path).measure()
        changed, removed = recordings.change(chance)
        index.read("index, 15 % changed", recordings.folder, damaged, f"{changed} read")
        index.run("index status", "index", "status")
        index.run("index sources", "index", "sources")
        _, err, _ = index.run("index forget --gone", "index", "forget", "--gone")
        index.hold("index forget --gone", err.strip(), err.startswith(f"framegrep: {removed} recording"))
        index.find(recordings)
        index.run("find -m 1", "find", "-m", "1", WORDS[0], status=(0, 2))
        index.run("index check", "index", "check")
        if count <= 1000:
            anew = Index(os.path.join(folder, "anew"), given.engine)
            anew.run("index, anew", "index", "-q", "--engine", given.engine, recordings.folder, status=2 if damaged else 0)
            digests = [one.run("index digest", "index", "digest")[0] for one in (index, anew)]
            index.hold("digest", digests[0].strip(), digests[0] == digests[1])
        size = sum(os.path.getsize(path) for path in glob.glob(index.path + "/segments/*/*"))
        index.run("index expire, to a half", "index", "expire", "--budget", f"{size // 2000}kB")
        index.run("index check", "index", "check")
    return all(index.good)
