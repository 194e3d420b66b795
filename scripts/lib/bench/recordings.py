"""What is found on rendered clips whose words, places and times are known, beside decoding alone.

    scripts/bench [--keep FOLDER] [--record] [CLIP...] [-- OPTIONS FOR FIND, such as --engine tesseract --every-frame]
    scripts/bench --values [--keep FOLDER] [CLIP...]
    scripts/bench --captions [--aside] [--keep FOLDER] [CLIP...]
    scripts/bench --stills [--aside] [--keep FOLDER] [signs|plates...] [-- OPTIONS FOR FIND]
    scripts/bench --standing [--aside] [--keep FOLDER] [CLIP...] [-- OPTIONS FOR FIND]
    scripts/bench --states [--keep FOLDER] [CLIP...] [-- OPTIONS FOR FIND]
    scripts/bench --long [--minutes M] [--keep FOLDER] [--record] [-- OPTIONS FOR FIND]
    scripts/bench --cores [--minutes M] [--keep FOLDER] [--record] [-- OPTIONS FOR FIND]

For each clip, every word on it and every near miss is searched in one call. Printed: appearances found, false sightings,
the error of start and end (median and 95 % of 100, in milliseconds; fades and words crossing the edge of the picture have
no sharp truth), the overlap (IoU) of the boxes with the true ones, frames read, seconds of work for a second of video, the
same as a ratio to decoding alone in the same minute, and peak memory. With --beside-rapidocr PYTHON and --beside-faster-paddle PYTHON, the Python packages
RapidOCR (pip install rapidocr onnxruntime opencv-python-headless) and faster-paddle (tiny and small), installed for that interpreter, read five frames a
second of the same clips in the same run; found and false then count words that are, or are not, among their lines. Clips made elsewhere can be named as files with a
truth file (NAME.truth.json) beside them.

With --values, clips of values that change in one place (scripts/clips --list --values) are searched for each of their values: right are those of
which the one sighting begins and ends within two frames of the truth; sharing are neighbors that are said to stand there together for more than a frame.
Of scoreboards and meters (meter-*) the rows of `framegrep values` are held against the truth.

With --captions, captions of thirty styles (faded, typed, karaoke, moving; --aside: fourteen others that no choice was made with) are read with
`--all-text` and `--transcript`: how many of their lines and of themselves are said once, exactly, and from their first frame to their last (two frames).
Needs ffmpeg with libass.

With --stills, rendered photographs are searched (--aside: others that no choice was made with): signs of 8 to 60 pixels' height in textured scenes, leaning,
on their side and their head, seen from the side, in mirrors, blurred, noisy, pale; and number plates of a dozen kinds. Each is searched for its words, as many that
are not there, and near misses. Needs ImageMagick.

With --standing, small lines that stand still, blurred, noisy and strongly compressed: how many are read exactly with `--all-text`, how many of their
words are found, and near misses that are. --aside: those that no choice was made with. Needs ffmpeg and the DejaVu fonts.

With --states, texts that take each other's place after 2 to 25 frames, over grounds that stand still, scroll or move (seeded, so that they are the same
each time): how many of their states `--all-text --each-change` has, and with the right times (a frame). Needs ffmpeg and the DejaVu fonts.

With --long the clips are put together to a recording of M minutes (default 10; shuffled by a fixed seed, a cut between any
two) that is searched once: start-up weighs little then, and memory is shown minute by minute. Needs ffmpeg.

With --cores that recording is searched with 1, 2, 4 and more threads, up to twice the processors, and with as many as framegrep takes by itself.
Printed: seconds by the clock, of processors, and of these in the kernel; the share of the time in which the threads that read work; how many times real time;
and peak memory. The results must be the same each time. Needs ffmpeg.
"""
import json, os, re, statistics, sys, tempfile

import captions
import clips
import cores
import long
import rivals
import standing
import states
import stills
import values
from figures import figure, machine
from program import FRAMEGREP, measured, with_patterns


def decode_only(path):
    took = []
    for _ in range(3):
        took.append(measured(["gst-launch-1.0", "-q", "filesrc", f"location={path}", "!", "decodebin", "!", "fakesink", "sync=false"])[3])
    return statistics.median(took)


def overlap(a, b):
    """IoU of the rectangles around two quads."""
    ax, ay, bx, by = [p[0] for p in a], [p[1] for p in a], [p[0] for p in b], [p[1] for p in b]
    w = min(max(ax), max(bx)) - max(min(ax), min(bx))
    h = min(max(ay), max(by)) - max(min(ay), min(by))
    shared = max(0, w) * max(0, h)
    area = lambda x, y: (max(x) - min(x)) * (max(y) - min(y))
    return shared / (area(ax, ay) + area(bx, by) - shared or 1)


