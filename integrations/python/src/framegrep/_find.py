"""`find` and `read`, for loops and for asyncio."""

from __future__ import annotations

import os
from typing import AsyncIterator, Generic, Iterator, List, Optional, Sequence, Type, TypeVar, Union

from . import _process
from ._process import PathLike, Told
from ._values import Coverage, Line, Sighting, Sightings

Value = TypeVar("Value", Sighting, Line)
Patterns = Union[str, Sequence[str]]


class _Results(Iterator[Value], Generic[Value]):
    """What is found, as it comes; an iterator. `with` ends the program; so does an exception in a loop, and forgetting it."""

    _type = "sighting"
    _value: Type[Value]

    def __init__(self, words: Sequence[str], program: Optional[str], told: Told) -> None:
        self._lines = _process.Lines(words, program, told)
        self._is_over = False
        self.coverage: Optional[Coverage] = None
        """Of a search of everything in the index, after its end: what was searched."""

    def __iter__(self) -> Iterator[Value]:
        return self

    def __next__(self) -> Value:
        while not self._is_over:
            value = self._lines.next()
            if value is None:
                self._is_over = True
                self._lines.finish()
            elif value.get("type") == self._type:
                return self._value.from_json(value)
            elif value.get("type") == "coverage":
                self.coverage = Coverage.from_json(value)
        raise StopIteration

    def close(self) -> None:
        """Ends the program."""
        self._is_over = True
        self._lines.close()

    def __enter__(self) -> "_Results[Value]":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def messages(self) -> List[str]:
        """What the program has said to a person so far."""
        return list(self._lines.messages.texts)


class Search(_Results[Sighting]):
    """The sightings of a search."""

    _value = Sighting
    _shown: Optional[Sightings] = None

    def all(self) -> Sightings:
        """All that are left, as a list that a notebook shows as a table."""
        return Sightings(self)

    def _repr_html_(self) -> str:
        # A notebook shows a cell more than once.
        if self._shown is None:
            self._shown = self.all()
        return self._shown._repr_html_()


class Lines(_Results[Line]):
    """The lines of a recording."""

    _type = "text"
    _value = Line


class _AsyncResults(AsyncIterator[Value], Generic[Value]):
    """What is found, as it comes, for `async for`. `async with` ends the program; so does cancelling the task."""

    _type = "sighting"
    _value: Type[Value]

    def __init__(self, words: Sequence[str], program: Optional[str], told: Told) -> None:
        self._lines = _process.AsyncLines(words, program, told)
        self.coverage: Optional[Coverage] = None

    def __aiter__(self) -> AsyncIterator[Value]:
        return self

    async def __anext__(self) -> Value:
        while True:
            value = await self._lines.next()
            if value is None:
                await self._lines.finish()
                raise StopAsyncIteration
            if value.get("type") == self._type:
                return self._value.from_json(value)
            if value.get("type") == "coverage":
                self.coverage = Coverage.from_json(value)

    async def close(self) -> None:
        """Ends the program."""
        await self._lines.close()

    async def __aenter__(self) -> "_AsyncResults[Value]":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


class AsyncSearch(_AsyncResults[Sighting]):
    """The sightings of a search."""

    _value = Sighting


class AsyncLines(_AsyncResults[Line]):
    """The lines of a recording."""

    _type = "text"
    _value = Line


def _option(words: List[str], name: str, value: Union[None, str, float, PathLike]) -> None:
    # As one word: a value may begin with a dash.
    if value is not None:
        words.append(f"{name}={os.fspath(value) if not isinstance(value, (int, float)) else value}")


def _reading(start: Optional[float], end: Optional[float], engine: Optional[str], level: Optional[str], language: Optional[str],
             region: Optional[str]) -> List[str]:
    words: List[str] = ["--format", "jsonl"]
    for name, value in [("--from", start), ("--to", end), ("--engine", engine), ("--level", level), ("--language", language),
                        ("--region", region)]:
        _option(words, name, value)
    return words


