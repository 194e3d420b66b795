"""What the measuring scripts share about figures: the machine they come from, how they are written, where they are kept."""
import contextlib, datetime, io, os, platform, re, statistics, subprocess, sys

from program import ROOT


def machine():
    model = next((l.split(":", 1)[1].strip() for l in open("/proc/cpuinfo") if l.startswith("model name")), platform.machine())
    return f"{model}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * share))] if values else None


def figure(values, form="{:.0f}"):
    """Median and 95 of 100."""
    return f"{form.format(statistics.median(values))} / {form.format(percentile(values, 0.95))}" if values else "-"


def said(*command):
    """The first line that a command prints; nothing where it cannot be run."""
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return next(iter((done.stdout or done.stderr).strip().splitlines()), "")


def versions():
    """What the figures depend on besides the machine."""
    system = ""
    with contextlib.suppress(OSError):
        system = re.search(r'PRETTY_NAME="?([^"\n]*)', open("/etc/os-release").read()).group(1)
    home = os.environ.get("FRAMEGREP_HOME") or os.path.expanduser("~/.local/share/framegrep")
    networks = ""
    with contextlib.suppress(OSError):
        networks = open(os.path.join(home, "neural", "VERSION")).read().strip()
    memory = re.search(r"MemTotal:\s+(\d+)", open("/proc/meminfo").read())
    return [
        ("system", f"{system}, Linux {platform.release()}, {int(memory.group(1)) / 2**20:.0f} GiB"),
        ("compiler", said("swift", "--version")),
        ("GStreamer", said("gst-launch-1.0", "--version").removeprefix("gst-launch-1.0 version ")),
        ("Tesseract", said("pkg-config", "--modversion", "tesseract")),
        ("networks", networks or "none: Tesseract reads"),
    ]


def commit():
    """The short name of what is checked out, and whether files differ from it."""
    name = said("git", "rev-parse", "--short", "HEAD") or "unknown"
    return name, bool(said("git", "status", "--porcelain", "--untracked-files=no"))


def written(word):
    """A word of a command as it is typed, without the folders of this machine."""
    if os.path.isabs(word): word = os.path.basename(word.rstrip("/"))
    return word if re.fullmatch(r"[\w@%+=:,./-]+", word) else f"'{word}'"


@contextlib.contextmanager
def recorded(name, wanted):
    """Prints as ever and, where wanted, keeps what was printed in docs/benchmarks, with what it depends on.

    The file is written when all has been measured: a run that broke off leaves none.
    """
    if not wanted:
        yield
        return
    begun = datetime.datetime.now(datetime.timezone.utc)
    load, (revision, changed) = os.getloadavg(), commit()
    kept = io.StringIO()

    class Both(io.TextIOBase):
        def write(self, text):
            kept.write(text)
            return terminal.write(text)

        def flush(self):
            terminal.flush()

    terminal = sys.stdout
    with contextlib.redirect_stdout(Both()):
        yield
    words = [written(word) for word in sys.argv[1:] if word != "--record"]
    head = [
        ("command", " ".join(["scripts/bench", *words])),
        ("date", begun.strftime("%Y-%m-%d %H:%M UTC")),
        ("commit", revision + (", with changes that are not committed" if changed else "")),
        ("machine", machine().rsplit(", load", 1)[0]),
        ("load", f"{load[0]:.1f} before, {os.getloadavg()[0]:.1f} after"),
        *versions(),
    ]
    folder = os.path.join(ROOT, "docs", "benchmarks")
    os.makedirs(folder, exist_ok=True)
    stem = os.path.join(folder, f"{begun:%Y-%m-%d}-{name.replace(' ', '-')}-{revision}")
    path = next(p for p in (f"{stem}{end}.txt" for end in ["", *(f"-{n}" for n in range(2, 1000))]) if not os.path.exists(p))
    with open(path, "w") as file:
        for title, value in head: file.write(f"{title:<10}{value}\n")
        file.write("\n" + kept.getvalue())
    print(f"kept as {os.path.relpath(path, ROOT)}", file=sys.stderr)
