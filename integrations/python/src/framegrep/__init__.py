"""Finds text in recordings: starts the program framegrep and hands out what it finds, as it comes.

    for sighting in framegrep.find("EXIT", "lobby.mp4"):
        print(sighting.start, sighting.end, sighting.line)

Times are seconds from the beginning of a recording; places are in pixels of its picture as it is displayed. The text in all results
was read from pictures.
"""

from ._find import AsyncLines, AsyncSearch, Lines, Search, find, find_async, read, read_async
from ._index import IndexReport, index, index_async
from ._process import Error
from ._values import Coverage, Line, Peak, Progress, Quad, Sighting, Sightings

__all__ = [
    "AsyncLines", "AsyncSearch", "Coverage", "Error", "IndexReport", "Line", "Lines", "Peak", "Progress", "Quad", "Search",
    "Sighting", "Sightings", "find", "find_async", "index", "index_async", "read", "read_async",
]
__version__ = "0.1.0"
