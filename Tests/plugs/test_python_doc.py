"""The examples of docs/PYTHON.md, run one after the other in one folder, as they stand there."""
import os, re, shutil, subprocess, sys

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
with open(os.path.join(ROOT, "docs", "PYTHON.md")) as file:
    EXAMPLES = re.findall(r"```python\n(.*?)```\n+(?:```text\n(.*?)```)?", file.read(), re.S)


def test_there_are_five():
    assert len(EXAMPLES) >= 5 and sum(1 for _, said in EXAMPLES if said) >= 4


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("doc")
    os.makedirs(folder / "recordings")
    shutil.copy(os.environ["FRAMEGREP_TEST_CLIP"], folder / "lobby.mp4")
    shutil.copy(os.environ["FRAMEGREP_TEST_CLIP"], folder / "recordings" / "monday.mp4")
    return folder


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_example(folder, number):
    code, said = EXAMPLES[number]
    ran = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True,
                         env=dict(os.environ, FRAMEGREP_INDEX=str(folder / "index"), PATH=os.path.dirname(os.environ["FRAMEGREP"]) + ":" + os.environ["PATH"]))
    assert ran.returncode == 0, ran.stderr
    if said: assert ran.stdout == said
