"""Small lines that stand still: rendered clips of 2 to 4 seconds with letters of 9 to 16 pixels an em, blurred, noisy and strongly compressed,
and how many of their lines `framegrep find` reads."""
import json, os, random, re, subprocess

from program import FRAMEGREP, measured, with_patterns

FPS = 25
WIDTH, HEIGHT = 480, 272
# Drawn so many times as large, so that lines and a camera that trembles stand between pixels.
SCALE = 4
CLIPS, LINES, ASIDE = 32, 5, 3  # every third clip is put aside

WORDS = """harbor signal window bridge garden market silver copper engine filter
basket ladder pepper ticket tunnel winter carpet button kettle magnet
planet rocket saddle timber velvet whistle anchor barrel candle dragon
effort fabric galaxy hammer island jacket kitchen lantern meadow nickel
orange pocket quarter ribbon stream thunder umbrella village walnut yellow
archive battery concert display exhibit factory gallery heating insight journal
keyboard library message network opening parking quality railway section terminal
upgrade vehicle weather balance captain deposit express freight general holiday""".split()
FONTS = ["DejaVuSans.ttf", "DejaVuSans-Bold.ttf", "DejaVuSerif.ttf", "DejaVuSansMono.ttf", "DejaVuSansCondensed.ttf"]
FONT_FOLDER = "/usr/share/fonts/truetype/dejavu"
COLORS = [("0x39424c", "0xd8dce0"), ("0x101418", "0xa0a8a0"), ("0xe8e4d8", "0x504838"), ("0x2a4030", "0xb8c8a0"), ("0xb0b8c0", "0x303840")]


def line_of(random, number):
    """Two or three words; in every second line one of them is a number or a code."""
    words = random.sample(WORDS, 2)
    word = lambda w: w.capitalize() if random.random() < 0.5 else w
    code = random.choice([
        lambda: f"{random.randint(10000, 99999)}", lambda: f"{random.choice('BDGHKT')}{random.choice('AEMX')}{random.randint(100, 999)}-{random.choice('CFRW')}",
        lambda: f"{random.randint(10, 23)}:{random.randint(10, 59)}:{random.randint(10, 59)}", lambda: f"{random.randint(100, 999)}.{random.randint(10, 99)} EUR"])()
    return " ".join([word(words[0]), code, words[1]] if number % 2 else [word(words[0]), word(words[1])])


def near_miss(random, word):
    """The word with one letter that looks otherwise."""
    place = random.randrange(1, len(word) - 1)
    shapes = ["aeo", "bdhk", "fijlrt", "ckxz", "mnuvw", "gpqy"]
    others = [c for shape in shapes if word[place].lower() not in shape for c in shape if c not in "il"]
    return word[:place] + random.choice(others) + word[place + 1:]


