"""What a disk may hold after the power failed: the calls that a program made are recorded (strace), and played again up to some moment,
without some of what was not synced by then.

Synced is what POSIX says: a file's contents by fsync of the file, its name by fsync of its folder. Of all else any part may be there: each
write by itself, and of new, renamed and deleted names either the first ones, as on disks with a journal, or any.
"""
import os, re, shutil, subprocess

CALLS = "openat,write,pwrite64,ftruncate,fsync,fdatasync,rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat,close,dup,dup2,dup3,fcntl"
LINE = re.compile(r"^(\d+) +(\w+)\((.*)\) += (-?\d+)")
QUOTED = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')


def recorded(command, log, **options):
    """Runs a command; returns what it said and its calls, each as (name, arguments, result)."""
    done = subprocess.run(["strace", "-f", "-qq", "-xx", "-s", str(1 << 26), "-e", f"trace={CALLS}", "-e", "signal=none", "-o", log, *command],
                          capture_output=True, text=True, stdin=subprocess.DEVNULL, **options)
    return done, calls(log)


def calls(log):
    begun, found = {}, []
    with open(log) as lines:
        for line in lines:
            process, _, rest = line.partition(" ")
            rest = rest.strip()
            if rest.endswith("<unfinished ...>"):
                begun[process] = rest[:-len("<unfinished ...>")].rstrip()
                continue
            if resumed := re.match(r"<\.\.\. \w+ resumed>(.*)", rest): rest = begun.pop(process, "") + resumed.group(1).lstrip()
            match = LINE.match(f"{process} {rest}")
            if match and int(match.group(4)) >= 0: found.append((match.group(2), match.group(3), int(match.group(4))))
    os.unlink(log)
    return found


def text(quoted): return bytes.fromhex(quoted.replace("\\x", ""))


class File:
    """A file's contents: those that are safe, and what was written since."""

    def __init__(self, data=b""):
        self.safe, self.changes = data, []

    def sync(self):
        self.safe, self.changes = self.with_changes(lambda _: True), []

    def with_changes(self, is_there):
        data = bytearray(self.safe)
        for change in self.changes:
            if not is_there(change): continue
            offset, piece = change
            if piece is None:
                data = data[:offset].ljust(offset, b"\0")
            else:
                if len(data) < offset: data = data.ljust(offset, b"\0")
                data[offset:offset + len(piece)] = piece
        return bytes(data)

    def length(self):
        length = len(self.safe)
        for offset, piece in self.changes: length = offset if piece is None else max(length, offset + len(piece))
        return length


class Disk:
    """A folder on a disk that keeps only what it must."""

    def __init__(self, folder, name):
        """Holds what a folder holds, all of it safe; the calls have this name for it."""
        self.root = os.fsencode(name)
        self.names, self.folders = {}, set()
        for path, _, files in os.walk(os.fsencode(folder)):
            place = self.root + path[len(os.fsencode(folder)):]
            self.folders.add(place)
            for file in files:
                with open(os.path.join(path, file), "rb") as data: self.names[os.path.join(place, file)] = File(data.read())
        self.safe_names = dict(self.names)
        # Changes of names that are not safe yet: the folder that must be synced for it, the name, the file that has it now or None, and the
        # name that the file had before.
        self.changes = []
        self.open = {}

    def is_inside(self, path): return path == self.root or path.startswith(self.root + b"/")

    def change(self, path, *entry):
        self.changes.append((os.path.dirname(path), path, *entry))

    def play(self, name, arguments, result):
        strings = [text(found) for found in QUOTED.findall(arguments)]
        number = lambda: int(re.match(r"\d+", arguments).group())
        if name == "openat" and strings:
            path = os.path.normpath(strings[0])
            if not self.is_inside(path): return self.open.pop(result, None)
            if path in self.folders: self.open[result] = [path, None, 0]
            else:
                if path not in self.names:
                    self.names[path] = File()
                    self.change(path, self.names[path])
                file = self.names[path]
                if "O_TRUNC" in arguments: file.changes.append((0, None))
                self.open[result] = [path, file, file.length() if "O_APPEND" in arguments else 0]
        elif name == "close": self.open.pop(number(), None)
        elif name in ("dup", "dup2", "dup3") or name == "fcntl" and "F_DUPFD" in arguments:
            if number() in self.open: self.open[result] = self.open[number()]
            else: self.open.pop(result, None)
        elif name in ("write", "pwrite64", "ftruncate", "fsync", "fdatasync") and number() in self.open:
            self.play_on_file(name, self.open[number()], arguments, strings, result)
        elif name in ("mkdir", "mkdirat") and self.is_inside(path := os.path.normpath(strings[0])):
            # A folder's name is safe at once: what is lost with a folder is lost with the files in it.
            self.folders.add(path)
        elif name in ("unlink", "unlinkat") and self.names.pop(path := os.path.normpath(strings[0]), None):
            self.change(path, None)
        elif name.startswith("rename"):
            old, new = map(os.path.normpath, strings[-2:])
            if file := self.names.pop(old, None):
                self.names[new] = file
                self.change(new, file, old)

    def play_on_file(self, name, place, arguments, strings, result):
        path, file, offset = place
        if name in ("fsync", "fdatasync"):
            if file: return file.sync()
            for change in [change for change in self.changes if change[0] == path]:
                self.keep(change)
                self.changes.remove(change)
        elif name == "ftruncate": file.changes.append((int(arguments.split(",")[-1]), None))
        elif name == "pwrite64": file.changes.append((int(arguments.split(",")[-1]), strings[0][:result]))
        else:
            file.changes.append((offset, strings[0][:result]))
            place[2] += result

    def keep(self, change, names=None):
        _, path, file, *old = change
        names = self.safe_names if names is None else names
        for name in old: names.pop(name, None)
        if file is None: names.pop(path, None)
        else: names[path] = file

    def after_failure(self, chance, folder):
        """Writes what may be left into a folder."""
        names, share = dict(self.safe_names), chance.choice([0, 0.5, 0.5, 1])
        some = self.changes[:chance.randint(0, len(self.changes))] if chance.random() < 0.5 else [c for c in self.changes if chance.random() < 0.5]
        for change in some: self.keep(change, names)
        shutil.rmtree(folder, ignore_errors=True)
        for path in sorted(self.folders): os.makedirs(os.fsencode(folder) + path[len(self.root):], mode=0o700, exist_ok=True)
        for path, file in names.items():
            with open(os.fsencode(folder) + path[len(self.root):], "wb") as written:
                written.write(file.with_changes(lambda _: chance.random() < share))
