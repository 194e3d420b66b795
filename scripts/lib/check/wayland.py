"""Tries framegrep on a Wayland desktop (scripts/check wayland): each check prints a line, the first that fails ends with 1."""
import json, os, re, shutil, signal, stat, subprocess, sys, tempfile, threading, time

FRAMEGREP = os.environ["FRAMEGREP"]
PORTAL = os.environ.get("PORTAL_WLR", "/usr/libexec/xdg-desktop-portal-wlr")
ENGINE = ["--engine", "tesseract", "--language", "eng"]
WIDTH, HEIGHT = 1920, 1080
WORDS = ["", "", "   EXIT 12", "", "   The quick brown fox jumps", "   over 13 lazy dogs.", "", "   TRANSISTORS AND LAMPS"]


def wait_for(what, holds, seconds=15):
    end = time.monotonic() + seconds
    while not (value := holds()):
        assert time.monotonic() < end, f"{what} did not happen within {seconds} s"
        time.sleep(0.02)
    return value


class Desktop:
    """A compositor with a terminal in it, and all that shares its screen. `chooser` is a shell command that answers the portal's question."""

    def __init__(self, folder):
        self.folder, self.processes, self.logs = folder, [], os.path.join(folder, "logs")
        self.page, self.asked, self.answer, self.display = (os.path.join(folder, name) for name in ["page", "asked", "answer", "display"])
        runtime = os.path.join(folder, "run")
        for name in [self.logs, runtime, os.path.join(folder, "config")]: os.mkdir(name, 0o700)
        self.env = {key: value for key, value in os.environ.items()
                    if key not in ["DISPLAY", "WAYLAND_DISPLAY", "SWAYSOCK", "XDG_SESSION_TYPE", "FRAMEGREP_INDEX"]}
        self.env.update(XDG_RUNTIME_DIR=runtime, XDG_CONFIG_HOME=os.path.join(folder, "config"), XDG_CURRENT_DESKTOP="sway", LC_ALL="C.UTF-8",
                        HOME=folder, XDG_STATE_HOME=os.path.join(folder, "state"), FRAMEGREP_INDEX=os.path.join(folder, "index"))
        self.write("sway.conf", f"output HEADLESS-1 resolution {WIDTH}x{HEIGHT} position 0,0\ndefault_border none\n"
                   f"exec sh -c 'echo $DISPLAY > {self.display}'\n")
        self.write("answer", "echo HEADLESS-1\n")
        self.write("page", "\n".join(WORDS) + "\n")
        self.write("portal.conf", "[screencast]\nmax_fps=30\nchooser_type=simple\n"
                   f"chooser_cmd=sh -c 'echo x >> {self.asked}; exec sh {self.answer}'\n")
        self.env["DBUS_SESSION_BUS_ADDRESS"] = self.start_bus("bus", "--session")
        self.compositor = self.start("sway", "-c", os.path.join(folder, "sway.conf"), WLR_BACKENDS="headless", WLR_LIBINPUT_NO_DEVICES="1",
                                     WLR_RENDERER="pixman")
        found = lambda pattern: next((name for name in os.listdir(runtime) if re.fullmatch(pattern, name)), None)
        self.env["WAYLAND_DISPLAY"] = wait_for("sway's socket", lambda: found(r"wayland-\d+"))
        self.env["SWAYSOCK"] = os.path.join(runtime, wait_for("sway's other socket", lambda: found(r"sway-ipc.*")))
        # As on most desktops: an X server for older programs, which shows none of the others.
        wait_for("sway's X server", lambda: os.path.exists(self.display) and os.path.getsize(self.display))
        with open(self.display) as file: self.env["DISPLAY"] = file.read().strip()
        self.start("pipewire")
        wait_for("PipeWire's socket", lambda: found("pipewire-0"))
        self.start("wireplumber")
        self.start(PORTAL, "-c", os.path.join(folder, "portal.conf"), name="portal-wlr")
        self.await_bus("org.freedesktop.impl.portal.desktop.wlr")
        self.start("/usr/libexec/xdg-desktop-portal", name="portal")
        self.await_bus("org.freedesktop.portal.Desktop")
        self.start("foot", "--config=/dev/null", "-o", "font=DejaVu Sans Mono:size=14", "-o", "pad=0x0", "-o", "cursor.color=111111 111111", "tail", "-n", "+1", "-f", self.page)
        cell = wait_for("the terminal", lambda: re.search(r"cell width=(\d+), height=(\d+)", self.log("foot")))
        self.cell = int(cell[1]), int(cell[2])
        wait_for("the page", lambda: self.ink("EXIT"))

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w") as file: file.write(text)

    def log(self, name):
        with open(os.path.join(self.logs, name), errors="replace") as file: return file.read()

    def start(self, *command, name=None, **env):
        log = open(os.path.join(self.logs, name or command[0]), "w")
        process = subprocess.Popen(command, env=dict(self.env, **env), stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.processes.append(process)
        return process

    def start_bus(self, name, *arguments):
        process = subprocess.Popen(["dbus-daemon", *arguments, "--nofork", "--print-address=1"], env=self.env, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=open(os.path.join(self.logs, name), "w"), text=True)
        self.processes.append(process)
        return process.stdout.readline().strip()

    def await_bus(self, name):
        subprocess.run(["gdbus", "wait", "--session", "--timeout", "15", name], env=self.env, check=True)

    def end(self):
        for process in reversed(self.processes): process.terminate()
        for process in self.processes:
            try: process.wait(5)
            except subprocess.TimeoutExpired: process.kill()

    def change(self):
        """Draws something that cannot be seen. sway's portal sends no picture before something was drawn since the one that it sent last."""
        with open(self.page, "a") as file: file.write(" ")

    def command(self, *arguments, **env):
        return subprocess.Popen([FRAMEGREP, *arguments], env=dict(self.env, **env), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def run(self, *arguments, **env):
        process = self.command(*arguments, **env)
        for _ in range(240):
            try:
                out, err = process.communicate(timeout=0.25)
                return process.returncode, out, err
            except subprocess.TimeoutExpired: self.change()
        process.kill()
        raise AssertionError(f"{arguments} took a minute")

    def questions(self):
        return len(open(self.asked).readlines()) if os.path.exists(self.asked) else 0

    def ink(self, word):
        """The place of a word on the screen, by the screen's own pixels: the smallest rectangle that has all of its letters."""
        row = next(index for index, line in enumerate(WORDS) if word in line)
        (width, height), column = self.cell, WORDS[row].index(word)
        shot = subprocess.run(["grim", "-t", "ppm", "-"], env=self.env, capture_output=True, check=True).stdout
        header = re.match(rb"P6\s(\d+)\s(\d+)\s255\s", shot)
        assert (int(header[1]), int(header[2])) == (WIDTH, HEIGHT)
        pixel = lambda x, y: sum(shot[header.end() + 3 * (y * WIDTH + x):][:3])
        paper = pixel(WIDTH - 1, HEIGHT - 1)
        inked = [(x, y) for y in range(row * height, (row + 1) * height) for x in range(column * width, (column + len(word)) * width)
                 if abs(pixel(x, y) - paper) > 200]
        if not inked: return None
        xs, ys = [x for x, _ in inked], [y for _, y in inked]
        return min(xs), min(ys), max(xs) + 1, max(ys) + 1


def overlap(a, b):
    shared = max(0, min(a[2], b[2]) - max(a[0], b[0])) * max(0, min(a[3], b[3]) - max(a[1], b[1]))
    area = lambda r: (r[2] - r[0]) * (r[3] - r[1])
    return shared / (area(a) + area(b) - shared)


def once(desktop):
    """--once finds the word where it stands, and asks one time only."""
    status, out, err = desktop.run("screen", "EXIT", "--once", *ENGINE)
    match = re.fullmatch(r"(\d+),(\d+) (\d+)x(\d+): EXIT 12\n", out)
    assert status == 0 and match and "the desktop asks which monitor or window" in err, (status, out, err)
    x, y, width, height = map(int, match.groups())
    truth = desktop.ink("EXIT")
    share = overlap((x, y, x + width, y + height), truth)
    assert share >= 0.8, (match[0], truth, share)
    begun = time.monotonic()
    again = desktop.run("screen", "EXIT", "--once", *ENGINE)
    assert again == (0, out, ""), again
    took = time.monotonic() - begun
    # The first of these may take what was drawn last; from then on nothing is.
    for _ in range(2):
        process = desktop.command("screen", "EXIT", "--once", *ENGINE)
        if said := process.stderr.readline(): break
    assert "no picture yet" in said, said
    desktop.change()
    assert process.communicate(timeout=60)[0] == out
    kept = os.path.join(desktop.env["XDG_STATE_HOME"], "framegrep", "screen-sharing")
    assert desktop.questions() == 1 and stat.S_IMODE(os.stat(kept).st_mode) == 0o600
    return f"IoU {share:.2f}, asked once; the second time in {took:.2f} s"


def parts(desktop):
    """All text, regions, words that are not there, monitors and windows."""
    status, out, _ = desktop.run("screen", "--all-text", *ENGINE)
    assert status == 0 and [line for line in out.splitlines()] == [line.strip() for line in WORDS if line], out
    assert desktop.run("screen", "ELEPHANT", "--once", *ENGINE)[0] == 1
    assert desktop.run("screen", "EXIT", "--once", "--region", "0,50%,100%,50%", *ENGINE)[0] == 1
    whole = desktop.run("screen", "EXIT", "--once", *ENGINE)[1]
    part = desktop.run("screen", "EXIT", "--once", "--region", "20,30,400,50", *ENGINE)[1]
    numbers = lambda text: [int(number) for number in re.findall(r"\d+", text)[:4]]
    assert part and all(abs(a - b) <= 2 for a, b in zip(numbers(whole), numbers(part))), (whole, part)
    before = desktop.questions()
    for run in range(2):
        status, out, err = desktop.run("screen", "EXIT", "--once", "--monitor", "2", *ENGINE)
        assert status == 0 and ("the desktop asks which monitor" in err) == (run == 0), (status, err)
    assert desktop.questions() == before + 1
    status, _, err = desktop.run("screen", "EXIT", "--once", "--window", "Mail", *ENGINE)
    assert status == 2 and "shares monitors only" in err, err


def refusal(desktop):
    """No is no, and no answer can be waited for no longer."""
    state = {"XDG_STATE_HOME": os.path.join(desktop.folder, "other")}
    desktop.write("answer", "exit 1\n")
    status, out, err = desktop.run("screen", "EXIT", "--once", *ENGINE, **state)
    assert status == 2 and not out and "was not shared" in err, (status, err)
    desktop.write("answer", "echo $$ > " + os.path.join(desktop.folder, "chooser") + "; exec sleep 60\n")
    before = desktop.questions()
    for arguments in [["screen", "EXIT", "--once"], ["live", "EXIT", "screen:", "--headless"]]:
        process = desktop.command(*arguments, *ENGINE, **state)
        wait_for("the question", lambda: desktop.questions() > before)
        process.send_signal(signal.SIGINT)
        begun = time.monotonic()
        process.communicate(timeout=10)
        took = time.monotonic() - begun
        assert process.returncode in (-signal.SIGINT, 130) and took < 2, (process.returncode, took)
        # The portal of sway asks one question at a time.
        with open(os.path.join(desktop.folder, "chooser")) as file: os.kill(int(file.read()), signal.SIGTERM)
        before = desktop.questions()
    desktop.write("answer", "echo HEADLESS-1\n")


def doctor(desktop):
    """What is there is listed, and what is not is named."""
    out = desktop.run("doctor")[1]
    assert "the desktop's portal shares it" in out and "pipewiresrc)" in out, out
    # A bus on which nothing can be started.
    desktop.write("empty.conf", "<busconfig><type>session</type><listen>unix:tmpdir=/tmp</listen><auth>EXTERNAL</auth>"
                  "<policy context='default'><allow send_destination='*' eavesdrop='true'/><allow eavesdrop='true'/><allow own='*'/></policy></busconfig>")
    empty = desktop.start_bus("empty", "--config-file=" + os.path.join(desktop.folder, "empty.conf"))
    status, _, err = desktop.run("screen", "EXIT", "--once", *ENGINE, DBUS_SESSION_BUS_ADDRESS=empty)
    assert status == 2 and "xdg-desktop-portal-gnome" in err, (status, err)


class Events(threading.Thread):
    """The events of a live job, with the times at which they came."""

    def __init__(self, process):
        super().__init__(daemon=True)
        self.process, self.lines = process, []
        self.start()

    def run(self):
        for line in self.process.stdout: self.lines.append((time.monotonic(), json.loads(line)))

    def time(self, word):
        return next((when for when, event in self.lines if event["type"] == "appeared" and event.get("pattern") == word), None)


def live(desktop, measures):
    """A running search finds what comes, says when the desktop is gone, and ends."""
    desktop.change()
    begun = time.monotonic()
    process = desktop.command("live", "-e", "EXIT", "-e", "LANTERN", "screen:", "--headless", "--format", "jsonl", *ENGINE)
    events = Events(process)
    wait_for("the first find", keep_changing(desktop, lambda: events.time("EXIT")))
    first = events.time("EXIT") - begun
    if measures: print(f"  a still screen: {still(process):.3f} of a processor in a minute", flush=True)
    time.sleep(1)
    with open(desktop.page, "a") as file: file.write("   LANTERN\n")
    written = time.monotonic()
    later = wait_for("the second find", lambda: events.time("LANTERN")) - written
    desktop.compositor.kill()
    killed = time.monotonic()
    process.wait(20)
    ended = time.monotonic() - killed
    err = process.stderr.read()
    assert process.returncode == 2 and "The desktop sends no more pictures of its screen" in err, (process.returncode, err)
    return f"found after {first:.2f} s, what came after {later:.2f} s; over {ended:.1f} s after the compositor"


def keep_changing(desktop, holds):
    """Something is drawn four times a second, as a clock does, until it holds."""
    def step():
        desktop.change()
        time.sleep(0.25)
        return holds()
    return step


def still(process):
    def used():
        with open(f"/proc/{process.pid}/stat") as file: fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    time.sleep(10)
    before = used()
    time.sleep(60)
    return (used() - before) / 60


def index(desktop):
    """`index screen:` keeps what it reads, until it is interrupted."""
    process = desktop.command("index", "screen:", *ENGINE)
    for _ in range(5):
        time.sleep(1)
        desktop.change()
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)
    status, out, err = desktop.run("find", "TRANSISTORS")
    assert status == 0 and "TRANSISTORS" in out, (status, out, err)


def window(desktop):
    """Boxes come in a window of framegrep's own, and it says so."""
    desktop.change()
    process = desktop.command("screen", "TRANSISTORS", *ENGINE)
    def windows():
        tree = json.loads(subprocess.run(["swaymsg", "-r", "-t", "get_tree"], env=desktop.env, capture_output=True, check=True).stdout)
        todo, found = [tree], []
        while todo:
            node = todo.pop()
            todo += node["nodes"] + node["floating_nodes"]
            if node.get("pid"): found.append((node["pid"], node["name"]))
        return found
    shown = wait_for("the window", keep_changing(desktop, lambda: [name for pid, name in windows() if pid == process.pid]))
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert "lets no program draw over others' windows" in err, err
    assert process.returncode in (-signal.SIGINT, 130), (process.returncode, err)
    return f"“{shown[0]}”"


def main():
    folder = tempfile.mkdtemp(prefix="fg-")
    measures = "--measure" in sys.argv[1:]
    desktop, failed = None, False
    try:
        desktop = Desktop(folder)
        checks = [once, parts, refusal, doctor, index, window, live]
        wanted = [word for word in sys.argv[1:] if word != "--measure"]
        for check in [check for check in checks if not wanted or check.__name__ in wanted]:
            result = check(desktop, measures) if check is live else check(desktop)
            print(f"ok  {check.__doc__}" + (f" ({result})" if result else ""), flush=True)
    except Exception as problem:
        failed = True
        print(f"!!  {problem!r} (line {problem.__traceback__.tb_next.tb_lineno})\n    The logs are in {folder}/logs.")
    finally:
        if desktop: desktop.end()
        if not failed: shutil.rmtree(folder, ignore_errors=True)
    return 1 if failed else 0


if __name__ == "__main__": sys.exit(main())