class Clip:
    """One clip: its lines, its look and where it lies."""

    def __init__(self, number):
        self.number, self.name, self.aside = number, f"standing-{number:02}", number % ASIDE == 2
        chance = random.Random(1000 + number)
        self.seconds = chance.choice([2, 3, 4])
        self.paper, self.ink = COLORS[number % len(COLORS)]
        self.blur = chance.uniform(0.3, 0.9)
        self.noise = chance.choice([4, 8, 12, 18])
        self.crf = chance.choice([28, 31, 34, 38])
        self.trembles = number % 4 == 3
        self.lines, self.absent = [], []
        for index in range(LINES):
            text = line_of(chance, number * LINES + index)
            size = chance.choice([9, 10, 11, 12, 13, 14, 16])
            self.lines.append({"text": text, "size": size, "font": chance.choice(FONTS), "x": chance.uniform(20, 90), "y": 18 + 50 * index + chance.random()})
        self.words = [w for line in self.lines for w in line["text"].split() if len(w) >= 5]
        for word in self.words:
            if word.isalpha() and word.lower() not in [w for w in self.absent]: self.absent.append(near_miss(chance, word.lower()))

    def render(self, folder):
        path = os.path.join(folder, self.name + ".mp4")
        if os.path.exists(path): return path
        drawn = []
        for index, line in enumerate(self.lines):
            text = os.path.join(folder, f"{self.name}-{index}.txt")
            with open(text, "w") as file: file.write(line["text"])
            drawn.append(f"drawtext=fontfile={FONT_FOLDER}/{line['font']}:textfile={text}:expansion=none:fontsize={line['size'] * SCALE}"
                         f":fontcolor={self.ink}:x={line['x'] * SCALE:.0f}:y={line['y'] * SCALE:.0f}")
        margin = 2 * SCALE
        moved = (f"crop={WIDTH * SCALE}:{HEIGHT * SCALE}:x='{margin}+{SCALE}*0.6*sin(n*0.9)':y='{margin}+{SCALE}*0.6*cos(n*1.3)'" if self.trembles
                 else f"crop={WIDTH * SCALE}:{HEIGHT * SCALE}:{margin}:{margin}")
        look = f"scale={WIDTH}:{HEIGHT}:flags=area,gblur=sigma={self.blur:.2f},noise=alls={self.noise}:allf=t:all_seed={self.number},format=yuv420p"
        subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", f"color={self.paper}:size={WIDTH * SCALE + 2 * margin}x{HEIGHT * SCALE + 2 * margin}:rate={FPS}",
                        "-t", str(self.seconds), "-vf", ",".join(["format=rgb24", *drawn, moved, look]),
                        "-c:v", "libx264", "-preset", "veryfast", "-crf", str(self.crf), "-threads", "1", path + ".part.mp4"], check=True)
        os.rename(path + ".part.mp4", path)
        truth = {"lines": [{"text": l["text"], "size": l["size"], "x": l["x"] - 2, "y": l["y"] - 2} for l in self.lines], "aside": self.aside,
                 "blur": self.blur, "noise": self.noise, "crf": self.crf, "trembles": self.trembles, "absent": self.absent}
        with open(path[:-4] + ".truth.json", "w") as file: json.dump(truth, file)
        return path


def clips(aside): return [clip for clip in map(Clip, range(CLIPS)) if clip.aside == aside]


def squeezed(text): return "".join(text.lower().split())


def judge(clip, path, options):
    """(lines, exact, words, found, near misses, false, seconds of the processor)"""
    command = [FRAMEGREP, "find", "--format", "jsonl", *options]
    code, out, err, *_ = measured([*command, "--all-text", path])
    if code == 2: raise SystemExit(err.strip())
    read = [squeezed(o["line"]) for o in map(json.loads, out.splitlines()) if o["type"] == "text"]
    exact = [line["text"] for line in clip.lines if squeezed(line["text"]) in read]
    words = list(dict.fromkeys(clip.words))
    code, out, err, *_ = measured([*command, *with_patterns(words + clip.absent), path])
    seen = {o["pattern"] for o in map(json.loads, out.splitlines()) if o["type"] == "sighting"}
    return clip, exact, read, [w for w in words if w in seen], words, [w for w in clip.absent if w in seen]


def report(folder, names, aside, options, verbose=False):
    """A row a clip, and the sums."""
    print(f"{'clip':<16}{'blur':>6}{'noise':>6}{'crf':>5}{'lines exact':>13}{'words found':>13}{'false':>7}")
    sums = [0] * 6
    for clip in clips(aside):
        if names and clip.name not in names: continue
        clip, exact, read, found, words, false = judge(clip, clip.render(folder), options)
        row = [len(exact), len(clip.lines), len(found), len(words), len(false), len(clip.absent)]
        sums = [a + b for a, b in zip(sums, row)]
        print(f"{clip.name:<16}{clip.blur:>6.2f}{clip.noise:>6}{clip.crf:>5}{row[0]:>7}/{row[1]:<5}{row[2]:>7}/{row[3]:<5}{row[4]:>3}/{row[5]}"
              f"{'  trembles' if clip.trembles else ''}", flush=True)
        if verbose:
            for line in clip.lines:
                if line["text"] not in exact: print(f"    not exact: {line['text']!r} ({line['size']})")
            for line in read: print(f"    read: {line}")
        for word in false: print(f"    false: {word}")
    print(f"{'all':<33}{sums[0]:>7}/{sums[1]:<5}{sums[2]:>7}/{sums[3]:<5}{sums[4]:>3}/{sums[5]}")
