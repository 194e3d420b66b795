"""The plan: a unit a line, as `framegrep index plan` writes it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import List, Optional


@dataclass(frozen=True)
class Unit:
    """A stretch of one recording."""

    number: int
    input: str
    start: float
    """In seconds."""
    end: Optional[float]
    """Nil for the last one of a recording."""


def read_plan(path: Path) -> List[Unit]:
    """The units of a plan, in its order.

    Raises ValueError for a line that is none: the program would refuse it on each machine.
    """
    units: List[Unit] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
        try:
            fields = json.loads(line)
            unit = Unit(int(fields["unit"]), str(fields["input"]), float(fields["from"]), fields.get("to"))
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"Line {number + 1} of {path} is no unit; 'framegrep index plan' writes them.") from error
        if unit.number != number:
            raise ValueError(f"Line {number + 1} of {path} is unit {unit.number}; give the plan as it was written.")
        units.append(unit)
    return units
