"""The module with the program itself: $FRAMEGREP is the program, $FRAMEGREP_TEST_CLIP the demo clip (scripts/check python sets them)."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import List

import pytest

import framegrep

CLIP = os.environ["FRAMEGREP_TEST_CLIP"]


def running() -> List[int]:
    """The programs that this process has started and that have not ended."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                fields = Path(f"/proc/{name}/stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if int(fields[1]) == os.getpid() and fields[0] != "Z":
                found.append(int(name))
    return found


def none_runs() -> bool:
    for _ in range(100):
        if not running():
            return True
        time.sleep(0.1)
    return False


def test_sightings_come_as_values() -> None:
    told: List[framegrep.Progress] = []
    found = list(framegrep.find("EXIT", CLIP, use_index=False, progress=told.append))
    assert [one.text for one in found] == ["EXIT"]
    one = found[0]
    assert one.source == CLIP and abs(one.start - 4.3) < 0.1 and one.end == 8 and one.score > 0.9
    assert one.start <= one.peak.t < one.end and len(one.peak.quad) == 4
    assert told and all(progress.duration == 8 for progress in told) and none_runs()


def test_options_reach_the_program(tmp_path: Path) -> None:
    assert [one.text for one in framegrep.find(["EXIT", "LED (RED|GREEN)"], CLIP, regex=True, use_index=False, end=1)] == [
        "LED RED", "LED GREEN"]
    assert len(framegrep.find("LED", CLIP, use_index=False, max_count=1).all()) == 1
    assert framegrep.find("exit", CLIP, case_sensitive=True, use_index=False).all() == []
    odd = tmp_path / "-e odd ; name.mp4"
    odd.symlink_to(CLIP)
    assert [one.source for one in framegrep.find("EXIT", odd, use_index=False)] == [str(odd)]
    assert framegrep.find("--help", CLIP, use_index=False, end=0.5).all() == []


def test_all_text() -> None:
    lines = list(framegrep.read(CLIP, end=1))
    assert {"LED RED", "LED GREEN"} <= {line.text for line in lines} and all(line.start < 1 for line in lines)


def test_the_index(tmp_path: Path) -> None:
    index = tmp_path / "index"
    assert "1 read" in framegrep.index(CLIP, index=index).messages[-1]
    search = framegrep.find("EXIT", index=index)
    assert [one.source for one in search] == [os.path.realpath(CLIP)]
    assert search.coverage is not None and search.coverage.sources == 1 and search.coverage.missing == ()


@pytest.mark.parametrize("pattern, clip, code", [
    ("(", CLIP, "bad-pattern"), ("EXIT", "/nowhere.mp4", "source-unavailable"), ("EXIT", __file__, "source-not-video"), ("", CLIP, "bad-pattern")])
def test_errors_have_codes(pattern: str, clip: str, code: str) -> None:
    with pytest.raises(framegrep.Error) as raised:
        list(framegrep.find(pattern, clip, regex=True, use_index=False))
    assert raised.value.code == code and raised.value.status == 2 and raised.value.message.endswith(".")


def test_what_can_be_read_comes_before_the_error() -> None:
    search = framegrep.find("EXIT", "/nowhere.mp4", CLIP, use_index=False)
    assert next(search).text == "EXIT"
    with pytest.raises(framegrep.Error) as raised:
        next(search)
    assert raised.value.code == "source-unavailable" and len(raised.value.errors) == 1
    with pytest.raises(framegrep.Error) as raised:
        list(framegrep.find("EXIT", CLIP, level="best"))
    assert raised.value.code == "bad-argument"
    with pytest.raises(framegrep.Error) as raised:
        list(framegrep.find("EXIT", CLIP, program="/nowhere/framegrep"))
    assert raised.value.code == "not-installed"
    with pytest.raises(framegrep.Error) as raised:
        framegrep.index("/nowhere.mp4")
    assert raised.value.code == "source-unavailable"


def test_with_and_exceptions_end_the_program() -> None:
    with framegrep.find("EXIT", CLIP, use_index=False) as search:
        assert running()
    assert none_runs() and list(search) == []

    def stop(_: framegrep.Progress) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        list(framegrep.find("zqxzq", CLIP, use_index=False, progress=stop))
    assert none_runs()
    forgotten = framegrep.find("zqxzq", CLIP, use_index=False)
    assert running()
    del forgotten
    gc.collect()
    assert none_runs()


def test_asyncio() -> None:
    async def body() -> None:
        assert [one.text async for one in framegrep.find_async("EXIT", CLIP, use_index=False)] == ["EXIT"]
        assert [line.text async for line in framegrep.read_async(CLIP, end=0.2)]
        with pytest.raises(framegrep.Error) as raised:
            async for _ in framegrep.find_async("EXIT", "/nowhere.mp4", use_index=False):
                pass
        assert raised.value.code == "source-unavailable"
        two = await asyncio.gather(*(anext_of(word) for word in ["EXIT", "DIODES"]))
        assert two == ["EXIT", "DIODES"]
        # Both were left after their first sighting.
        while running():
            await asyncio.sleep(0.05)
        # A task that is cancelled takes its program along.
        task = asyncio.ensure_future(anext_of("zqxzq"))
        while not running():
            await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not running()
        async with framegrep.find_async("zqxzq", CLIP, use_index=False) as search:
            task2 = asyncio.ensure_future(anext_in(search))
            await asyncio.sleep(0.5)
            assert running()
            task2.cancel()
        assert not running()

    async def anext_of(word: str) -> str:
        return (await framegrep.find_async(word, CLIP, use_index=False).__anext__()).text

    async def anext_in(search: object) -> None:
        assert isinstance(search, framegrep.AsyncSearch)
        await search.__anext__()

    asyncio.run(body())


def test_ctrl_c_ends_the_program() -> None:
    code = f"import framegrep\nprint('begun', flush=True)\nfor s in framegrep.find('zqxzq', {CLIP!r}, use_index=False, every_frame=False): pass\n"
    code = code.replace(", every_frame=False", "")
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert child.stdout is not None
    child.stdout.readline()
    time.sleep(0.7)
    child.send_signal(signal.SIGINT)
    assert b"KeyboardInterrupt" in child.communicate(timeout=30)[1]
    with os.popen("ps -eo args") as listed:
        assert "zqxzq" not in listed.read().replace(code, "")


def test_a_killed_process_leaves_nothing() -> None:
    word = f"zq{os.getpid()}xq"
    code = f"import framegrep\nprint('begun', flush=True)\nfor s in framegrep.find('{word}', *[{CLIP!r}] * 40, use_index=False): pass\n"
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert child.stdout is not None
    child.stdout.readline()
    time.sleep(1.5)
    child.kill()
    child.wait()
    for _ in range(100):
        with os.popen("ps -eo args") as listed:
            if f"-e {word}" not in listed.read():
                return
        time.sleep(0.1)
    pytest.fail("the program goes on")


def test_a_notebook_shows_a_table_with_pictures() -> None:
    search = framegrep.find(["EXIT", "<b>"], CLIP, use_index=False)
    shown = search._repr_html_()
    assert shown.startswith("<table>") and "data:image/png;base64," in shown and "00:00:04.300" in shown
    assert search._repr_html_() == shown
    sighting = framegrep.find("EXIT", CLIP, use_index=False).all()[0]
    assert sighting.picture(320).startswith(b"\x89PNG")
    hostile = framegrep.Sightings([framegrep.Sighting(1, "p", "t", "<script>alert(1)</script>", "<i>.mp4", 0, 1, 1, sighting.peak)])
    assert "<script>" not in hostile._repr_html_() and "<i>" not in hostile._repr_html_()