def search(path, options, rivals=()):
    truth = clips.truth(path)
    frame = 1 / truth["fps"]
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as boxes_file:
        command = [FRAMEGREP, "find", "-v", "--format", "jsonl", "--boxes", boxes_file.name, *options]
        code, out, err, wall, memory = measured([*command, *with_patterns(clips.searched(truth)), path])
        boxes = {}
        for line in map(json.loads, open(boxes_file.name)):
            boxes.setdefault(line["id"], {})[round(line["t"] / frame)] = line["quad"]
    if code == 2: sys.exit(err.strip())
    seen = [o for o in map(json.loads, out.splitlines()) if o["type"] == "sighting"]
    read = re.search(r"(\d+) frames, (\d+) read", err)
    found, starts, ends, ious, missing, right = 0, [], [], [], [], set()
    spans = [(t, s) for t in truth["texts"] for s in t["spans"]]
    for t, span in spans:
        hits = [s for s in seen if s["pattern"] == t["text"] and s["start"] < span["end"] and s["end"] > span["start"]]
        if not hits:
            missing.append(f"{t['text']} at {span['start']:.2f}")
            continue
        found += 1
        right.update(s["id"] for s in hits)
        starts.append(abs(min(s["start"] for s in hits) - span["start"]) * 1000)
        ends.append(abs(max(s["end"] for s in hits) - span["end"]) * 1000)
        for s in hits:
            quads = boxes.get(s["id"], {})
            ious += [overlap(quads[p["frame"]], p["quad"]) for p in t["places"] if p["frame"] in quads]
    # A shorter text that stands inside a longer one is found there too, rightly.
    texts = [t["text"].lower() for t in truth["texts"]]
    false = [s for s in seen if s["id"] not in right and not any(s["pattern"].lower() in t and s["pattern"].lower() != t for t in texts)]
    seconds = truth["frames"] * frame
    print(f"{os.path.basename(path):<20}{found:>4}/{len(spans):<4}{len(false):>5}{figure(starts):>12}{figure(ends):>12}"
          f"{(f'{statistics.mean(ious):.2f}' if ious else '-'):>7}{(read.group(2) if read else '?'):>6}"
          f"{wall / seconds:>8.2f}{wall / decode_only(path):>9.1f}{memory:>6.0f}", flush=True)
    for m in missing: print(f"    missing: {m}")
    for s in false: print(f"    false: {s['pattern']} as {s['text']!r} from {s['start']:.2f} to {s['end']:.2f}")
    for rival in rivals: rival.read(path, wall)
    return found, len(spans), len(false)


def arguments(parser):
    parser.add_argument("clips", nargs="*", help="names from 'scripts/clips --list' or files; all rendered clips by default")
    parser.add_argument("--beside-rapidocr", metavar="PYTHON", help="an interpreter with RapidOCR")
    parser.add_argument("--beside-faster-paddle", metavar="PYTHON", help="an interpreter with faster-paddle")
    parser.add_argument("--long", action="store_true", help="one recording put together from the clips")
    parser.add_argument("--cores", action="store_true", help="that recording with different numbers of threads")
    parser.add_argument("--values", action="store_true", help="clips of values that change in one place")
    parser.add_argument("--captions", action="store_true", help="captions of many styles, as all the text of a clip")
    parser.add_argument("--stills", action="store_true", help="photographs of signs and number plates")
    parser.add_argument("--standing", action="store_true", help="small lines that stand still")
    parser.add_argument("--states", action="store_true", help="texts that take each other's place")
    parser.add_argument("--aside", action="store_true", help="with --captions, --stills and --standing: those put aside")
    parser.add_argument("--minutes", type=float, default=10, help="how long that is")


def run(given, folder):
    options = given.options
    if not (given.long or given.cores or given.captions or given.stills or given.standing or given.states or given.values):
        files = [clips.render(name, folder) for name in given.clips or clips.names()]
    print(f"{machine()}; framegrep find {' '.join(options)}")
    if given.long or given.cores: return (cores if given.cores else long).report(given.minutes, folder, options, decode_only)
    for name, others in {"captions": captions, "stills": stills, "standing": standing, "states": states}.items():
        if getattr(given, name): return others.report(folder, given.clips, given.aside, options)
    if given.values:
        names = given.clips or clips.names(values=True)
        for name in names: clips.render(name, folder)
        values.report([clips.render(name, folder) for name in names if not name.startswith("meter-")], options)
        return values.tables(folder, given.clips, verbose=True)
    print(f"{'clip':<20}{'found':>8}{'false':>6}{'start ms':>12}{'end ms':>12}{'IoU':>7}{'read':>6}{'work/s':>8}{'/decode':>9}{'MiB':>6}")
    others = rivals.wanted(given.beside_rapidocr, given.beside_faster_paddle)
    totals = [search(path, options, others) for path in files]
    found, all_, false = (sum(t[i] for t in totals) for i in range(3))
    print(f"{'all':<20}{found:>4}/{all_:<4}{false:>5}")
    for rival in others: rival.total()
