"""What `framegrep redact` hides on rendered clips with secrets, judged by what is known of the clips, not by reading them.

    scripts/bench redact [--keep FOLDER] [--only KIND] [--rapidocr PYTHON] [--record] [CLIP...] [-- OPTIONS FOR REDACT]

For each clip (scripts/clips --secrets lists them): the secrets on it; the frames of these in which more than a third of a secret's letters
stand uncovered, and of how many; how much of the picture is hidden beyond the secrets and their margins (half a line's height, three frames);
PSNR of the luma outside of what is hidden; whether frames, size and times are the same; seconds. A letter is covered where the copy is black in
half of its box or more. The masks of what is hidden are pixels of the copy that are black and were not before.

With --rapidocr PYTHON, RapidOCR, installed for that interpreter (pip install rapidocr onnxruntime opencv-python-headless), reads every fourth
frame of the copies, and all within three frames of a secret's beginning or end; a secret counts as read where three quarters of its letters
are in one of its lines, in order. Needs numpy and ffmpeg.
"""
import json, os, re, subprocess, sys, time

import numpy

import clips
from figures import machine
from program import FRAMEGREP, measured, with_patterns

NAMES = ["Jane Doe", "Marianne Holt", "Oskar Lindqvist", "Peter Abernathy", "Lucia Fernandez", "Henry Whitcombe", "Agnes Moreau", "Tobias Kessler"]
KINDS = [":email", ":phone", ":ip", ":url"]
SECRET = re.compile(r"\S+@\S+|https://\S+|\+1 [\d ]+|\d+\.\d+\.\d+\.\d+|" + "|".join(map(re.escape, NAMES)))


def luma(path, truth):
    """All frames of a video as brightness."""
    command = ["ffmpeg", "-v", "error", "-i", path, "-f", "rawvideo", "-pix_fmt", "gray", "-vsync", "passthrough", "-"]
    data = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
    return numpy.frombuffer(data, numpy.uint8).reshape(-1, truth["height"], truth["width"])


