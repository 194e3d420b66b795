"""What the measuring scripts share about the program: where it is, how it is built, how it is called.

A script finds this folder with:  sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
What is in a folder of it, such as lib/bench, is run by a script, which has found it.
"""
import glob, os, re, shutil, subprocess, tempfile, time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# The folder with what was built; FRAMEGREP_BUILT names another one, such as .build/testing/release.
BUILT = os.path.abspath(os.environ.get("FRAMEGREP_BUILT") or os.path.join(ROOT, ".build", "release"))
FRAMEGREP = os.path.join(BUILT, "framegrep")


def build():
    """The build that people run. Nothing is built where FRAMEGREP_BUILT says what to take."""
    if not os.environ.get("FRAMEGREP_BUILT"):
        subprocess.run(["swift", "build", "-c", "release"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


def tested_program():
    """The program that FRAMEGREP names, else the tests' build, built where it is missing."""
    ask = 'source scripts/lib/common.bash; source scripts/lib/build.bash; find_program >&2; printf %s "$FRAMEGREP"'
    return subprocess.run(["bash", "-c", ask], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def page_environment():
    """The Python that has what the page is tested with, and the environment that names the programs; brings what is missing (page.bash)."""
    ask = ('for part in common build serve page; do source scripts/lib/$part.bash; done; prepare_page >&2; '
           'printf "%s\\n" "$root/$python" "$FRAMEGREP" "$RENDER_CLIPS" "$FRAMEGREP_SERVE"')
    said = subprocess.run(["bash", "-c", ask], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    python, *programs = said.splitlines()
    return python, dict(os.environ, **dict(zip(["FRAMEGREP", "RENDER_CLIPS", "FRAMEGREP_SERVE"], programs)))


def words_of_this_repository(folder):
    """A file in the folder with the words of this repository's documents and sources, of which lines are made up."""
    path = os.path.join(folder, "words")
    sources = subprocess.run(["git", "ls-files", "Sources/*.swift"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    names = sorted(glob.glob(os.path.join(ROOT, "docs/*.md"))) + [os.path.join(ROOT, name) for name in ["README.md", *sources]]
    with open(path, "wb") as file:
        for name in names:
            with open(name, "rb") as source: shutil.copyfileobj(source, file)
    return path


def split_at_dashes(words):
    """The script's own arguments, and those behind `--`, which are the program's."""
    cut = words.index("--") if "--" in words else len(words)
    return words[:cut], words[cut + 1:]


def with_patterns(patterns):
    """`-e` before each pattern."""
    return [word for pattern in patterns for word in ("-e", pattern)]


def measured(command):
    """Exit status, standard output, standard error, seconds, MiB at the most."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        begun = time.monotonic()
        child = subprocess.Popen(command, stdout=out, stderr=err, stdin=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        wall = time.monotonic() - begun
        out.seek(0), err.seek(0)
        return child.returncode, out.read().decode(), err.read().decode(), wall, usage.ru_maxrss / 1024


def memory_of(process, samples):
    """Appends the resident memory in MiB of the process of this id, four times a second, until it ends."""
    while True:
        try:
            with open(f"/proc/{process}/status") as file: found = re.search(r"VmRSS:\s+(\d+)", file.read())
        except OSError:
            return
        # What has ended and was not waited for yet has none.
        if not found: return
        samples.append(int(found.group(1)) / 1024)
        time.sleep(0.25)


def held(name, value, holds):
    """Prints a line of what must hold, and passes on whether it does."""
    print(f"  {'ok  ' if holds else 'FAIL'} {name}: {value}", flush=True)
    return holds
