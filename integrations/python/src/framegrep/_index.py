"""`index`: reads recordings once, to be searched at once from then on."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import List, Optional, Sequence, Tuple

from . import _process
from ._process import PathLike, Told


@dataclass(frozen=True)
class IndexReport:
    """What was done, in sentences: `2 read (15 s).`"""

    messages: Tuple[str, ...]


def _words(inputs: Sequence[PathLike], index: Optional[PathLike], skim: bool, level: Optional[str], language: Optional[str],
           jobs: Optional[int]) -> List[str]:
    words = ["index", "add"]
    if index is not None:
        words.append(f"--index={os.fspath(index)}")
    if skim:
        words.append("--skim")
    if level is not None:
        words.append(f"--level={level}")
    if language is not None:
        words.append(f"--language={language}")
    if jobs is not None:
        words += ["-j", str(jobs)]
    return words + ["--"] + [os.fspath(one) for one in inputs]


def index(
    *inputs: PathLike, index: Optional[PathLike] = None, skim: bool = False, level: Optional[str] = None,
    language: Optional[str] = None, jobs: Optional[int] = None, progress: Told = None, program: Optional[str] = None,
) -> IndexReport:
    """Reads recordings, or all in a folder, into the index (`index` names its folder); what was read already is passed over.

    Ends when all is read; an exception in `progress` or Ctrl-C ends it before, and the next call goes on where it stopped. Raises
    Error, where a recording cannot be read after the others.
    """
    lines = _process.Lines(_words(inputs, index, skim, level, language, jobs), program, progress)
    try:
        while lines.next() is not None:
            pass
        lines.finish()
        return IndexReport(tuple(lines.messages.texts))
    finally:
        lines.close()


async def index_async(
    *inputs: PathLike, index: Optional[PathLike] = None, skim: bool = False, level: Optional[str] = None,
    language: Optional[str] = None, jobs: Optional[int] = None, progress: Told = None, program: Optional[str] = None,
) -> IndexReport:
    """The same as `index` for asyncio; cancelling the task ends it."""
    lines = _process.AsyncLines(_words(inputs, index, skim, level, language, jobs), program, progress)
    try:
        while await lines.next() is not None:
            pass
        await lines.finish()
        return IndexReport(tuple(lines.messages.texts))
    finally:
        await lines.close()
