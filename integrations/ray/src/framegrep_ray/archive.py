"""One Ray task for each unit, as often as it takes."""

from __future__ import annotations

import json
import os
import subprocess
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

import ray

from .plan import Unit, read_plan


@dataclass(frozen=True)
class Settings:
    """How an archive is read."""

    plan: Path
    """What `framegrep index plan` wrote; every machine sees it under this name."""
    out: Path
    """The folder of the results; every machine sees it under this name."""
    program: str = "framegrep"
    cpus: int = 1
    """Processors of a task, and threads that read: tasks of one thread side by side read more than one of many threads."""
    retries: int = 3
    """How often a unit is read again whose machine was lost, whose program was killed, or which ended with an error."""
    arguments: Tuple[str, ...] = ()
    """More options of `framegrep index run`, such as `--allow private`."""


@dataclass(frozen=True)
class Report:
    """How a unit went: a line of the manifest."""

    unit: int
    input: str
    start: float
    end: Optional[float]
    status: str
    """`done` (its result is there) or `failed`."""
    seconds: float
    """From when it was asked for, waiting included."""
    node: str
    message: str
    """What the program said, where it failed."""


@dataclass(frozen=True)
class Progress:
    done: int
    failed: int
    total: int
    seconds: float
    """Since the beginning."""

    @property
    def remaining(self) -> Optional[float]:
        """Seconds, as far as what was done tells."""
        over = self.done + self.failed
        return self.seconds / over * (self.total - over) if over else None


class UnitFailed(Exception):
    """The program did not end with 0."""


def _run(program: str, plan: str, number: int, out: str, cpus: int, arguments: Tuple[str, ...]) -> str:
    """Reads one unit on this machine; returns the machine's name."""
    command = [program, "index", "run", plan, "--unit", str(number), "--out", out, "--threads", str(cpus), "-q", *arguments]
    try:
        # The task's own output is for Ray; what it would print belongs into the manifest.
        result = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    except OSError as error:
        raise UnitFailed(f"{program} cannot be run on {os.uname().nodename}: {error.strerror}") from error
    if result.returncode != 0:
        said = result.stderr.decode(errors="replace").strip().splitlines()
        raise UnitFailed(said[-1] if said else f"the program was ended with {result.returncode}")
    return os.uname().nodename


def _ended(unit: Unit, begun: float, result: Any) -> Report:
    """What a finished task says, or why it did not finish."""
    status, node, message = "done", "", ""
    try:
        node = ray.get(result)
    except ray.exceptions.RayTaskError as error:
        cause = error.cause if isinstance(error.cause, Exception) else error
        status, message = "failed", str(cause)
    except ray.exceptions.RayError as error:
        # The machine was lost more often than it is asked again.
        status, message = "failed", f"{type(error).__name__}: {str(error).splitlines()[0]}"
    return Report(unit.number, unit.input, unit.start, unit.end, status, round(time.time() - begun, 3), node, message)


def _reports(settings: Settings, units: List[Unit]) -> Iterator[Report]:
    """Asks for all units, and tells of each as it ends. No more are asked for at once than keep the cluster busy."""
    task = ray.remote(_run).options(
        num_cpus=settings.cpus, max_retries=settings.retries, retry_exceptions=[UnitFailed]
    )
    waiting = iter(units)
    asked: Dict[Any, Tuple[Unit, float]] = {}
    # Ray gives it no types.
    resources: Callable[[], Dict[str, float]] = ray.cluster_resources

    def ask() -> bool:
        unit = next(waiting, None)
        if unit is None:
            return False
        result = task.remote(
            settings.program, str(settings.plan), unit.number, str(settings.out), settings.cpus, settings.arguments
        )
        asked[result] = (unit, time.time())
        return True

    while True:
        # The cluster may grow and shrink meanwhile.
        room = max(4, int(2 * resources().get("CPU", 1) / settings.cpus))
        while len(asked) < room and ask():
            pass
        if not asked:
            return
        ready, _ = ray.wait(list(asked), num_returns=1, timeout=10)
        for result in ready:
            unit, begun = asked.pop(result)
            yield _ended(unit, begun, result)


def read_archive(
    settings: Settings,
    progress: Optional[Callable[[Progress], None]] = None,
    manifest: Optional[Path] = None,
) -> List[Report]:
    """Has all units of a plan read, and returns when each is there or has failed. Ray is initialized before.

    The manifest gets a line for each unit as soon as it ends; without a name it is `manifest.jsonl` in the results' folder. Doing it
    again, after a crash of this program too, reads only what is missing.
    """
    units = read_plan(settings.plan)
    settings.out.mkdir(parents=True, exist_ok=True)
    reports: List[Report] = []
    begun = time.time()
    with open(manifest or settings.out / "manifest.jsonl", "w", encoding="utf-8") as file:
        for report in _reports(settings, units):
            reports.append(report)
            file.write(json.dumps(asdict(report), ensure_ascii=False) + "\n")
            file.flush()
            if progress:
                failed = sum(report.status == "failed" for report in reports)
                progress(Progress(len(reports) - failed, failed, len(units), time.time() - begun))
    return sorted(reports, key=lambda report: report.unit)
