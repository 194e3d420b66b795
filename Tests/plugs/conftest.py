"""What the tests of the plugs share: the program, a clip whose words are known, an index of it."""
import os, shutil, subprocess
from types import SimpleNamespace

import pytest

FRAMEGREP = os.environ["FRAMEGREP"]


@pytest.fixture(scope="session")
def place(tmp_path_factory):
    """Two recordings in `media`, the first in the index; one outside of what is allowed."""
    folder = str(tmp_path_factory.mktemp("plugs"))
    media, outside, index = (os.path.join(folder, name) for name in ["media", "outside", "index"])
    for name in [media, outside]: os.makedirs(name)
    render = [os.environ["RENDER_CLIPS"]]
    subprocess.run(render + ["demo", "--output", media], check=True, stdout=subprocess.DEVNULL)
    demo, other, secret = (os.path.join(*parts) for parts in [(media, "demo.mp4"), (media, "other.mp4"), (outside, "secret.mp4")])
    subprocess.run(render + ["terminal", "--output", folder], check=True, stdout=subprocess.DEVNULL)
    shutil.copy(os.path.join(folder, "terminal.mp4"), other)
    shutil.copy(demo, secret)
    env = dict(os.environ, FRAMEGREP_INDEX=index, XDG_STATE_HOME=os.path.join(folder, "state"))
    subprocess.run([FRAMEGREP, "index", "-q", demo], check=True, env=env)
    return SimpleNamespace(folder=folder, media=media, demo=demo, other=other, outside=outside, secret=secret, index=index, env=env)


def children(pid):
    """The processes that one has started, and those that these have."""
    found = []
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{name}/stat") as file: fields = file.read().rsplit(")", 1)[1].split()
        except OSError: continue
        except IndexError: continue
        if name.isdigit() and int(fields[1]) == pid and fields[0] != "Z": found += [int(name)] + children(int(name))
    return found
