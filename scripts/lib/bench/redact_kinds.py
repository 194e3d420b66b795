"""What `framegrep redact` leaves of secrets that are hard to find: turned, faint, cut off, set wide, broken, typed, covered, plates of many countries.

    scripts/bench redact-kinds [--keep FOLDER] [--only KIND] [--record] [-- OPTIONS FOR REDACT]

Each clip has one secret, drawn by ffmpeg in light letters on a dark ground, so that it is known where its ink is. A frame is bare where more than a quarter of the ink columns of the secret
(columns of pixels in which it has ink) stand uncovered in the copy; where no copy is made, all its frames are. Beyond is the share of the picture that is hidden further than a line's height from the ink. The program may also
end with status 2 and a reason, which is counted apart: nothing leaks then. Needs numpy, ffmpeg and the fonts of fonts-dejavu.
"""
import os, subprocess, time

import numpy

from figures import machine
from program import FRAMEGREP, measured

FONT = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"
MONO = "/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf"
WIDTH, HEIGHT, FPS = 640, 360, 25
MAIL, NAME, CARD, PHONE = "jane.doe@example.com", "Jane Doe", "4111 1111 1111 1111", "+49 30 1234567"
PLATES = {
    "AT": "W 12345 A", "BE": "1-ABC-123", "BG": "CB 1234 AB", "CH": "ZH 123456", "CZ": "1A2 3456", "DE": "M-AB 1234", "DE2": "M-AB 1234E", "DE3": "HH-A 1", "DK": "AB 12 345",
    "EE": "123 ABC", "ES": "1234 BCD", "FI": "ABC-123", "FR": "AB-123-CD", "GR": "ABC-1234", "HR": "ZG 1234-AB", "HU": "AA BB-123", "IE": "12-D-12345", "IE2": "131-D-1234",
    "IT": "AB 123 CD", "LV": "AB-1234", "NL1": "XS-23-45", "NL2": "12-34-XS", "NL3": "12-XS-34", "NL4": "XS-12-SX", "NL5": "XS-SX-12", "NL6": "96-ND-JB", "NL7": "12-XSX-3",
    "NL8": "1-XSX-23", "NL9": "XS-123-S", "NL10": "X-123-SX", "NL11": "XSX-12-S", "NL12": "X-12-SXS", "NL13": "1-XS-234", "NL14": "123-XS-4", "NO": "AB 12345", "PL": "WX 12345",
    "PT": "AA-01-BB", "RO": "CJ 12 ABC", "SE": "ABC 12D", "SK": "BA 123 AB", "UK": "AB12 CDE", "UA": "AA 1234 BB", "TR": "34 ABC 123", "US": "7ABC123", "BR": "ABC1D23", "IN": "MH 12 AB 1234",
}


def drawn(text, x, y, size=28, font=FONT, color="0xe6e6e6", frames=None):
    text = text.replace("\\", "\\\\").replace(":", "\\:").replace("'", "").replace("%", "\\%")
    when = f":enable='between(n,{frames[0]},{frames[1] - 1})'" if frames else ""
    return f"drawtext=fontfile={font}:text='{text}':x={x}:y={y}:fontsize={size}:fontcolor={color}{when}"


def wide(text, x, y, gap, size=28):
    """Letters of one width, so many pixels further apart than they are set."""
    step = round(0.602 * size) + gap
    return ",".join(drawn(c, x + i * step, y, size, MONO) for i, c in enumerate(text) if c != " ")


def typed(text, x, y, every=3, upto=None):
    """Letter by letter; what is there at last stays for half a second."""
    count = upto or len(text)
    parts = [drawn(text[: i + 1], x, y, 28, MONO, frames=(i * every, (i + 1) * every if i + 1 < count else 10 ** 6)) for i in range(count)]
    return ",".join(parts)


