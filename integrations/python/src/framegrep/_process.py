"""The program: started, read line by line, and ended whatever happens."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import subprocess
import threading
import weakref
from typing import IO, Any, Callable, Dict, List, Optional, Sequence, Union

from ._values import Progress

PathLike = Union[str, "os.PathLike[str]"]
Object = Dict[str, Any]
Told = Optional[Callable[[Progress], None]]

# The longest line of standard output, in bytes.
LONGEST = 16 << 20
PATIENCE = 5.0


class Error(Exception):
    """Why nothing could be found or read.

    `code` is for programs and never changes: `source-unavailable`, `source-not-video`, `source-damaged`, `bad-pattern`,
    `bad-argument`, `engine-unavailable`, `index-damaged` and others (docs/PYTHON.md); `not-installed` where there is no program.
    """

    def __init__(self, code: str, message: str, status: Optional[int] = None, errors: Sequence[Error] = ()) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.status = status
        """How the program ended: 2 for an error, 130 after SIGINT; negative for a signal that killed it."""
        self.errors = tuple(errors)
        """One for each recording that could not be read, where there are several."""


def program_path(program: Optional[str]) -> str:
    """The program: what is named, else $FRAMEGREP, else `framegrep` on the PATH."""
    name = program or os.environ.get("FRAMEGREP") or "framegrep"
    found = shutil.which(name)
    if found is None:
        raise Error("not-installed", f"There is no program {name}: install framegrep, or name it with program= or $FRAMEGREP.")
    return found


def environment() -> Dict[str, str]:
    # Progress and errors come as JSON lines then, and the program ends when they are no longer read.
    return {**os.environ, "FRAMEGREP_MESSAGES": "jsonl"}


class Messages:
    """What comes on standard error."""

    def __init__(self, told: Told) -> None:
        self.told = told
        self.errors: List[Error] = []
        self.texts: List[str] = []
        self.failure: Optional[BaseException] = None
        self.stop: Callable[[], None] = lambda: None

    def take(self, line: bytes) -> None:
        text = line.decode("utf-8", "replace").rstrip("\n")
        value: Object = {}
        if text.startswith("{"):
            try:
                value = json.loads(text)
            except ValueError:
                pass
        if value.get("type") == "progress":
            duration = value.get("duration")
            self._tell(Progress(str(value["source"]), float(value["t"]), None if duration is None else float(duration)))
        elif value.get("type") == "error":
            self.errors.append(Error(str(value["code"]), str(value["message"])))
        elif text:
            self.texts.append(text[11:] if text.startswith("framegrep: ") else text)
            del self.texts[:-100]

    def _tell(self, progress: Progress) -> None:
        if self.told is None:
            return
        try:
            self.told(progress)
        except BaseException as failure:  # What the caller's function raises is raised where the caller waits.
            self.failure, self.told = failure, None
            self.stop()

    def error(self, status: int) -> Optional[BaseException]:
        """What the end of the program means."""
        if self.failure is not None:
            return self.failure
        if status in (0, 1) and not self.errors:
            return None
        if self.errors:
            first = self.errors[0]
            message = " ".join(error.message for error in self.errors)
            return Error(first.code, message, status, self.errors)
        code = "bad-argument" if status == 2 else "interrupted" if status in (130, 143) else "crashed"
        return Error(code, " ".join(self.texts) or f"framegrep ended with {status}.", status)


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Ends it in good order, or at once where that takes too long. It may have ended already."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
    process.wait()
    for stream in (process.stdout, process.stderr):
        if stream is not None and not stream.closed:
            stream.close()


class Lines:
    """The JSON lines of one run, as they come. Ends the program when it is closed or forgotten."""

    def __init__(self, words: Sequence[str], program: Optional[str], told: Told) -> None:
        self.messages = Messages(told)
        # A session of its own: Ctrl-C reaches it through us.
        self.process = subprocess.Popen(
            [program_path(program), *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=environment(), start_new_session=True,
        )
        self.messages.stop = self.process.terminate
        self.reader = threading.Thread(target=_drain, args=(self.process.stderr, self.messages), daemon=True)
        self.reader.start()
        self.close = weakref.finalize(self, _end, self.process)

    def next(self) -> Optional[Object]:
        """The next one; None at the end. Raises Error where it ended in one."""
        out = self.process.stdout
        assert out is not None
        try:
            while not out.closed:
                line = out.readline(LONGEST)
                if not line:
                    break
                if line.strip():
                    value: Object = json.loads(line)
                    return value
        except BaseException:
            self.close()
            raise
        return None

    def finish(self) -> None:
        """After the last one: raises Error where it ended in one."""
        status = self.process.wait()
        self.reader.join(PATIENCE)
        self.close()
        error = self.messages.error(status)
        if error is not None:
            raise error


def _drain(stream: Optional[IO[bytes]], messages: Messages) -> None:
    try:
        for line in stream or ():
            messages.take(line)
    except ValueError:
        # Closed while it was read.
        pass


class AsyncLines:
    """The same for asyncio."""

    def __init__(self, words: Sequence[str], program: Optional[str], told: Told) -> None:
        self.words = list(words)
        self.program = program
        self.messages = Messages(told)
        self.process: Optional[asyncio.subprocess.Process] = None
        self.reader: Optional["asyncio.Task[None]"] = None
        self.is_over = False

    async def start(self) -> asyncio.subprocess.Process:
        if self.process is None:
            starting = asyncio.ensure_future(asyncio.create_subprocess_exec(
                program_path(self.program), *self.words, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE, env=environment(), start_new_session=True, limit=LONGEST,
            ))
            try:
                self.process = await asyncio.shield(starting)
            except asyncio.CancelledError:
                # It runs already, or will in a moment: whatever cancels also ends it.
                self.process = await starting
                raise
            self.messages.stop = self.process.terminate
            self.reader = asyncio.ensure_future(self._drain(self.process.stderr))
        return self.process

    async def _drain(self, stream: Optional[asyncio.StreamReader]) -> None:
        while stream is not None:
            line = await stream.readline()
            if not line:
                return
            self.messages.take(line)

    async def next(self) -> Optional[Object]:
        """The next one; None at the end."""
        if self.is_over:
            return None
        try:
            out = (await self.start()).stdout
            while out is not None:
                line = await out.readline()
                if not line:
                    break
                if line.strip():
                    value: Object = json.loads(line)
                    return value
        except BaseException:
            # Cancelled, for one: it must not go on without us.
            self.kill()
            await asyncio.shield(self.close())
            raise
        return None

    async def finish(self) -> None:
        """After the last one: raises Error where it ended in one."""
        if self.is_over or self.process is None:
            return
        status = await self.process.wait()
        if self.reader is not None:
            await self.reader
        self.is_over = True
        error = self.messages.error(status)
        if error is not None:
            raise error

    def kill(self) -> None:
        if self.process is not None and self.process.returncode is None:
            try:
                self.process.terminate()
            except ProcessLookupError:
                pass

    async def close(self) -> None:
        """Ends the program, if it still runs."""
        self.is_over = True
        if self.process is None:
            return
        self.kill()
        try:
            await asyncio.wait_for(self.process.wait(), PATIENCE)
        except asyncio.TimeoutError:
            self.process.kill()
            await self.process.wait()
        if self.reader is not None:
            self.reader.cancel()

    def __del__(self) -> None:
        # Forgotten in the middle.
        process = self.process
        if process is not None and process.returncode is None:
            try:
                os.kill(process.pid, signal.SIGTERM)
            except OSError:
                pass
