"""Presses Tab in a real shell, and looks at what it makes of it.

    python3 Tests/completions/checks.py SHELL COMPLETIONS PROGRAMS

SHELL is bash, zsh or fish; COMPLETIONS the folder that scripts/lib/completions.py filled; PROGRAMS the folder of framegrep. Ends with 0, or with 1
and what was not as it should be.
"""

import os
import pty
import re
import select
import sys
import tempfile
import time

# What is typed, and what stands on the line or is offered then. The last column: only where the shell is one of these.
CASES = [
    ("framegrep set", "setup", None),
    ("framegrep find --engine tess", "tesseract", None),
    ("framegrep find --each", "--each-change", None),
    ("framegrep live EXIT --format js", "jsonl", None),
    ("framegrep find --format=js", "jsonl", {"bash", "fish"}),
    ("framegrep find EXIT lob", "lobby.mp4", None),
    ("framegrep live EXIT lob", "lobby.mp4", None),
    ("framegrep find --save-frames fou", "found/", None),
    ("framegrep run mi", "mine.launch", None),
    # A name with a space is quoted in one way or another.
    ("framegrep find EXIT loo", r"loose(\\ | )notes\.txt", None),
    # Words that begin with a colon.
    ("framegrep find -e :em", ":email", None),
    ("framegrep find :mon", ":money", None),
    # Without a command: as find.
    ("framegrep --each", "--each-change", None),
    ("framegrep EXIT lob", "lobby.mp4", None),
    ("framegrep EXIT --color alw", "always", None),
    ("framegrep :mon", ":money", None),
    # Languages that are installed, one behind the other.
    ("framegrep find --language eng+ko", r"eng\+kor", None),
    ("framegrep index --wat", "--watch", set()),
    ("framegrep index add --wat", "--watch", None),
    ("framegrep setup --off", "--offline", None),
]


class Terminal:
    """A shell with a terminal of its own."""

    def __init__(self, command, environment, folder):
        self.process, self.descriptor = pty.fork()
        if self.process == 0:
            os.chdir(folder)
            os.execvpe(command[0], command, environment)
        self.seen = b""

    def type(self, text):
        os.write(self.descriptor, text.encode())

    def wait(self, pattern, start=0, seconds=60):
        """Whether the pattern comes to stand in what the shell printed since `start`."""
        limit = time.monotonic() + seconds
        while not re.search(pattern.encode(), self.seen[start:]):
            if time.monotonic() > limit:
                return False
            ready, _, _ = select.select([self.descriptor], [], [], 0.2)
            if ready:
                try:
                    self.seen += os.read(self.descriptor, 65536)
                except OSError:
                    return bool(re.search(pattern.encode(), self.seen[start:]))
        return True

    def end(self):
        os.close(self.descriptor)
        os.waitpid(self.process, 0)


def start(shell, completions, environment, folder):
    """A shell that has loaded the completions as an installed one does."""
    if shell == "bash":
        terminal = Terminal(["bash", "--norc", "--noprofile", "-i"], environment, folder)
        terminal.type("bind 'set enable-bracketed-paste off'; bind 'set show-all-if-ambiguous on'; bind 'set bell-style none'\n")
        terminal.type(f". '{completions}/framegrep.bash'\n")
    elif shell == "fish":
        # It wants a terminal that can more.
        terminal = Terminal(["fish", "--no-config", "-i"], {**environment, "TERM": "xterm"}, folder)
        terminal.type(f"source '{completions}/framegrep.fish'\r")
    else:
        terminal = Terminal(["zsh", "-f", "-i"], environment, folder)
        terminal.type(f"unset zle_bracketed_paste; unsetopt beep; PS1='> '; fpath=('{completions}' $fpath)\n")
        terminal.type("autoload -Uz compinit && compinit -u -D\n")
    terminal.type("echo rea''dy\r")
    if not terminal.wait("ready\r?\n"):
        sys.exit(f"{shell} does not start: {terminal.seen!r}")
    return terminal


def pressed(shell, completions, environment, folder):
    """Each case in one shell after the other line; what was not as it should be."""
    terminal = start(shell, completions, environment, folder)
    failures = []
    for number, (typed, expected, shells) in enumerate(CASES):
        if shells is not None and shell not in shells:
            continue
        begin = len(terminal.seen)
        terminal.type(typed + "\t")
        # What was typed is echoed too; what is looked for is longer than that.
        if not terminal.wait(expected, begin, seconds=30):
            failures.append(f"{typed!r}: no {expected!r} in {terminal.seen[begin:]!r}")
        # The line goes, and the next one begins when this one is gone.
        terminal.type(f"\x15\x15echo go''ne{number}\r")
        if not terminal.wait(f"gone{number}\r?\n", begin):
            failures.append(f"{typed!r}: the shell does not answer any more: {terminal.seen[begin:]!r}")
            break
    terminal.end()
    return failures


def main():
    shell, completions, programs = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        work = os.path.join(folder, "work")
        os.makedirs(os.path.join(work, "found"))
        for name in ["lobby.mp4", "loose notes.txt", "mine.launch"]:
            open(os.path.join(work, name), "w").close()
        environment = {
            "PATH": programs + ":/usr/local/bin:/usr/bin:/bin", "HOME": folder, "TERM": "dumb", "PS1": "> ",
            "LC_ALL": "C.UTF-8", "INPUTRC": "/dev/null",
        }
        failures = pressed(shell, completions, environment, work)
    for failure in failures:
        print(f"{shell}: {failure}")
    sys.exit(1 if failures else 0)


main()