def cases():
    """Name, patterns, filters, seconds; the ground is drawn before and everything else after the secret."""
    for country, plate in PLATES.items(): yield f"plate-{country}", [":plate"], drawn(plate, 200, 150), 1, ""
    for name, turn in (("head", "hflip,vflip"), ("mirror", "hflip"), ("reflection", "vflip")):
        for what, pattern, text in (("mail", ":email", MAIL), ("name", NAME, NAME), ("phone", ":phone", PHONE), ("plate", ":plate", "96-ND-JB")):
            yield f"{name}-{what}", [pattern], drawn(text, 150, 150), 1, turn
    for level in (0x46, 0x42):
        for what, pattern, text in (("mail", ":email", MAIL), ("name", NAME, NAME), ("plate", ":plate", "96-ND-JB")):
            yield f"faint{level - 0x3c}-{what}", [pattern], drawn(text, 150, 150, color=f"0x{level:02x}{level:02x}{level:02x}"), 1, ""
    for name, x, y in (("foot", 150, HEIGHT - 26), ("foot2", 150, HEIGHT - 22), ("head", 150, -9), ("left", -12, 150), ("right", 420, 150)):
        yield f"edge-{name}-mail", [":email"], drawn(MAIL, x, y, 32), 1, ""
        yield f"edge-{name}-name", [NAME], drawn(NAME, x if x != 420 else 530, y, 32), 1, ""
    for gap in (8, 18):
        for what, pattern, text in (("mail", ":email", "jd@example.com"), ("name", NAME, NAME), ("plate", ":plate", "96-ND-JB")):
            yield f"wide{gap}-{what}", [pattern], wide(text, 20, 150, gap), 1, ""
    yield "lines-mail", [":email"], drawn("jane.doe@", 150, 130) + "," + drawn("example.com", 150, 168), 1, ""
    yield "lines-mail2", [":email"], drawn("jane.doe@exam", 150, 130) + "," + drawn("ple.com", 150, 168), 1, ""
    yield "lines-card", ["-E", "\\d{4} \\d{4} \\d{4} \\d{4}"], drawn(CARD[:9], 150, 130) + "," + drawn(CARD[10:], 150, 168), 1, ""
    yield "gaps-card", ["-E", "\\d{4} \\d{4} \\d{4} \\d{4}"], ",".join(drawn("4111", 30 + 150 * i, 150) for i in range(4)), 1, ""
    yield "kind-card", [":card"], drawn(CARD, 150, 150), 1, ""
    yield "kind-iban", [":iban"], drawn("DE89 3704 0044 0532 0130 00", 60, 150), 1, ""
    yield "typed-mail", [":email"], typed(MAIL, 60, 150), 3.2, ""
    yield "typed-prefix", [":email"], typed(MAIL, 60, 150, upto=16), 2.6, ""
    yield "typed-card", [":card"], typed(CARD, 60, 150, upto=14), 2.4, ""
    for column in (3, 8, 11):
        cover = f"drawbox=x={60 + 17 * column}:y=145:w=18:h=40:color=blue:t=fill"
        yield f"covered{column}-mail", [":email"], drawn(MAIL, 60, 150, 28, MONO), 1, cover
    flicker = ",".join(
        drawn("jane.doe@" if i % 2 == 0 else "example.com", 60 if i % 2 == 0 else 60 + 17 * 9, 150, 28, MONO, frames=(4 * i, 4 * i + 4)) for i in range(8))
    yield "flicker-mail", [":email"], flicker, 1.28, ""
    counter = ",".join(drawn(f"Speed {50 + i}", 150, 150, frames=(8 * i, 8 * i + 8)) for i in range(10))
    yield "counter", ["Speed 56"], counter, 3.2, ""


def rendered(path, filters, seconds, after):
    ground = f"color=0x3c3c3c:s={WIDTH}x{HEIGHT}:r={FPS}:d={seconds}"
    chain = filters + ("," + after if after else "")
    command = ["ffmpeg", "-v", "error", "-nostdin", "-y", "-f", "lavfi", "-i", ground, "-vf", chain, "-c:v", "libx264", "-crf", "10", "-preset", "ultrafast", "-pix_fmt", "yuv420p", path]
    if not os.path.exists(path): subprocess.run(command, check=True)


def luma(path):
    command = ["ffmpeg", "-v", "error", "-i", path, "-f", "rawvideo", "-pix_fmt", "gray", "-vsync", "passthrough", "-"]
    data = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
    return numpy.frombuffer(data, numpy.uint8).reshape(-1, HEIGHT, WIDTH).astype(int)


def judge(path, copy, name):
    before = luma(path)
    after = luma(copy) if os.path.exists(copy) else before
    ground = 60
    bare, frames, beyond = 0, 0, 0.0
    for number, (b, a) in enumerate(zip(before, after)):
        ink = numpy.abs(b - ground) >= (4 if "faint" in name else 40)
        if "covered" in name: ink &= b > 100
        if name == "counter" and not 48 <= number < 56: ink[:] = False
        if not ink.any(): continue
        frames += 1
        hidden = (a <= 24) & (b > 28)
        columns = ink.any(axis=0)
        open_columns = (ink & ~hidden).sum(axis=0) > 0.34 * numpy.maximum(1, ink.sum(axis=0))
        bare += (columns & open_columns).sum() > 0.25 * columns.sum()
        ys, xs = numpy.nonzero(ink)
        near = numpy.zeros_like(ink)
        near[max(0, ys.min() - 34) : ys.max() + 35, max(0, xs.min() - 34) : xs.max() + 35] = True
        beyond += (hidden & ~near).mean()
    return bare, frames, beyond / max(1, frames)


def arguments(parser):
    parser.add_argument("--only", metavar="KIND", default="")


def run(given, folder):
    os.makedirs(folder, exist_ok=True)
    print(machine())
    print(f"{'clip':22} status  frames    bare  beyond %  seconds")
    sums, groups = [0, 0], {}
    for name, patterns, filters, seconds, after in cases():
        if not name.startswith(given.only): continue
        path, copy = os.path.join(folder, name + ".mp4"), os.path.join(folder, name + ".clean.mp4")
        rendered(path, filters, seconds, after)
        if os.path.exists(copy): os.unlink(copy)
        begun = time.monotonic()
        code, out, err, _, _ = measured([FRAMEGREP, "redact", *patterns, path, "-o", copy, *given.options])
        took = time.monotonic() - begun
        bare, frames, beyond = (0, 0, 0) if code == 2 else judge(path, copy, name)
        group = groups.setdefault(name.split("-")[0].rstrip("0123456789"), [0, 0, 0, 0])
        for index, value in enumerate((1, frames, bare, code == 2)): group[index] += value
        if bare or code == 2 or given.only or beyond > 0.01:
            print(f"{name:22} {code:6} {frames:7} {bare:7} {100 * beyond:9.2f} {took:8.1f}" + (f"  {err.strip().splitlines()[-1][:90]}" if code == 2 and err.strip() else ""), flush=True)
    for name, (count, frames, bare, refused) in groups.items():
        print(f"{name:22} {count:4} clips {frames:7} frames {bare:5} bare {refused:3} refused")
    print(f"{'all':22} {sum(g[0] for g in groups.values()):4} clips {sum(g[1] for g in groups.values()):7} frames {sum(g[2] for g in groups.values()):5} bare")
