"""What `framegrep redact` leaves of secrets on grounds that change behind them, pale, shadowed, two-colored, crossed by strokes, passed by things, and of secrets that move.

    scripts/bench redact-grounds [--keep FOLDER] [--only KIND] [--record] [-- OPTIONS FOR REDACT]

Each clip has one secret, which is drawn a second time by itself, white on black, to know its columns of pixels. A column is bare in a frame where more than a third of what is bright around
its ink is not black in the copy. A frame is bare where more than a quarter of the columns are; where no copy is made, all its frames are. Worst is the largest share of columns in any frame.
Beyond is the share of the picture that is hidden further than a line's height from the ink, and things are those that the program counts. The program may also end with status 2 and a reason, which is counted apart. Needs numpy, ffmpeg
and the fonts of fonts-dejavu.
"""
import os, re, subprocess, time

import numpy

from bench.redact_kinds import CARD, FONT, FPS, HEIGHT, MAIL, MONO, NAME, PHONE, WIDTH, drawn
from figures import machine
from program import FRAMEGREP, measured

IBAN, PLATE = "DE89 3704 0044 0532 0130 00", "96-ND-JB"
SIZE = f"s={WIDTH}x{HEIGHT}:r={FPS}"
GRAY = f"color=0x3c3c3c:{SIZE}"
LIGHT = f"color=0xe0e0e0:{SIZE}"
BARS = f"testsrc2={SIZE}"
BUSY = f"mandelbrot={SIZE}:start_scale=0.4:end_scale=0.3:end_pts=400"
HALVES = f"color=0x202020:{SIZE},drawbox=x=310:y=0:w=330:h=360:color=0xa8a8a8:t=fill"
SLOPE = f"gradients={SIZE}:c0=black:c1=0xf0f0f0:x0=0:y0=180:x1=639:y1=180:nb_colors=2:speed=0.00001"
LOGO = f"color=0x303030:{SIZE},drawbox=x=330:y=100:w=130:h=120:color=0xd03020:t=fill,drawbox=x=350:y=120:w=60:h=80:color=0xf0d020:t=fill"
PASSING = "drawtext=fontfile=%s:text='█':fontsize=300:fontcolor=0x8080c0:x=-200+t*350:y=20" % MONO


def text(words, x=120, y=150, size=36):
    return lambda color: drawn(words, x, y, size, color=color)


def runs(words, parts, x=60, y=150, size=36):
    """Letters of one width: so many in each color, one run behind the other."""
    def draw(color):
        done, begin = [], 0
        for count, own in parts:
            run = words[begin : begin + count]
            done.append(drawn(run, x + round(0.602 * size * begin), y, size, MONO, own if color == "own" else color))
            begin += count
        return ",".join(done)
    return draw


MOVES = {
    "enter": "x='max(640-400*t\\,120)':y=150", "leave": "x='120-400*max(0\\,t-1)':y=150", "pass": "x='640-400*t':y=150", "settle": "x=120:y='max(150\\,360-200*t)'",
    "swing": "x='120+60*sin(3*t)':y=150", "slow": "x='60+30*t':y=150", "fall": "x=120:y='-40+160*t'", "jump": "x='120+80*floor(mod(2*t\\,3))':y=150",
}
ZOOMS = {"deep": "zoompan=z='min(4\\,1+0.06*on)':x='iw/2-iw/zoom/2':y='ih/2-ih/zoom/2'", "in": "zoompan=z='1+0.02*on':x='iw/2-iw/zoom/2':y='ih/2-ih/zoom/2'", "out": "zoompan=z='max(1\\,2.5-0.02*on)':x='iw/2-iw/zoom/2':y='ih/2-ih/zoom/2'"}
PAGE = "drawbox=x=0:y=60:w=640:h=1:color=0x707070:t=fill,drawbox=x=60:y=0:w=1:h=360:color=0x707070:t=fill"
WINDOWS = {"open": "-300+300*min(1\\,t)", "close": "max(-500\\,200-350*t)", "slide": "-300+330*t"}