def _search(
    patterns: Patterns, inputs: Sequence[PathLike], regex: bool, exact: bool, whole_words: bool, case_sensitive: bool, together: bool,
    start: Optional[float], end: Optional[float], since: Optional[str], until: Optional[str], min_score: Optional[float],
    max_count: Optional[int], engine: Optional[str], level: Optional[str], language: Optional[str], region: Optional[str],
    index: Optional[PathLike], use_index: bool, remember: bool, skim: bool, recursive: bool, jobs: Optional[int],
) -> List[str]:
    words = ["find"] + _reading(start, end, engine, level, language, region)
    flags = [("-E", regex), ("--exact", exact), ("-w", whole_words), ("-s", case_sensitive), ("--all", together),
             ("--no-index", not use_index), ("--remember", remember), ("--skim", skim), ("-r", recursive)]
    words += [name for name, is_set in flags if is_set]
    for name, value in [("--since", since), ("--until", until), ("--min-score", min_score), ("--index", index)]:
        _option(words, name, value)
    if max_count is not None:
        words += ["-m", str(max_count)]
    if jobs is not None:
        words += ["-j", str(jobs)]
    for pattern in [patterns] if isinstance(patterns, str) else patterns:
        words += ["-e", pattern]
    return words + ["--"] + [os.fspath(one) for one in inputs]


def find(
    patterns: Patterns, *inputs: PathLike, regex: bool = False, exact: bool = False, whole_words: bool = False,
    case_sensitive: bool = False, together: bool = False, start: Optional[float] = None, end: Optional[float] = None,
    since: Optional[str] = None, until: Optional[str] = None, min_score: Optional[float] = None, max_count: Optional[int] = None,
    engine: Optional[str] = None, level: Optional[str] = None, language: Optional[str] = None, region: Optional[str] = None,
    index: Optional[PathLike] = None, use_index: bool = True, remember: bool = False, skim: bool = False, recursive: bool = False,
    jobs: Optional[int] = None, progress: Told = None, program: Optional[str] = None,
) -> Search:
    """Searches recordings and stills, or without inputs everything in the index; hands out sightings as they are over.

    The options are those of `framegrep find` (its --help has them): `start` and `end` are its --from and --to, in seconds; `together`
    its --all. `progress` is called on a thread of its own. Raises Error, where a recording cannot be read after the sightings of the
    others.
    """
    words = _search(
        patterns, inputs, regex, exact, whole_words, case_sensitive, together, start, end, since, until, min_score, max_count, engine,
        level, language, region, index, use_index, remember, skim, recursive, jobs)
    return Search(words, program, progress)


def find_async(
    patterns: Patterns, *inputs: PathLike, regex: bool = False, exact: bool = False, whole_words: bool = False,
    case_sensitive: bool = False, together: bool = False, start: Optional[float] = None, end: Optional[float] = None,
    since: Optional[str] = None, until: Optional[str] = None, min_score: Optional[float] = None, max_count: Optional[int] = None,
    engine: Optional[str] = None, level: Optional[str] = None, language: Optional[str] = None, region: Optional[str] = None,
    index: Optional[PathLike] = None, use_index: bool = True, remember: bool = False, skim: bool = False, recursive: bool = False,
    jobs: Optional[int] = None, progress: Told = None, program: Optional[str] = None,
) -> AsyncSearch:
    """The same as `find` for `async for`; `progress` is called in the event loop."""
    words = _search(
        patterns, inputs, regex, exact, whole_words, case_sensitive, together, start, end, since, until, min_score, max_count, engine,
        level, language, region, index, use_index, remember, skim, recursive, jobs)
    return AsyncSearch(words, program, progress)


def read(
    *inputs: PathLike, start: Optional[float] = None, end: Optional[float] = None, engine: Optional[str] = None,
    level: Optional[str] = None, language: Optional[str] = None, region: Optional[str] = None, progress: Told = None,
    program: Optional[str] = None,
) -> Lines:
    """Reads all text in recordings: each line once, as it stood at its best. Raises Error."""
    words = ["find", "--all-text"] + _reading(start, end, engine, level, language, region)
    return Lines(words + ["--"] + [os.fspath(one) for one in inputs], program, progress)


def read_async(
    *inputs: PathLike, start: Optional[float] = None, end: Optional[float] = None, engine: Optional[str] = None,
    level: Optional[str] = None, language: Optional[str] = None, region: Optional[str] = None, progress: Told = None,
    program: Optional[str] = None,
) -> AsyncLines:
    """The same as `read` for `async for`."""
    words = ["find", "--all-text"] + _reading(start, end, engine, level, language, region)
    return AsyncLines(words + ["--"] + [os.fspath(one) for one in inputs], program, progress)
