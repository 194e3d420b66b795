"""Runs the service with six sources, an index, notices and two viewers of the page, and looks for what grows.

    scripts/soak live [--minutes M] [--reload M] [--engine ENGINE] [--faults] [--no-build]

`live --config` reads six network cameras for M minutes (default 150, the real run), each of which shows a word of its own that comes and goes.
What it reads goes into an index (remember), its notices to a broker. Beside it the page's server shows that index, and
two viewers search it every two seconds. The service reads its file again every --reload minutes (default 10). Prints for each tenth of the time
the memory, threads, open files and processor time of both programs, and how long the page took. Must hold: each sighting has two notices,
none of them twice; the words are found in the index; from the third tenth to the last, memory grows by at most 12 MiB (the server 24); in the
second half there are no more threads and open files than in the first, but for one (the server opens the index's segments, which come and
are merged: four); no answer of the page fails; SIGTERM ends the service. Less than ten minutes are too short to see what grows.

--faults (as root): in the first half, for a twentieth of the time each, the broker is away, the index's disk is full, and one source sends
nothing. All of the above must hold, and each word must be found in the index after its fault is over.

FRAMEGREP_SERVE names the page's server. Needs ffmpeg and mosquitto.
"""
import collections, datetime, http.client, http.server, json, os, shutil, signal, socket, statistics, subprocess, tempfile, threading, time

from program import FRAMEGREP, held
from soak_index import Page

WORDS = ["HARBOR", "LANTERN", "MEADOW", "ORCHARD", "QUARRY", "SUMMIT"]


def arguments(parser):
    parser.add_argument("--minutes", type=float, default=150)
    parser.add_argument("--reload", type=float, default=10)
    parser.add_argument("--engine", default="auto")
    parser.add_argument("--faults", action="store_true")


class Cameras(http.server.BaseHTTPRequestHandler):
    """Network cameras on the loopback interface, as JPEGs without end: at /WORD, a word that is there for five of eight seconds."""
    protocol_version = "HTTP/1.1"
    pictures = {}
    silent = None

    def log_message(self, *_): pass

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=next")
        self.send_header("Connection", "close")
        self.end_headers()
        while True:
            if self.path[1:] == self.silent:
                time.sleep(0.1)
                continue
            picture = self.pictures[self.path[1:] if time.monotonic() % 8 < 5 else ""]
            try: self.wfile.write(b"--next\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n%s\r\n" % (len(picture), picture))
            except OSError: return
            time.sleep(0.1)

    @classmethod
    def serve(cls):
        for word in ["", *WORDS]:
            picture = ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "color=white:s=480x270", "-vf", f"drawtext=text={word or '.'}:fontsize=36:x=60:y=80:"
                       f"alpha={int(word != '')}", "-frames:v", "1", "-f", "mjpeg", "-"]
            cls.pictures[word] = subprocess.run(picture, check=True, stdout=subprocess.PIPE).stdout
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), cls)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return server


class Broker:
    """Mosquitto, and what was published."""

    def __init__(self, folder):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        configuration, self.path = os.path.join(folder, "mosquitto.conf"), os.path.join(folder, "notices")
        with open(configuration, "w") as file:
            # What the listener has not yet received outlasts the broker's absence.
            file.write(f"listener {self.port} 127.0.0.1\nallow_anonymous true\nmax_queued_messages 0\nlog_type error\nuser root\n"
                       f"persistence true\npersistence_location {folder}/\n")
        self.command = [shutil.which("mosquitto") or "/usr/sbin/mosquitto", "-c", configuration]
        self.start()
        listen = ["mosquitto_sub", "-h", "127.0.0.1", "-p", str(self.port), "-q", "1", "-c", "-i", "soak", "-F", "%p", "-t", "framegrep/+/+/sighting"]
        self.listener = subprocess.Popen(listen, stdout=open(self.path, "w"))

    def start(self):
        self.server = subprocess.Popen(self.command, stderr=subprocess.DEVNULL)
        for _ in range(100):
            try: socket.create_connection(("127.0.0.1", self.port), 1).close()
            except OSError: time.sleep(0.1)
            else: break

    def stop(self):
        self.server.terminate()
        self.server.wait(30)

    def notices(self): return objects(self.path)

    def end(self):
        self.listener.terminate()
        self.listener.wait(30)
        self.stop()