def moved(words, place, size=36):
    return lambda color: f"drawtext=fontfile={FONT}:text='{words}':fontsize={size}:fontcolor={color}:{place}"


def zoomed(words, zoom):
    return lambda color: f"{drawn(words, 150, 160, 28, color=color)},{zoom}:d=1:s={WIDTH}x{HEIGHT}:fps={FPS}"


SECRETS = {
    "mail": (":email", text(MAIL)), "phone": (":phone", text(PHONE)), "card": (":card", text(CARD, 90)), "iban": (":iban", text(IBAN, 40)),
    "name": (NAME, text(NAME, 230)), "plate": (":plate", text(PLATE, 220)),
}


def cases():
    """Name, pattern, ground, the secret by its color, that color, what is drawn over it."""
    for what, (pattern, secret) in SECRETS.items():
        yield f"pale-{what}", pattern, BARS, secret, "white@0.35", ""
        yield f"halves-{what}", pattern, HALVES, secret, "0xf0f0f0", ""
        yield f"pass-{what}", pattern, GRAY, secret, "0xe6e6e6", PASSING
    for what in ("mail", "card", "iban"):
        pattern, secret = SECRETS[what]
        yield f"shadow-{what}", pattern, BUSY, secret, "white:shadowcolor=black@0.6:shadowx=3:shadowy=3", ""
        yield f"slope-{what}", pattern, SLOPE, secret, "white@0.7", ""
        yield f"logo-{what}", pattern, LOGO, secret, "0xf0f0f0", ""
        yield f"band-{what}", pattern, BARS + ",drawbox=x=0:y=130:w=340:h=80:color=black@0.6:t=fill", secret, "white@0.8", ""
        yield f"outline-{what}", pattern, BARS, secret, "white:bordercolor=black:borderw=2", ""
        yield f"stroke-{what}", pattern, GRAY, secret, "0xe6e6e6", "drawbox=x=340:y=100:w=8:h=140:color=0xe6e6e6:t=fill"
        yield f"bar-{what}", pattern, LIGHT, secret, "0x303030", "drawbox=x=250:y=120:w=10:h=100:color=0xc02020:t=fill"
    for what, words in (("mail", MAIL), ("card", CARD), ("phone", PHONE)):
        half = len(words) // 2 + 2
        pattern = SECRETS[what][0]
        yield f"colors-{what}", pattern, GRAY, runs(words, [(half, "0xf0f060"), (40, "0x8090f0")]), "own", ""
        yield f"faded-{what}", pattern, GRAY, runs(words, [(half, "0xf0f0f0"), (40, "0x585858")]), "own", ""
        yield f"colored-{what}", pattern, LIGHT, runs(words, [(1, c) for c in ("red", "green", "blue", "0x806000", "purple") * 5]), "own", ""
    for what, words in (("mail", MAIL), ("name", NAME), ("plate", PLATE)):
        pattern, secret = SECRETS[what]
        for name, place in MOVES.items():
            for ground, source in (("gray", GRAY), ("busy", BUSY)): yield f"move-{name}-{ground}-{what}", pattern, source, moved(words, place), "0xf0f0f0", ""
        for name, zoom in ZOOMS.items():
            for ground, source in (("gray", GRAY), ("page", f"{GRAY},{PAGE}"), ("bars", BARS)):
                yield f"zoom-{name}-{ground}-{what}", pattern, source, zoomed(words, zoom), "white", ""
        for name, x in WINDOWS.items():
            yield f"window-{name}-{what}", pattern, GRAY, secret, "0xe6e6e6", f"drawtext=fontfile={MONO}:text='█':fontsize=300:fontcolor=0x8080c0:x='{x}':y=20"


