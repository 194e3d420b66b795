"""What the program says, as values."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import Any, List, Mapping, Optional, Tuple

Quad = Tuple[Tuple[float, float], Tuple[float, float], Tuple[float, float], Tuple[float, float]]
"""Four corners (x, y) in pixels, clockwise from the text's own top left."""


def quad(value: Any) -> Quad:
    """The corners that JSON has as a list of lists."""
    a, b, c, d = ((float(x), float(y)) for x, y in value)
    return (a, b, c, d)


@dataclass(frozen=True)
class Peak:
    """The frame in which a text was read best: its time in seconds, and where the text stands in it."""

    t: float
    quad: Quad


@dataclass(frozen=True)
class Line:
    """A line of text that was on screen."""

    source: str
    """The recording, as it was named."""
    start: float
    """When it came, in seconds."""
    end: float
    """When it went: where the last frame that shows it ends."""
    text: str
    score: float
    """How sure it is, 0 to 1."""
    peak: Peak

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Line:
        peak = Peak(float(value["peak"]["t"]), quad(value["peak"]["quad"]))
        return cls(str(value["source"]), float(value["start"]), float(value["end"]), str(value["text"]), float(value["score"]), peak)


@dataclass(frozen=True)
class Sighting:
    """A text that was searched for and found."""

    id: int
    """Counts the sightings of a recording from 1."""
    pattern: str
    text: str
    """The words that matched, as they were read."""
    line: str
    """The line that they stand in."""
    source: str
    """The recording, as it was named."""
    start: float
    """When it came, in seconds."""
    end: float
    """When it went: where the last frame that shows it ends."""
    score: float
    """How sure it is, 0 to 1."""
    peak: Peak
    slack: Optional[float] = None
    """Of a skim: it may have come, and gone, by so many seconds earlier."""
    wall_start: Optional[str] = None
    """What the clock said when it came (RFC 3339, UTC), where that is known."""

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Sighting:
        peak = Peak(float(value["peak"]["t"]), quad(value["peak"]["quad"]))
        slack = value.get("slack")
        return cls(
            int(value["id"]), str(value["pattern"]), str(value["text"]), str(value["line"]), str(value["source"]), float(value["start"]),
            float(value["end"]), float(value["score"]), peak, None if slack is None else float(slack), value.get("wall_start"),
        )

    def picture(self, width: int = 640, program: Optional[str] = None) -> bytes:
        """The frame in which it was read best with a box around it, as the bytes of a PNG file no wider than so many pixels."""
        from ._pictures import pictures

        return pictures([self], width, program)[0]

    def _repr_html_(self) -> str:
        return Sightings([self])._repr_html_()


@dataclass(frozen=True)
class Progress:
    """How far a recording is read, in seconds; duration is None if unknown."""

    source: str
    t: float
    duration: Optional[float]


@dataclass(frozen=True)
class Coverage:
    """What a search of the index has searched."""

    sources: int
    seconds: float
    missing: Tuple[Tuple[str, str], ...]
    """Recordings that are not in the index as they are now, each with the reason."""

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Coverage:
        missing = tuple((str(one["source"]), str(one["reason"])) for one in value.get("missing", []))
        return cls(int(value["sources"]), float(value["seconds"]), missing)


def clock(seconds: float) -> str:
    """A time as the program prints it: 00:00:12.367."""
    whole = round(seconds * 1000)
    return f"{whole // 3_600_000:02}:{whole // 60_000 % 60:02}:{whole // 1000 % 60:02}.{whole % 1000:03}"


class Sightings(List[Sighting]):
    """A list of sightings that a notebook shows as a table, the first of them with a picture."""

    most_rows = 100
    most_pictures = 12

    def _repr_html_(self) -> str:
        from ._pictures import thumbnails

        shown = list(self[: self.most_rows])
        images = thumbnails(shown[: self.most_pictures])
        rows = []
        for number, one in enumerate(shown):
            image = images[number] if number < len(images) else ""
            cells = [image, html.escape(one.source), clock(one.start), clock(one.end), html.escape(one.line), f"{one.score:.2f}"]
            rows.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
        head = "".join(f"<th>{name}</th>" for name in ["", "recording", "from", "to", "line", "score"])
        more = f"<p>and {len(self) - len(shown)} more</p>" if len(self) > len(shown) else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>{more}"
