"""The adapter for ripgrep-all by the call that it documents, and fzf in tmux."""
import json, os, re, shutil, subprocess, tarfile, time

import pytest

from conftest import FRAMEGREP

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ADAPTER = os.path.join(ROOT, "integrations", "rga", "framegrep-rga")
FZF = os.path.join(ROOT, "integrations", "fzf", "framegrep-fzf")


def adapted(place, path, data=None, **env):
    with open(path if data is None else os.devnull, "rb") as file:
        return subprocess.run([ADAPTER, path], env=dict(place.env, **env), input=data, stdin=None if data is not None else file,
                              capture_output=True, timeout=120)


def test_the_call_that_rga_documents(place):
    """The path as the argument, the bytes on standard input, text on standard output, 0 at the end."""
    begun = time.monotonic()
    ran = adapted(place, place.demo)
    took = time.monotonic() - begun
    assert ran.returncode == 0, ran.stderr
    lines = ran.stdout.decode().splitlines()
    assert "00:00:04.300: EXIT" in lines and all(re.match(r"\d\d:\d\d:\d\d\.\d{3}: ", line) for line in lines)
    print(f"\n  {len(lines)} lines from the index in {took:.2f} s")
    read = adapted(place, place.other)
    assert read.returncode == 0 and read.stdout
    with open(place.demo, "rb") as file: inside = adapted(place, "archive.tar/demo.mp4", file.read())
    assert inside.returncode == 0 and b": EXIT" in inside.stdout
    broken = adapted(place, "/nowhere/x.mp4", b"no video")
    assert broken.returncode == 2 and b"framegrep-rga:" in broken.stderr and not broken.stdout


def test_the_entry_for_rgas_settings():
    with open(os.path.join(ROOT, "integrations", "rga", "config.jsonc")) as file:
        entry = json.loads("".join(line for line in file if not line.startswith("//")))["custom_adapters"][0]
    assert entry["binary"] == "framegrep-rga" and entry["args"] == ["$input_virtual_path"] and "mp4" in entry["extensions"]


def test_through_ripgreps_own_pre(place):
    """rga is `rg --pre` with a choice of adapters: the same call by rg itself."""
    ran = subprocess.run(["rg", "--pre", ADAPTER, "--pre-glob", "*.mp4", "EXIT", place.media], env=place.env, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert f"{place.demo}:00:00:04.300: EXIT" in ran.stdout.splitlines()


@pytest.mark.skipif(not shutil.which("rga"), reason="rga is not installed")
def test_rga_itself(place, tmp_path):
    os.makedirs(tmp_path / "ripgrep-all")
    with open(os.path.join(ROOT, "integrations", "rga", "config.jsonc")) as file: (tmp_path / "ripgrep-all" / "config.jsonc").write_text(file.read())
    env = dict(place.env, XDG_CONFIG_HOME=str(tmp_path), XDG_CACHE_HOME=str(tmp_path / "cache"), PATH=os.path.dirname(ADAPTER) + ":" + os.environ["PATH"])
    with tarfile.open(os.path.join(place.media, "a.tar"), "w") as archive: archive.add(place.demo, "demo.mp4")
    try:
        ran = subprocess.run(["rga", "--rga-adapters=+framegrep", "EXIT", place.media], env=env, capture_output=True, text=True)
        assert "demo.mp4:00:00:04.300: EXIT" in ran.stdout and "a.tar" in ran.stdout, ran
    finally:
        os.unlink(os.path.join(place.media, "a.tar"))


class Terminal:
    """A window of tmux of its own server."""

    def __init__(self, folder, command, env):
        self.words = ["tmux", "-S", os.path.join(folder, "tmux"), "-f", "/dev/null"]
        self.run("new-session", "-d", "-x", "160", "-y", "45", *[word for name, value in env.items() for word in ("-e", f"{name}={value}")], command)

    def run(self, *words): return subprocess.run(self.words + list(words), capture_output=True, text=True).stdout

    def screen(self): return self.run("capture-pane", "-p")

    def wait(self, what, seconds=20):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            screen = self.screen()
            if what(screen): return screen
            time.sleep(0.1)
        pytest.fail(self.screen())


def test_fzf_searches_while_one_types(place, tmp_path):
    # mpv is played by a note of what it was asked for: whether it plays is for scripts/check mpv.
    fake = tmp_path / "bin"
    fake.mkdir()
    (fake / "mpv").write_text(f"#!/bin/sh\nprintf '%s\\n' \"$@\" > '{tmp_path}/played'\n")
    (fake / "mpv").chmod(0o755)
    env = {"FRAMEGREP": FRAMEGREP, "FRAMEGREP_INDEX": place.index, "LC_ALL": "C.UTF-8", "HOME": str(tmp_path)}
    # A shell of tmux's may set its own PATH.
    terminal = Terminal(str(tmp_path), f"env PATH='{fake}':\"$PATH\" '{FZF}'", env)
    try:
        terminal.wait(lambda screen: "framegrep>" in screen)
        terminal.run("send-keys", "LED")
        screen = terminal.wait(lambda screen: "LED RED" in screen and "LED GREEN" in screen)
        assert "00:00:00.000" in screen
        terminal.run("send-keys", "BSpace", "BSpace", "BSpace", "EXIT")
        screen = terminal.wait(lambda screen: "00:00:04.300" in screen and "LED" not in screen)
        # The picture, in blocks of characters.
        terminal.wait(lambda screen: sum(screen.count(block) for block in "▀▄█▌▐▂▃▅▆▇▖▗▘▝▚▞▁▔▏▎▍▋▊▉─━│┃╱╲") > 100)
        terminal.run("send-keys", "BSpace", "'; touch x #")
        terminal.wait(lambda screen: "00:00:04.300" not in screen)
        terminal.run("send-keys", "C-u")
        terminal.run("send-keys", "EXIT")
        terminal.wait(lambda screen: "00:00:04.300" in screen)
        terminal.run("send-keys", "Enter")
        deadline = time.monotonic() + 10
        while not (tmp_path / "played").exists() and time.monotonic() < deadline: time.sleep(0.1)
        time.sleep(0.2)
        assert (tmp_path / "played").read_text().splitlines() == ["--start=4.3", "--", place.demo]
        assert not os.path.exists("x")
    finally:
        terminal.run("kill-server")
