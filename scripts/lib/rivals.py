"""Other readers that a person could script today, on five frames a second of the same clips: what scripts/bench compares with."""
import json, statistics, sys

import clips
from program import FRAMEGREP, measured

# Each prints, as JSON: the lines of every frame, the seconds that each took, and all seconds with start-up.
_RAPIDOCR = """
import json, subprocess, sys, time
import numpy
from rapidocr import RapidOCR
path, width, height = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
begun = time.monotonic()
engine = RapidOCR(params={"EngineConfig.onnxruntime.intra_op_num_threads": 2, "Global.log_level": "error"})
frames = subprocess.Popen(["ffmpeg", "-v", "error", "-i", path, "-vf", "fps=5:round=down", "-f", "rawvideo", "-pix_fmt", "bgr24", "-"], stdout=subprocess.PIPE)
read, took = [], []
while len(data := frames.stdout.read(width * height * 3)) == width * height * 3:
    before = time.monotonic()
    result = engine(numpy.frombuffer(data, numpy.uint8).reshape(height, width, 3), use_cls=False)
    took.append(time.monotonic() - before)
    read.append(list(result.txts or []))
print(json.dumps({"read": read, "took": took, "all": time.monotonic() - begun}))
"""

# It takes encoded pictures; those of BMP cost nothing to encode, and say how long they are.
_FASTER_PADDLE = """
import json, subprocess, sys, time
begun = time.monotonic()
from faster_paddle import OcrEngine
engine = OcrEngine(model_size=sys.argv[4])
frames = subprocess.Popen(["ffmpeg", "-v", "error", "-i", sys.argv[1], "-vf", "fps=5:round=down", "-f", "image2pipe", "-c:v", "bmp", "-"], stdout=subprocess.PIPE)
read, took = [], []
while len(head := frames.stdout.read(6)) == 6:
    picture = head + frames.stdout.read(int.from_bytes(head[2:], "little") - 6)
    before = time.monotonic()
    result = engine.ocr(picture)
    took.append(time.monotonic() - before)
    read.append([bound["text"] for bound in result["bounds"].values()])
print(json.dumps({"read": read, "took": took, "all": time.monotonic() - begun}))
"""


class Rival:
    """Another reader: its name in the table, and how it is started."""

    def __init__(self, name, python, script, *words):
        self.name, self.command = name, [python, "-c", script]
        self.words = words
        self.seconds, self.found, self.ours = 0.0, 0, 0.0

    def read(self, path, ours):
        """A row of the table for a clip, which framegrep took `ours` seconds for."""
        truth = clips.truth(path)
        code, out, err, _, memory = measured([*self.command, path, str(truth["width"]), str(truth["height"]), *self.words])
        if code != 0: sys.exit(f"{self.name}: " + err.strip()[-300:])
        result = json.loads(out.splitlines()[-1])
        frames = [[_squeezed(line) for line in lines] for lines in result["read"]]
        holds = lambda lines, text: any(_squeezed(text) in line for line in lines)
        spans = [(t["text"], s) for t in truth["texts"] for s in t["spans"]]
        shown = lambda index, span: span["start"] - 0.01 <= index / 5 < span["end"]
        found = sum(any(holds(lines, text) for i, lines in enumerate(frames) if shown(i, span)) for text, span in spans)
        false = sum(any(holds(lines, text) for lines in frames) for text in truth["absent"])
        self.seconds, self.found, self.ours = self.seconds + result["all"], self.found + found, self.ours + ours
        seconds = truth["frames"] / truth["fps"]
        print(f"{'  ' + self.name:<20}{found:>4}/{len(spans):<4}{false:>5}{'':>12}{'':>12}{'-':>7}{len(frames):>6}"
              f"{result['all'] / seconds:>8.2f}{'':>9}{memory:>6.0f}   {statistics.median(result['took'] or [0]) * 1000:.0f} ms a frame; "
              f"framegrep is {result['all'] / ours:.1f} times as fast", flush=True)

    def total(self):
        """The last row: over all clips."""
        print(f"{'  ' + self.name:<20}{self.found:>4}   took {self.seconds:.1f} s where framegrep took {self.ours:.1f}: {self.seconds / self.ours:.1f} times as long")


def _squeezed(text): return "".join(text.lower().split())


def wanted(rapidocr, faster_paddle):
    """Those that are asked for, by the interpreters that have them."""
    rivals = [Rival("RapidOCR", rapidocr, _RAPIDOCR)] if rapidocr else []
    for size in ("tiny", "small") if faster_paddle else ():
        rivals.append(Rival(f"faster-paddle {size}", faster_paddle, _FASTER_PADDLE, size))
    return rivals
