"""integrations/mpv/framegrep.lua in mpv, driven by keys through its IPC: without a screen, and under Xvfb where pixels are looked at."""
import json, os, shutil, signal, socket, subprocess, time

import pytest

from conftest import FRAMEGREP, children

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCRIPT = os.path.join(ROOT, "integrations", "mpv", "framegrep.lua")


class Player:
    def __init__(self, place, folder, *words, env=None, program=FRAMEGREP, arguments="--no-index"):
        self.folder = str(folder)
        path = os.path.join(self.folder, "socket")
        options = f"framegrep-program={program}" + (f",framegrep-arguments={arguments}" if arguments else "")
        scratch = os.path.join(self.folder, "tmp")
        os.makedirs(scratch, exist_ok=True)
        self.scratch = scratch
        self.process = subprocess.Popen(
            ["mpv", "--no-config", "--ao=null", f"--input-ipc-server={path}", f"--script={SCRIPT}", f"--script-opts={options}",
             "--keep-open=always", "--idle=yes", "--msg-level=all=error", *words],
            env=dict(place.env, TMPDIR=scratch, **(env or {})), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        deadline = time.monotonic() + 20
        self.socket = socket.socket(socket.AF_UNIX)
        while True:
            try:
                self.socket.connect(path)
                break
            except OSError:
                assert time.monotonic() < deadline and self.process.poll() is None, self.process.stdout.read()
                time.sleep(0.05)
        self.stream = self.socket.makefile("rw")
        self.number = 0

    def send(self, *command):
        self.number += 1
        self.stream.write(json.dumps({"command": list(command), "request_id": self.number}) + "\n")
        self.stream.flush()
        while True:
            answer = json.loads(self.stream.readline())
            if answer.get("request_id") == self.number: return answer

    def get(self, name): return self.send("get_property", name).get("data")

    def wait(self, what, seconds=30):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            value = what()
            if value: return value
            time.sleep(0.05)
        pytest.fail("it did not come")

    def playing(self):
        self.wait(lambda: self.get("video-params") and self.get("duration"))
        return self

    def type(self, word):
        self.send("keypress", "Ctrl+f")
        time.sleep(0.3)
        for letter in word: self.send("keypress", "SPACE" if letter == " " else letter)
        self.send("keypress", "ENTER")

    def chapters(self): return [(round(one["time"], 1), one["title"]) for one in self.get("chapter-list") or []]

    def helpers(self): return [pid for pid in children(self.process.pid)]

    def end(self):
        """Ended as a person does; returns what it said."""
        self.send("quit")
        try: assert self.process.wait(10) == 0
        finally:
            if self.process.poll() is None: self.process.kill()
        assert os.listdir(self.scratch) == []
        return self.process.stdout.read().decode()


@pytest.fixture
def player(place, tmp_path):
    players = []

    def start(*words, **named):
        players.append(Player(place, tmp_path, *words, **named))
        return players[-1]

    yield start
    for one in players:
        if one.process.poll() is None: one.process.kill()


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file: return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError: return False


def gone(pids):
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        if not any(map(alive, pids)): return True
        time.sleep(0.1)
    return False


def test_a_word_typed_marked_jumped_to_and_cleared(place, player):
    mpv = player("--vo=null", "--pause", place.demo).playing()
    mpv.type("LED RED")
    mpv.wait(lambda: mpv.chapters() == [(0.0, "LED RED")])
    # In view already, so it stays where it is.
    assert mpv.get("time-pos") < 0.1
    mpv.type("EXIT")
    mpv.wait(lambda: mpv.chapters() == [(4.3, "EXIT")])
    mpv.wait(lambda: abs(mpv.get("time-pos") - 4.3) < 0.05)
    mpv.send("seek", "0", "absolute+exact")
    for key in ["n", "N", "n"]:
        mpv.send("seek", "1", "absolute+exact")
        time.sleep(0.3)
        mpv.send("keypress", key)
        mpv.wait(lambda: abs(mpv.get("time-pos") - 4.3) < 0.05)
    mpv.send("keypress", "ESC")
    mpv.wait(lambda: mpv.chapters() == [])
    mpv.send("keypress", "n")
    assert mpv.end() == ""


def test_what_the_index_has_is_there_at_once(place, player):
    # Nothing that reads is there: what comes, the index has.
    nothing = {"FRAMEGREP_HOME": "/nonexistent", "TESSDATA_PREFIX": "/nonexistent"}
    mpv = player("--vo=null", "--pause", place.demo, arguments="", env=nothing).playing()
    begun = time.monotonic()
    mpv.type("EXIT")
    mpv.wait(lambda: mpv.chapters() == [(4.3, "EXIT")])
    took = time.monotonic() - begun
    print(f"\n  from the index after {took - 0.3:.2f} s")
    assert mpv.end() == ""


def test_playback_goes_on_while_it_reads(place, player):
    mpv = player("--vo=null", place.demo).playing()
    mpv.send("seek", "0", "absolute+exact")
    mpv.send("script-message-to", "framegrep", "search", "zqxzq")
    readers = mpv.wait(mpv.helpers)
    # Playing comes first where processors are scarce.
    mpv.wait(lambda: not any(map(alive, readers)) or all(
        os.getpriority(os.PRIO_PROCESS, pid) > os.getpriority(os.PRIO_PROCESS, mpv.process.pid) for pid in readers if alive(pid)))
    begun, first = time.monotonic(), mpv.get("time-pos")
    worst, last = 0, time.monotonic()
    while time.monotonic() - begun < 3:
        mpv.get("time-pos")
        worst, last = max(worst, time.monotonic() - last), time.monotonic()
        time.sleep(0.01)
    played = mpv.get("time-pos") - first
    print(f"\n  3.0 s watched while it read: {played:.2f} s played, {mpv.get('frame-drop-count')} frames dropped, longest answer {worst * 1000:.0f} ms")
    assert played > 2.5
    assert mpv.end() == ""


def test_another_file_while_it_reads(place, player):
    mpv = player("--vo=null", "--pause", place.demo).playing()
    mpv.send("script-message-to", "framegrep", "search", "EXIT")
    readers = mpv.wait(mpv.helpers)
    mpv.send("loadfile", place.other)
    assert gone(readers)
    mpv.playing()
    assert mpv.chapters() == []
    mpv.send("script-message-to", "framegrep", "search", "build")
    mpv.wait(mpv.chapters)
    assert "EXIT" not in str(mpv.chapters())
    assert mpv.end() == ""


@pytest.mark.parametrize("how", ["quit", "terminated", "killed"])
def test_nothing_is_left_when_it_ends_while_it_reads(place, player, how):
    mpv = player("--vo=null", "--pause", place.demo).playing()
    mpv.send("script-message-to", "framegrep", "search", "EXIT")
    readers = mpv.wait(mpv.helpers)
    if how == "quit": mpv.end()
    else:
        mpv.process.send_signal(signal.SIGTERM if how == "terminated" else signal.SIGKILL)
        mpv.process.wait(10)
    assert gone(readers)


def test_what_cannot_be_is_said(place, player, tmp_path):
    mpv = player("--vo=null", "--pause", place.demo, program="/nowhere/framegrep").playing()
    mpv.type("EXIT")
    time.sleep(1)
    assert mpv.chapters() == [] and mpv.end() == ""


def test_a_name_that_is_hostile(place, player):
    path = os.path.join(place.folder, "a 'b' \"c\" $(touch x) ;{\\an7} [1].mp4")
    shutil.copy(place.demo, path)
    mpv = player("--vo=null", "--pause", path).playing()
    mpv.type("EXIT")
    mpv.wait(lambda: mpv.chapters() == [(4.3, "EXIT")])
    assert mpv.end() == ""
    os.unlink(path)


def yellow(path):
    """The bounds of what is as yellow as the box: x, y, right, bottom; and how many pixels."""
    found = subprocess.run(
        ["convert", path, "-fuzz", "12%", "-fill", "black", "+opaque", "#FFE600", "-format", "%@ %[fx:round(mean*w*h)]", "info:"],
        capture_output=True, text=True, check=True).stdout
    size, count = found.split()
    width, height, x, y = (int(part) for part in size.replace("x", "+").split("+"))
    return x, y, x + width, y + height, int(count)


@pytest.mark.parametrize("size", ["1280x720", "1000x700"])
def test_the_box_is_on_the_word(place, player, size):
    """EXIT stands from 1088 to 1248 and 165 to 214 of 1280×720 at 4.8 s; in another window the picture is scaled and has bars."""
    number = 90 + os.getpid() % 100
    screen = subprocess.Popen(["Xvfb", f":{number}", "-screen", "0", "1280x800x24", "-noreset"], stderr=subprocess.DEVNULL)
    env = {"DISPLAY": f":{number}"}
    try:
        for _ in range(100):
            if os.path.exists(f"/tmp/.X11-unix/X{number}"): break
            time.sleep(0.05)
        mpv = player("--vo=x11", "--no-border", f"--geometry={size}+0+0", "--no-keepaspect-window", "--pause", place.demo, env=env).playing()
        mpv.send("script-message-to", "framegrep", "search", "EXIT")
        mpv.wait(mpv.chapters)
        mpv.wait(lambda: not mpv.helpers())
        mpv.send("seek", "4.81", "absolute+exact")
        time.sleep(1)
        shot = os.path.join(mpv.folder, "shot.png")
        subprocess.run(["import", "-display", f":{number}", "-window", "root", shot], check=True)
        size = mpv.get("osd-dimensions")
        scale = (size["w"] - size["ml"] - size["mr"]) / 1280
        x, y, right, bottom, count = yellow(shot)
        wanted = [1088.4 * scale + size["ml"], 165.3 * scale + size["mt"], 1247.9 * scale + size["ml"], 214.5 * scale + size["mt"]]
        print(f"\n  {size['w']}×{size['h']}: the box is at {x, y, right, bottom}, the word at {[round(one) for one in wanted]}")
        # A line of 3 pixels around it; the picture pans slowly.
        assert all(abs(a - b) <= 8 for a, b in zip([x, y, right, bottom], wanted)), (x, y, right, bottom, wanted)
        mpv.send("keypress", "ESC")
        time.sleep(0.7)
        subprocess.run(["import", "-display", f":{number}", "-window", "root", shot], check=True)
        assert yellow(shot)[4] < 20
        assert "Error" not in mpv.end()
    finally:
        screen.terminate()
        screen.wait()
