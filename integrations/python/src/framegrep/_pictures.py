"""Pictures of sightings, made by `framegrep mcp`, which decodes in processes of its own."""

from __future__ import annotations

import base64
import html
import json
import os
import subprocess
from typing import Any, Dict, List, Optional, Sequence, Union

from ._process import Error, program_path
from ._values import Sighting


def _asked(sightings: Sequence[Sighting], width: int, program: Optional[str]) -> List[Union[bytes, Error]]:
    """For each of them a PNG, or why there is none."""
    requests: List[Dict[str, Any]] = [
        {"id": 0, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {},
                                                     "clientInfo": {"name": "framegrep.py", "version": "0.1.0"}}}
    ]
    allowed: List[str] = []
    for number, one in enumerate(sightings):
        path = os.path.realpath(one.source)
        if path not in allowed and os.path.exists(path):
            allowed.append(path)
        arguments = {"recording": path, "time": max(0.0, one.peak.t), "width": width, "places": [one.peak.quad]}
        requests.append({"id": number + 1, "method": "tools/call", "params": {"name": "frame", "arguments": arguments}})
    text = "".join(json.dumps({"jsonrpc": "2.0", **request}) + "\n" for request in requests)
    words = [program_path(program), "mcp"] + [f"--allow={path}" for path in allowed]
    ran = subprocess.run(words, input=text.encode(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    answers: Dict[int, Dict[str, Any]] = {}
    for line in ran.stdout.splitlines():
        value = json.loads(line)
        if isinstance(value.get("id"), int):
            answers[value["id"]] = value
    return [_picture(answers.get(number + 1, {})) for number in range(len(sightings))]


def _picture(answer: Dict[str, Any]) -> Union[bytes, Error]:
    result = answer.get("result", {})
    for content in result.get("content", []):
        if content.get("type") == "image":
            return base64.b64decode(content["data"])
    error = result.get("structuredContent", {}).get("error", answer.get("error", {}))
    return Error(str(error.get("code", "source-unavailable")), str(error.get("message", "There is no picture of it.")))


def pictures(sightings: Sequence[Sighting], width: int, program: Optional[str]) -> List[bytes]:
    """The frame in which each was read best, in a box, as PNG. Raises Error."""
    made: List[bytes] = []
    for picture in _asked(sightings, width, program):
        if isinstance(picture, Error):
            raise picture
        made.append(picture)
    return made


def thumbnails(sightings: Sequence[Sighting]) -> List[str]:
    """The same as elements of HTML, a sentence where there is none: a table is worth showing without."""
    if not sightings:
        return []
    try:
        made = _asked(sightings, 240, None)
    except (Error, OSError, ValueError):
        return []
    return [
        f'<img width="240" src="data:image/png;base64,{base64.b64encode(one).decode()}">' if isinstance(one, bytes)
        else html.escape(one.message) for one in made
    ]
