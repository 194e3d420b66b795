"""What `framegrep live --redact` leaves bare of secrets that blink at random before a camera.

    scripts/bench redact-live [--seconds 120] [--rate 30] [--shown 3] [--seed 1] [--keep FOLDER] [--record] [-- OPTIONS FOR LIVE]

The camera is a server of this script that sends one JPEG picture of 1280×720 pixels after the other, in real time. Addresses, numbers and names come and go
at random, for one frame to a second and a half each, at random places, --shown of them at a time on the average. Below the searched part of
the picture stands each frame's number, as black and white fields: so the frames of the recording are known again, whatever was left out.

Judged by what was drawn: a frame of the recording is bare where more than a third of a secret's letters stand in it uncovered. Printed: how many
frames were sent, recorded and bare; the memory at the end; which were bare. Needs numpy, Pillow and ffmpeg.
"""
import http.server, io, os, random, subprocess, sys, threading, time

import numpy
from PIL import Image, ImageDraw, ImageFont

from figures import machine
from program import FRAMEGREP, measured, with_patterns

WIDTH, HEIGHT, STRIP, BITS = 1280, 720, 32, 20
NAMES = ["Jane Doe", "Marianne Holt", "Oskar Lindqvist", "Peter Abernathy", "Lucia Fernandez", "Henry Whitcombe"]
KINDS = [":email", ":phone", ":ip"]
PLAIN = ["Open tasks", "Draft version", "Next milestone", "Build finished", "Settings saved"]
FONT = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"


def secret(chance):
    name = chance.choice(NAMES)
    return chance.choice([
        name, "{}.{}@example.com".format(*name.lower().split()), f"+1 {chance.randint(201, 299)} 555 {chance.randint(1000, 9999)}",
        f"192.168.{chance.randint(10, 250)}.{chance.randint(10, 250)}"])


def script(seconds, rate, shown, seed):
    """What stands in each frame: text, whether it is secret, where, how high, its color."""
    chance = random.Random(seed)
    frames = [[] for _ in range(seconds * rate)]
    lanes = [(x, y) for y in range(40, HEIGHT - STRIP - 60, 70) for x in (40, 660)]
    mean = (1 + 45) / 2
    for x, y in lanes:
        at = chance.randint(0, 60)
        while at < len(frames):
            isSecret = chance.random() < 0.75
            text = secret(chance) if isSecret else chance.choice(PLAIN)
            length, size = chance.randint(1, 45), chance.randint(22, 34)
            left, top = x + chance.randint(0, 60), y + chance.randint(0, 16)
            for frame in frames[at:at + length]: frame.append((text, isSecret, left, top, size))
            # Of the time of a lane so much is without text that so many are shown on the average.
            at += length + max(1, round(chance.expovariate(1 / (mean * (len(lanes) * 0.75 / shown - 1)))))
    return frames


def font(size, known={}):
    if size not in known: known[size] = ImageFont.truetype(FONT, size)
    return known[size]


def picture(number, texts):
    image = Image.new("RGB", (WIDTH, HEIGHT), (52, 74, 90))
    draw = ImageDraw.Draw(image)
    for text, _, x, y, size in texts: draw.text((x, y), text, font=font(size), fill=(235, 235, 235))
    for bit in range(BITS):
        draw.rectangle([bit * 64, HEIGHT - STRIP, bit * 64 + 63, HEIGHT - 1], fill=(255,) * 3 if number >> bit & 1 else (0,) * 3)
    return image


class Camera(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, pictures, rate):
        super().__init__(("127.0.0.1", 0), Connection)
        self.pictures, self.rate, self.sent, self.late = pictures, rate, 0, 0


class Connection(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_): pass

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
        self.end_headers()
        # The type of the answer is asked for first, by a connection that is closed again.
        begun = time.monotonic()
        try:
            for number, data in enumerate(self.server.pictures):
                rest = begun + number / self.server.rate - time.monotonic()
                if rest > 0: time.sleep(rest)
                elif rest < -0.1: self.server.late += 1
                self.wfile.write(b"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n" % len(data) + data + b"\r\n")
                self.server.sent = number + 1
            self.server.isOver.set()
        except OSError: pass


