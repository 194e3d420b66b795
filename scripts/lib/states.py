"""Texts that take each other's place: rendered clips in which the text of a place changes after 2 to 25 frames, over grounds that stand still,
scroll or move, and how many of the states `framegrep find --all-text --each-change` has, each with its own times."""
import json, os, random, subprocess

from program import FRAMEGREP, measured

FPS, SECONDS = 25, 5
WIDTH, HEIGHT = 640, 360
FONT_FOLDER = "/usr/share/fonts/truetype/dejavu"
FONTS = ["DejaVuSans.ttf", "DejaVuSans-Bold.ttf", "DejaVuSansMono.ttf"]
WORDS = "SPEED RANGE LEVEL TRACK DEPTH STAGE COUNT POWER".split()
CLIPS = 30
TOLERANCE = 1
GROUNDS = {
    "still": "color=c=0x303840:s={size}:r={fps}:d={seconds}",
    "scrolling": "smptebars=s={size}:r={fps}:d={seconds},scroll=h={speed}",
    "moving": "testsrc2=s={size}:r={fps}:d={seconds}",
}


class Clip:
    """One clip: its ground, its place, and each text with its frames."""

    def __init__(self, number):
        chance = random.Random(7000 + number)
        self.ground = list(GROUNDS)[number % len(GROUNDS)]
        self.name = f"states-{number:02}-{self.ground}"
        self.size, self.font = chance.randint(22, 48), chance.choice(FONTS)
        # Over what moves letters stand in a box, as they do where they are meant to be read.
        self.boxed = self.ground != "still"
        self.speed = chance.choice([0.003, 0.006, 0.012, 0.02])
        longest = chance.choice([3, 6, 12, 25])
        label, value = chance.choice(WORDS), chance.randint(100, 700)
        self.x, self.y = chance.randint(20, 250), chance.randint(20, HEIGHT - 80)
        self.states, frame = [], 0
        while frame < FPS * SECONDS:
            count = min(chance.randint(2, longest), FPS * SECONDS - frame)
            if FPS * SECONDS - frame - count == 1: count += 1
            value += chance.choice([1, 1, 1, 7, 13])
            self.states.append((f"{label} {value}", frame, frame + count))
            frame += count

    def render(self, folder):
        path = os.path.join(folder, self.name + ".mp4")
        if os.path.exists(path): return path
        look = f"fontfile={FONT_FOLDER}/{self.font}:fontsize={self.size}:fontcolor=white:x={self.x}:y={self.y}"
        if self.boxed: look += ":box=1:boxcolor=black:boxborderw=10"
        texts = [f"drawtext={look}:text='{text}':enable='between(n,{first},{end - 1})'" for text, first, end in self.states]
        ground = GROUNDS[self.ground].format(size=f"{WIDTH}x{HEIGHT}", fps=FPS, seconds=SECONDS, speed=self.speed)
        subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", ground, "-vf", ",".join(texts), "-t", str(SECONDS), "-c:v", "libx264",
                        "-preset", "veryfast", "-crf", "20", "-pix_fmt", "yuv420p", "-threads", "1", path + ".part.mp4"], check=True)
        os.rename(path + ".part.mp4", path)
        return path


def squeezed(text): return "".join(text.split())


def judge(clip, path, options):
    """The states that are missing, those whose times are others, and texts that are none of them."""
    code, out, err, *_ = measured([FRAMEGREP, "find", "--all-text", "--each-change", "--format", "jsonl", *options, path])
    if code == 2: raise SystemExit(err.strip())
    read = [(squeezed(o["line"]), round(o["start"] * FPS), round(o["end"] * FPS))
            for o in map(json.loads, out.splitlines()) if o["type"] == "text"]
    mine = [r for r in read if r[0].startswith(squeezed(clip.states[0][0])[:5])]
    missing, late = [], []
    for text, first, end in clip.states:
        hits = [r for r in mine if r[0] == squeezed(text) and r[1] < end and r[2] > first]
        if not hits: missing.append((text, first, end))
        elif not any(abs(r[1] - first) <= TOLERANCE and abs(r[2] - end) <= TOLERANCE for r in hits): late.append((text, first, end, hits))
    said = {squeezed(text) for text, _, _ in clip.states}
    return missing, late, [r for r in mine if r[0] not in said]


def report(folder, names, aside, options):
    """A row a clip, and the sums of each ground."""
    print(f"{'clip':<24}{'px':>4}{'states':>8}{'read':>6}{'times right':>13}{'others':>8}")
    sums = {}
    for clip in map(Clip, range(CLIPS)):
        if names and clip.name not in names: continue
        missing, late, others = judge(clip, clip.render(folder), options)
        states = len(clip.states)
        row = [states, states - len(missing), states - len(missing) - len(late), len(others)]
        print(f"{clip.name:<24}{clip.size:>4}{row[0]:>8}{row[1]:>6}{row[2]:>13}{row[3]:>8}", flush=True)
        for one in missing: print(f"    missing: {one}")
        for one in late: print(f"    times: {one}")
        for one in others: print(f"    other: {one}")
        for key in (clip.ground, "all"): sums[key] = [a + b for a, b in zip(sums.get(key, [0] * 4), row)]
    for key, row in sums.items(): print(f"{key:<28}{row[0]:>8}{row[1]:>6}{row[2]:>13}{row[3]:>8}")