def times(path):
    command = ["ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "packet=pts_time", "-of", "csv=p=0", path]
    lines = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.split()
    return sorted(round(float(line.strip(",")), 3) for line in lines)


def inside(quad, width, height, grow=0.0):
    """Which pixels lie in a quad, as a slice of the picture and a mask of it."""
    q = numpy.array(quad, float)
    along, across = q[1] - q[0], q[3] - q[0]
    a, c = numpy.linalg.norm(along) or 1, numpy.linalg.norm(across) or 1
    u, v = along / a, across / c
    q = q + numpy.array([-u - v, u - v, u + v, -u + v]) * grow
    x0, y0 = max(0, int(q[:, 0].min())), max(0, int(q[:, 1].min()))
    x1, y1 = min(width, int(q[:, 0].max()) + 1), min(height, int(q[:, 1].max()) + 1)
    if x0 >= x1 or y0 >= y1: return None
    xs, ys = numpy.meshgrid(numpy.arange(x0, x1) + 0.5, numpy.arange(y0, y1) + 0.5)
    mask = numpy.ones(xs.shape, bool)
    for i in range(4):
        (ax, ay), (bx, by) = q[i], q[(i + 1) % 4]
        mask &= (bx - ax) * (ys - ay) - (by - ay) * (xs - ax) >= 0
    return (slice(y0, y1), slice(x0, x1)), mask


def letters(text, place, secret):
    """A quad for each letter of the secret part of a text that is drawn in a frame."""
    q = [numpy.array(p, float) for p in place["quad"]]
    shown = place.get("shown", len(text))
    for index in range(secret.start(), min(secret.end(), shown)):
        if text[index] == " ": continue
        a, b = index / shown, (index + 1) / shown
        yield [q[0] + (q[1] - q[0]) * a, q[0] + (q[1] - q[0]) * b, q[3] + (q[2] - q[3]) * b, q[3] + (q[2] - q[3]) * a]


def drawn(text, truth):
    """How many letters of a typed text each of its places shows: the widest shows all of it."""
    widths = [numpy.linalg.norm(numpy.subtract(p["quad"][1], p["quad"][0])) for p in text["places"]]
    if "-typed-" not in truth["name"]: return [len(text["text"])] * len(widths)
    return [max(1, round(len(text["text"]) * w / (max(widths) or 1))) for w in widths]


def plates(truth, frame):
    """Where something passes in front of the texts: left, top, right, bottom."""
    if "-covered-" not in truth["name"]: return
    for text in truth["texts"]:
        if text["text"] != "CARGO": continue
        for place in text["places"]:
            if place["frame"] != frame: continue
            xs, ys = [p[0] for p in place["quad"]], [p[1] for p in place["quad"]]
            yield min(xs) - 60, min(ys) - 70, max(xs) + 60, max(ys) + 70


def under(quad, plate):
    x, y = numpy.mean(quad, axis=0)
    return plate[0] <= x <= plate[2] and plate[1] <= y <= plate[3]


def judge(path, copy):
    truth = clips.truth(path)
    before, after = luma(path, truth), luma(copy, truth)
    result = dict(secrets=0, frames=0, bare=0, worst=[], extra=0.0, psnr=99.0, same=len(before) == len(after) and before.shape == after.shape and times(path) == times(copy))
    if len(before) != len(after): return result
    hidden = (after <= 20) & (before > 28)
    allowed = numpy.zeros_like(hidden)
    height, width = truth["height"], truth["width"]
    for text in truth["texts"]:
        secret = SECRET.search(text["text"])
        if not secret: continue
        result["secrets"] += 1
        bare = []
        # Gaps of up to a second are hidden through.
        for a, b in zip(text["places"], text["places"][1:]):
            around = inside(a["quad"], width, height, 0.5 * numpy.linalg.norm(numpy.subtract(a["quad"][3], a["quad"][0])) + 3)
            if 1 < b["frame"] - a["frame"] <= truth["fps"] + 1 and around:
                for frame in range(a["frame"], b["frame"]): allowed[frame][around[0]] |= around[1]
        for place, shown in zip(text["places"], drawn(text, truth)):
            frame, line = place["frame"], numpy.linalg.norm(numpy.subtract(place["quad"][3], place["quad"][0]))
            # Of a text that is typed its whole place is hidden from its first letter on.
            around = inside(text["places"][-1]["quad"] if "-typed-" in truth["name"] else place["quad"], width, height, 0.5 * line + 3)
            if around:
                for near in range(max(0, frame - 3), min(len(before), frame + 4)): allowed[near][around[0]] |= around[1]
            if place["opacity"] < 0.1: continue
            covered = total = 0
            for quad in letters(text["text"], dict(place, shown=shown), secret):
                area = inside(quad, width, height)
                if area is None or any(under(quad, plate) for plate in plates(truth, frame)): continue
                mask = area[1] & (before[frame][area[0]] > 28)
                if mask.sum() < 4: continue
                total += 1
                covered += hidden[frame][area[0]][mask].mean() >= 0.5
            # What of it is outside of the picture or under something else counts as covered.
            whole = sum(1 for c in secret.group() if c != " ")
            if total == 0: continue
            result["frames"] += 1
            if total - covered > whole / 3: bare.append(frame)
        if bare: result["worst"].append((len(bare), text["text"], bare[0], bare[-1]))
        result["bare"] += len(bare)
    result["extra"] = float((hidden & ~allowed).mean())
    grown = hidden.copy()
    for axis in (1, 2):
        for step in (-1, 1): grown |= numpy.roll(hidden, step * 2, axis)
    # Blocks of the codec reach beyond the edge of a bar.
    errors = [((b.astype(float) - a) ** 2)[~g].mean() for b, a, g in zip(before, after, grown)]
    result["psnr"] = 99.0 if max(errors) == 0 else float(10 * numpy.log10(255 ** 2 / max(numpy.mean(errors), 1e-9)))
    return result


RAPIDOCR = """
import json, subprocess, sys
import numpy
from rapidocr import RapidOCR
path, width, height, wanted = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), set(json.loads(sys.argv[4]))
engine = RapidOCR(params={"EngineConfig.onnxruntime.intra_op_num_threads": 2, "Global.log_level": "error"})
frames = subprocess.Popen(["ffmpeg", "-v", "error", "-i", path, "-f", "rawvideo", "-pix_fmt", "bgr24", "-"], stdout=subprocess.PIPE)
read, index = {}, 0
while len(data := frames.stdout.read(width * height * 3)) == width * height * 3:
    if index in wanted: read[index] = list(engine(numpy.frombuffer(data, numpy.uint8).reshape(height, width, 3), use_cls=False).txts or [])
    index += 1
print(json.dumps(read))
"""


def common(a, b):
    """The longest sequence of letters that both have in this order."""
    row = [0] * (len(b) + 1)
    for x in a:
        last = 0
        for j, y in enumerate(b, 1):
            last, row[j] = row[j], last + 1 if x == y else max(row[j], row[j - 1])
    return row[-1]


def read_by_rapidocr(python, path, copy):
    """Secrets that another reader reads in the copy, as (frame, secret)."""
    truth = clips.truth(path)
    secrets = [(t, SECRET.search(t["text"])) for t in truth["texts"]]
    secrets = [(t, s.group()) for t, s in secrets if s]
    edges = {f for t, _ in secrets for p in (t["places"][:1] + t["places"][-1:]) for f in range(p["frame"] - 3, p["frame"] + 4)}
    wanted = sorted(f for f in range(truth["frames"]) if f % 4 == 0 or f in edges)
    code, out, err, _, _ = measured([python, "-c", RAPIDOCR, copy, str(truth["width"]), str(truth["height"]), json.dumps(wanted)])
    if code != 0: sys.exit("RapidOCR: " + err.strip()[-300:])
    squeezed = lambda text: "".join(c for c in text.lower() if c.isalnum())
    found = []
    for frame, lines in json.loads(out.splitlines()[-1]).items():
        for _, secret in secrets:
            if any(common(squeezed(secret), squeezed(line)) >= 0.75 * len(squeezed(secret)) for line in lines if len(line) > 3): found.append((int(frame), secret))
    return len(wanted), found


def arguments(parser):
    parser.add_argument("clips", nargs="*")
    parser.add_argument("--only", metavar="KIND")
    parser.add_argument("--rapidocr", metavar="PYTHON")


def run(given, folder):
    os.makedirs(folder, exist_ok=True)
    listed = subprocess.run([clips.RENDERER, "--list", "--secrets"], check=True, capture_output=True, text=True).stdout
    names = given.clips or [line.split()[0] for line in listed.splitlines() if not given.only or f"-{given.only}-" in line.split()[0]]
    print(machine())
    print(f"{'clip':22} secrets  frames    bare  beyond %   PSNR  same  seconds")
    sums = dict(secrets=0, frames=0, bare=0)
    worst, read = [], []
    looked = 0
    for name in names:
        path = clips.render(name, folder)
        copy = os.path.join(folder, os.path.basename(name).removesuffix(".mp4") + ".clean.mp4")
        if os.path.exists(copy): os.unlink(copy)
        begun = time.monotonic()
        code, out, err, _, _ = measured([FRAMEGREP, "redact", *with_patterns(KINDS + NAMES), path, "-o", copy, *given.options])
        took = time.monotonic() - begun
        if code == 2 or not os.path.exists(copy):
            print(f"{name:22} failed: {err.strip().splitlines()[-1] if err.strip() else code}")
            continue
        r = judge(path, copy)
        for key in sums: sums[key] += r[key]
        worst += [(*w, name) for w in r["worst"]]
        line = f"{name:22} {r['secrets']:7} {r['frames']:7} {r['bare']:7} {100 * r['extra']:9.2f} {r['psnr']:6.1f}  {'yes' if r['same'] else 'NO':4} {took:8.1f}"
        if given.rapidocr:
            count, found = read_by_rapidocr(given.rapidocr, path, copy)
            looked += count
            read += [(name, *f) for f in found]
            line += f"  {len(found)} read in {count}"
        print(line, flush=True)
    print(f"{'all':22} {sums['secrets']:7} {sums['frames']:7} {sums['bare']:7}")
    for count, text, first, last, name in sorted(worst, reverse=True)[:40]: print(f"  {name}: {text}: {count} frames, {first} to {last}")
    if given.rapidocr: print(f"RapidOCR: {len(read)} readings of secrets in {looked} frames: {read[:12]}")