class Disk:
    """A small disk for the index, which can be filled."""

    def __init__(self, path):
        self.path, self.filling = path, os.path.join(path, "filling")
        os.mkdir(path)
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256m", "tmpfs", path], check=True)

    def fill(self):
        with open(self.filling, "wb", buffering=0) as file:
            try:
                while True: file.write(bytes(4096))
            except OSError: pass

    def empty(self): os.unlink(self.filling)

    def end(self): subprocess.run(["umount", "-l", self.path], check=True)


class Faults:
    """What goes wrong in the first half, one after the other."""

    def __init__(self, broker, disk):
        def stall(word): Cameras.silent = word
        self.steps = [(0.1, "the broker goes", broker.stop), (0.15, "the broker is back", broker.start),
                      (0.2, "the disk is full", disk.fill), (0.25, "the disk has room", disk.empty),
                      (0.3, "a source stalls", lambda: stall(WORDS[1])), (0.35, "the source goes on", lambda: stall(None))]

    def look(self, share):
        while self.steps and share >= self.steps[0][0]:
            _, name, step = self.steps.pop(0)
            print(f"    {name}", flush=True)
            step()


def objects(path):
    with open(path) as file: return [json.loads(line) for line in file if line.endswith("}\n")]


class Watched:
    """A process, and what it had each time it was looked at."""

    def __init__(self, name, pid):
        self.name, self.pid, self.rows = name, pid, []

    def look(self):
        with open(f"/proc/{self.pid}/status") as file: status = dict(line.split(":", 1) for line in file if ":" in line)
        with open(f"/proc/{self.pid}/stat") as file: fields = file.read().rsplit(")", 1)[1].split()
        work = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        self.rows.append((int(status["VmRSS"].split()[0]) / 1024, int(status["Threads"]), len(os.listdir(f"/proc/{self.pid}/fd")), work))

    def tenths(self):
        """For each tenth: the median of the memory, of the threads and of the files, and the processor time in it."""
        size = max(2, len(self.rows) // 10)
        parts = [self.rows[first:first + size] for first in range(0, len(self.rows) - size + 1, size)]
        return [(*(statistics.median(row[column] for row in part) for column in range(3)), part[-1][3] - part[0][3]) for part in parts]

    def flat(self, memory, files):
        """Whether it did not grow by more than this."""
        tenths = self.tenths()
        early, late = tenths[min(2, len(tenths) - 1)], tenths[-1]
        good = [held(f"{self.name}, MiB in the third tenth and in the last", f"{early[0]:.0f}, {late[0]:.0f}", late[0] - early[0] <= memory)]
        for column, name, more in ((1, "threads", 1), (2, "open files", files)):
            first, second = (max(row[column] for row in half) for half in (tenths[:len(tenths) // 2], tenths[len(tenths) // 2:]))
            good.append(held(f"{self.name}, most {name} in each half", f"{first:.0f}, {second:.0f}", second <= first + more))
        return all(good)


class Viewer(threading.Thread):
    """Searches for one word after the other until it is ended."""

    def __init__(self, page, number):
        super().__init__(daemon=True)
        self.page, self.number, self.times, self.failed, self.is_over = page, number, [], 0, threading.Event()

    def run(self):
        turn = self.number
        while not self.is_over.wait(2):
            turn += 1
            try: answer, first, whole = self.page.ask(f"/api/search?q={WORDS[turn % 6]}&limit=600&soon=1", {"Cookie": self.page.cookie})
            except (OSError, http.client.HTTPException): self.failed += 1
            else:
                # A search that fails while it goes on says so in its last line.
                self.failed += answer.status != 200 or json.loads(answer.body.splitlines()[-1])["type"] != "coverage"
                self.times.append((time.monotonic(), 1000 * first, 1000 * whole))


def configured(folder, index, broker, cameras, engine, turn):
    lines = [f'engine = "{engine}"', f'mqtt = "mqtt://127.0.0.1:{broker.port}"', 'mqtt-node = "soak"', f'outbox = "{folder}/outbox"', "remember = true",
             f'index = "{index}"']
    for number, word in enumerate(WORDS):
        # Another word with each reload, which nothing shows.
        words = f'["{word}", "TURN{turn}"]' if number == 0 else f'["{word}"]'
        lines += ["[[source]]", f'name = "{word.lower()}"', f'address = "http://127.0.0.1:{cameras.server_port}/{word}"', f"words = {words}"]
    path = os.path.join(folder, "service.toml")
    with open(path, "w") as file: file.write("\n".join(lines) + "\n")
    return path


def run(given, _):
    """Whether all holds."""
    with tempfile.TemporaryDirectory() as folder:
        place, results = os.path.join(folder, "disk"), os.path.join(folder, "results")
        index = os.path.join(place, "index")
        broker, cameras = Broker(folder), Cameras.serve()
        disk = Disk(place) if given.faults else None
        faults = Faults(broker, disk) if disk else None

        def configure(turn): return configured(folder, index, broker, cameras, given.engine, turn)

        file = configure(0)
        with open(results, "w") as out, open(results + ".errors", "w") as errors:
            service = subprocess.Popen([FRAMEGREP, "live", "--config", file, "--format", "jsonl"], stdout=out, stderr=errors, stdin=subprocess.DEVNULL)
        page = None
        try:
            page = Page(index)
            viewers = [Viewer(page, number) for number in range(2)]
            good = watch(given, service, page, viewers, configure, faults)
            service.send_signal(signal.SIGTERM)
            good.append(held("SIGTERM ends the service", service.wait(60), service.returncode == -signal.SIGTERM))
            good += judge(results, index, broker, given.minutes * 30 if faults else given.minutes * 60)
        finally:
            for process in (service, page.server) if page else (service,):
                if process.poll() is None: process.kill()
                process.wait()
            broker.end()
            if disk: disk.end()
        with open(results + ".errors") as file: said = file.read().strip()
        if not all(good): print(said[-2000:])
        return all(good)


def watch(given, service, page, viewers, reload, faults):
    """Lets it run; returns what holds."""
    watched = [Watched("the service", service.pid), Watched("the page's server", page.server.pid)]
    print(f"six sources for {given.minutes:g} minutes, load {os.getloadavg()[0]:.1f}", flush=True)
    begun, turn = time.monotonic(), 0
    for viewer in viewers: viewer.start()
    while (now := time.monotonic() - begun) < given.minutes * 60:
        for one in watched: one.look()
        if faults: faults.look(now / (given.minutes * 60))
        if now > (turn + 1) * given.reload * 60:
            turn += 1
            reload(turn)
            service.send_signal(signal.SIGHUP)
        time.sleep(2)
    for viewer in viewers:
        viewer.is_over.set()
        viewer.join()
    for one in watched:
        for number, (memory, threads, files, work) in enumerate(one.tenths()):
            print(f"    {one.name}, tenth {number + 1}: {memory:.0f} MiB, {threads:.0f} threads, {files:.0f} files, {work:.1f} s of processor time")
    for tenth in range(10):
        some = [row for viewer in viewers for row in viewer.times if begun + tenth * given.minutes * 6 <= row[0] < begun + (tenth + 1) * given.minutes * 6]
        if some: print(f"    the page, tenth {tenth + 1}: {len(some)} searches, first line after {statistics.median(row[1] for row in some):.0f} ms, "
                       f"slowest {max(row[1] for row in some):.0f}")
    failed = sum(viewer.failed for viewer in viewers)
    flat = [watched[0].flat(12, 1), watched[1].flat(24, 4)]
    return [given.minutes < 10 or all(flat), held(f"reloaded {turn} times, answers of the page that failed", failed, not failed)]


def judge(results, index, broker, seconds):
    """Whether each sighting has its notices, and each word is found in the last seconds."""
    late = time.time() - seconds
    told = collections.Counter((event["source"], event["type"]) for event in objects(results) if event["type"] in ("appeared", "disappeared"))
    end = time.monotonic() + 30
    while len(broker.notices()) < sum(told.values()) and time.monotonic() < end: time.sleep(0.5)
    notices = broker.notices()
    heard = collections.Counter((notice["source"], notice["event_type"]) for notice in notices)
    ids = {notice["id"] for notice in notices}
    done = subprocess.run([FRAMEGREP, "find", "--format", "jsonl", *(word for each in WORDS for word in ("-e", each)), "--index", index],
                          capture_output=True, text=True)
    found = {event["pattern"] for event in map(json.loads, done.stdout.splitlines())
             if event["type"] == "sighting" and datetime.datetime.fromisoformat(event["wall_start"]).timestamp() > late}
    seen = sum(count for (_, type), count in told.items() if type == "appeared")
    return [held(f"notices of {seen} sightings, lost and twice", (sum((told - heard).values()), len(notices) - len(ids)), told == heard and len(ids) == len(notices)),
            held("words found in the index", len(found), found == set(WORDS))]