def rendered(path, source, chain, seconds):
    if os.path.exists(path): return
    command = ["ffmpeg", "-v", "error", "-nostdin", "-y", "-f", "lavfi", "-i", source, "-t", str(seconds), "-vf", chain]
    subprocess.run(command + ["-c:v", "libx264", "-crf", "10", "-preset", "ultrafast", "-pix_fmt", "yuv420p", path], check=True)


def luma(path):
    command = ["ffmpeg", "-v", "error", "-i", path, "-f", "rawvideo", "-pix_fmt", "gray", "-vsync", "passthrough", "-"]
    data = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
    return numpy.frombuffer(data, numpy.uint8).reshape(-1, HEIGHT, WIDTH).astype(int)


def spread(ink, by=2):
    wide = ink.copy()
    for y in range(-by, by + 1):
        for x in range(-by, by + 1): wide |= numpy.roll(numpy.roll(ink, y, 0), x, 1)
    return wide


def judge(path, alone, over, copy):
    """Bare frames, frames, the worst share, the share hidden beyond."""
    before, inks = luma(path), luma(alone)
    after = luma(copy) if os.path.exists(copy) else before
    covers = luma(over) if over else None
    bare, frames, worst, beyond = 0, 0, 0.0, 0.0
    for number, (b, a, i) in enumerate(zip(before, after, inks)):
        whole = ink = i > 120
        if covers is not None: ink = ink & ~spread(covers[number] > 60)
        frames += 1
        near = spread(ink) & (b > 30)
        columns = ink.any(axis=0) & near.any(axis=0)
        open_columns = columns & ((near & (a > 24)).sum(axis=0) > 0.34 * near.sum(axis=0))
        share = open_columns.sum() / max(1, whole.any(axis=0).sum())
        worst = max(worst, share)
        bare += share > 0.25
        ys, xs = numpy.nonzero(whole) if whole.any() else (numpy.array([0]), numpy.array([0]))
        around = numpy.zeros_like(ink)
        around[max(0, ys.min() - 40) : ys.max() + 41, max(0, xs.min() - 40) : xs.max() + 41] = True
        beyond += ((a <= 24) & (b > 34) & ~around).mean()
    return bare, frames, worst, beyond / max(1, frames)


def arguments(parser):
    parser.add_argument("--only", metavar="KIND", default="")


def run(given, folder):
    print(machine())
    print(f"{'clip':22} status  frames    bare  worst %  beyond %  things  seconds")
    sums = [0, 0, 0, 0, 0.0]
    for name, pattern, ground, secret, color, after in cases():
        if not name.startswith(given.only): continue
        path, alone, over, copy = (os.path.join(folder, name + ending) for ending in (".mp4", ".ink.mp4", ".over.mp4", ".clean.mp4"))
        seconds = 2.4 if name.split("-")[0] in ("move", "zoom", "window") else 1.6 if after.startswith("drawtext") else 0.8
        rendered(path, ground, secret(color) + ("," + after if after else ""), seconds)
        rendered(alone, f"color=black:{SIZE}", secret("white"), seconds)
        if after: rendered(over, f"color=black:{SIZE}", after, seconds)
        if os.path.exists(copy): os.unlink(copy)
        begun = time.monotonic()
        code, out, err, _, _ = measured([FRAMEGREP, "redact", pattern, path, "-o", copy, *given.options])
        took = time.monotonic() - begun
        bare, frames, worst, beyond = (0, 0, 0, 0) if code == 2 else judge(path, alone, after and over, copy)
        things = int((re.search(r"(\d+) things? hidden", err) or [0, 0])[1])
        sums = [a + b for a, b in zip(sums, (frames, bare, code == 2, things, took))]
        said = err.strip().splitlines()[-1][:90] if code == 2 and err.strip() else ""
        print(f"{name:22} {code:6} {frames:7} {bare:7} {100 * worst:8.0f} {100 * beyond:9.2f} {things:7} {took:8.1f}  {said}", flush=True)
    print(f"{'all':22} {sums[0]:7} frames {sums[1]:5} bare {sums[2]:3} refused {sums[3]:5} things {sums[4]:8.1f} seconds")