def uncovered(frame, before, text, x, y, size):
    """How many letters of a text stand bare, and how many there are."""
    bare = whole = 0
    for index, letter in enumerate(text):
        if letter == " ": continue
        left, right = x + font(size).getlength(text[:index]), x + font(size).getlength(text[:index + 1])
        box = slice(y, y + int(size * 1.25)), slice(int(left), int(right) + 1)
        # The letter's own pixels: brighter than what they stand on.
        own = before[box] > 150
        if own.sum() < 4: continue
        whole += 1
        bare += (frame[box][own] > 45).mean() > 0.5
    return bare, whole


def judge(copy, frames):
    command = ["ffmpeg", "-v", "quiet", "-i", copy, "-f", "rawvideo", "-pix_fmt", "gray", "-vsync", "passthrough", "-"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    count, bare, secrets, seen = 0, [], 0, set()
    while len(data := process.stdout.read(WIDTH * HEIGHT)) == WIDTH * HEIGHT:
        after = numpy.frombuffer(data, numpy.uint8).reshape(HEIGHT, WIDTH)
        number = sum(1 << bit for bit in range(BITS) if after[HEIGHT - STRIP // 2, bit * 64 + 32] > 128)
        count += 1
        if number >= len(frames): continue
        seen.add(number)
        wanted = [text for text in frames[number] if text[1]]
        if not wanted: continue
        before = numpy.asarray(picture(number, frames[number]).convert("L"))
        for text, _, x, y, size in wanted:
            secrets += 1
            naked, whole = uncovered(after, before, text, x, y, size)
            if naked > whole / 3: bare.append((number, text))
    process.wait()
    return count, len(seen), secrets, bare


def arguments(parser):
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("--rate", type=int, default=30)
    parser.add_argument("--shown", type=float, default=3)
    parser.add_argument("--seed", type=int, default=1)


def run(given, folder):
    copy = os.path.join(folder, "clean.mp4")
    frames = script(given.seconds, given.rate, given.shown, given.seed)
    pictures = []
    for number, texts in enumerate(frames):
        bytes_ = io.BytesIO()
        picture(number, texts).save(bytes_, "JPEG", quality=88)
        pictures.append(bytes_.getvalue())
    changes = sum(a != b for a, b in zip(frames, frames[1:]))
    print(machine())
    print(f"{len(frames)} frames of {given.seconds} s; in {changes} something comes or goes; {sum(t[1] for f in frames for t in f) / len(frames):.1f} secrets a frame", flush=True)
    camera = Camera(pictures, given.rate)
    camera.isOver = threading.Event()
    threading.Thread(target=camera.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{camera.server_address[1]}/"
    command = [FRAMEGREP, "live", *with_patterns(KINDS + NAMES), address, "--redact", "--headless", "--record", copy, "--stats", "--reconnect", "never",
               "--region", f"0,0,{WIDTH},{HEIGHT - STRIP}", "--timeout", f"{given.seconds + 5}s", *given.options]
    code, out, err, took, memory = measured(command)
    camera.shutdown()
    if given.keep: open(os.path.join(given.keep, "live.log"), "w").write(err)
    if not os.path.exists(copy): sys.exit(f"nothing was recorded ({code}): {err[-600:]}")
    count, distinct, secrets, bare = judge(copy, frames)
    figures = [line for line in err.splitlines() if line.startswith("in ")]
    print(f"sent {camera.sent} (late: {camera.late}), recorded {count} ({distinct} different), secrets in them {secrets}, bare {len(bare)}, {memory:.0f} MiB")
    if figures: print(figures[len(figures) // 2]), print(figures[-1])
    for line in err.splitlines():
        if "left out" in line: print(line)
    for number, text in bare[:20]: print(f"  frame {number}: {text}")
