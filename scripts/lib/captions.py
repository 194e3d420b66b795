"""Captions as people make them: rendered clips of forty styles, and how much of what they say comes out of `framegrep find --all-text` and
`--transcript`, each line once, exact, from its first frame to its last."""
import difflib, json, os, re, subprocess

from program import FRAMEGREP, measured

FPS = 25
# A caption is right where it begins and ends within so many frames of the truth.
TOLERANCE = 2

# What is said, two lines each; every clip takes other ones.
SAYINGS = [
    ("The harbor is closed today", "because of the storm"), ("Nobody told us about it", "until this morning"),
    ("We took the night train", "across the mountains"), ("Bring your own lunch", "and a warm jacket"),
    ("Her brother fixes clocks", "in a small workshop"), ("Press the green button", "to open the gate"),
    ("Water boils more quickly", "at high altitude"), ("The museum opens at nine", "every day but Monday"),
    ("I never learned to swim", "as a young child"), ("Turn left at the bakery", "then walk uphill"),
    ("Most of these birds", "fly south in October"), ("Please mind the step", "when leaving the boat"),
    ("That bridge was built", "by two engineers"), ("Keep the receipt", "for at least a year"),
    ("My favorite chapter", "is the very last one"), ("Save the file first", "before closing it"),
    ("Three cups of flour", "and a pinch of salt"), ("The signal was weak", "behind those hills"),
    ("Everyone clapped loudly", "after the second act"), ("Check the oil level", "before a long drive"),
]

BACKGROUNDS = {
    "flat": "color=0x39424c", "night": "color=0x101418", "paper": "color=0xf0ece0",
    "shapes": "testsrc2", "clouds": "gradients=n=4:c0=0x203040:c1=0x705030:c2=0x305040:c3=0x503060:speed=0.02:seed=7",
    "fractal": "mandelbrot=start_scale=0.3:end_scale=0.05:end_pts=300", "life": "life=mold=10:ratio=0.1:death_color=#402020:life_color=#507050:mold_color=#303048:seed=5",
}


class Clip:
    """A clip under construction: ASS events and what they are to give."""

    def __init__(self, name, background="clouds", size=26, look="", font="DejaVu Sans", width=640, height=360, crf=23, seconds=9, first=0):
        self.__dict__.update(name=name, background=background, size=size, look=look, font=font, width=width, height=height, crf=crf,
                             seconds=seconds, first=first, events=[], truth=[], standing=[])

    def saying(self, number): return SAYINGS[(self.first + number) % len(SAYINGS)]

    def show(self, text, start, end, tags="", layer=0):
        """Shows a text in the frames `start` up to `end`."""
        time = lambda frame: f"0:00:{frame / FPS:05.2f}"
        self.events.append(f"Dialogue: {layer},{time(start)},{time(end)},Default,,0,0,0,,{{{tags}{self.look}}}{text}")

    def say(self, lines, start, end):
        """What is to come out: lines that stand together; a time is a frame, or the first and the last that are right."""
        span = lambda time: list(time) if isinstance(time, tuple) else [time, time]
        self.truth.append({"lines": lines, "start": span(start), "end": span(end)})

    def spans(self, count=4, length=45, gap=8, first=6):
        """One caption after the other."""
        return [(first + n * (length + gap), first + n * (length + gap) + length) for n in range(count)]

    def ass(self):
        margin = round(self.height * 0.08)
        return f"""[Script Info]
ScriptType: v4.00+
PlayResX: {self.width}
PlayResY: {self.height}
WrapStyle: 2
[V4+ Styles]
Format: Name,Fontname,Fontsize,PrimaryColour,SecondaryColour,OutlineColour,BackColour,Bold,Italic,Underline,StrikeOut,ScaleX,ScaleY,Spacing,Angle,BorderStyle,Outline,Shadow,Alignment,MarginL,MarginR,MarginV,Encoding
Style: Default,{self.font},{self.size},&H00FFFFFF,&H00808080,&H00000000,&H80000000,0,0,0,0,100,100,0,0,1,2,0,2,10,10,{margin},1
[Events]
Format: Layer,Start,End,Style,Name,MarginL,MarginR,MarginV,Effect,Text
""" + "\n".join(self.events) + "\n"

    def render(self, folder):
        path = os.path.join(folder, self.name + ".mp4")
        if os.path.exists(path): return path
        script = os.path.join(folder, self.name + ".ass")
        with open(script, "w") as file: file.write(self.ass())
        source = BACKGROUNDS[self.background]
        source += ("=" if "=" not in source else ":") + f"size={self.width}x{self.height}:rate={FPS}"
        subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", source, "-t", str(self.seconds), "-vf", f"format=yuv420p,ass={script}",
                        "-c:v", "libx264", "-preset", "veryfast", "-crf", str(self.crf), "-threads", "1", path + ".part.mp4"], check=True)
        os.rename(path + ".part.mp4", path)
        return path


def plain(name, lines=1, tags="", rise=0, fall=0, slack=0, count=4, length=45, gap=8, **look):
    """Captions that come and go, by a fade of so many frames where asked for; `slack`: frames until all of one is there."""
    clip = Clip(name, **look)
    for number, (start, end) in enumerate(clip.spans(count, length, gap)):
        said = clip.saying(number)[:lines]
        fade = f"\\fad({rise * 1000 // FPS},{fall * 1000 // FPS})" if rise or fall else ""
        clip.show("\\N".join(said), start, end, fade + tags)
        clip.say(list(said), (start + rise // 2, start + rise // 2 + slack), end - fall // 2)
    return clip


def typed(name, each=2, by="letter", caret="", erased=False, lines=1, stands=30, count=3, **look):
    """Captions that are typed from the left, a letter or a word at a time, `each` frames for a step."""
    clip = Clip(name, **look)
    frame, place = 6, f"\\an1\\pos({clip.width // 12},{clip.height * 9 // 10})"
    for number in range(count):
        said = clip.saying(number)[:lines]
        whole = "\n".join(said)
        steps = [n + 1 for n, c in enumerate(whole) if not c.isspace()] if by == "letter" else [m.end() for m in re.finditer(r"\S+", whole)]
        begun, begins = frame, {}
        for step in steps:
            last = step == steps[-1]
            end = frame + (stands if last else each)
            # The other lines keep their place: typed text does not move what is above it.
            rest = "\\N" * whole[step:].count("\n") + ("{\\alpha&HFF&}x" if "\n" in whole[step:] else "")
            clip.show(whole[:step].replace("\n", "\\N") + caret + rest, frame, end, place)
            begins.setdefault(whole[:step].count("\n"), frame)
            frame = end
        over = frame
        if erased:
            for step in reversed(steps[:-1]):
                clip.show(whole[:step], frame, frame + 1, place)
                frame += 1
        for index, line in enumerate(said): clip.say([line + caret], begins[index], (over, frame))
        if lines > 1: clip.truth[-lines:] = [{"lines": list(said), "start": [begun, begun], "end": [over, frame], "starts": [begins[i] for i in range(lines)]}]
        frame += 10
    clip.seconds = (frame + 10) / FPS
    return clip


def karaoke(name, kind="k", lines=1, **look):
    """Words take another color while they are sung."""
    clip = Clip(name, **look)
    for number, (start, end) in enumerate(clip.spans(3, 60, 8)):
        said = clip.saying(number)[:lines]
        words = sum(len(line.split()) for line in said)
        share = int((end - start - 10) / FPS * 100 / words)
        text = "\\N".join(" ".join(f"{{\\{kind}{share}}}{word}" for word in line.split()) for line in said)
        clip.show(text, start, end, "\\1c&H00E0FF&\\2c&HFFFFFF&")
        clip.say(list(said), start, end)
    return clip


def sliding(name, frames=10, direction="left", **look):
    """Captions that slide in, stand and are cut off."""
    clip = Clip(name, **look)
    middle, bottom = clip.width // 2, clip.height * 9 // 10
    begin = {"left": f"{-clip.width // 2},{bottom}", "up": f"{middle},{clip.height + 60}", "near": f"{middle - 60},{bottom}"}[direction]
    for number, (start, end) in enumerate(clip.spans(4, 45, 8)):
        line = clip.saying(number)[0]
        clip.show(line, start, end, f"\\move({begin},{middle},{bottom},0,{frames * 1000 // FPS})")
        clip.say([line], (start, start + frames), end)
    return clip


def drifting(name, speed=30, upward=False, **look):
    """Captions that go on moving, in pixels a second."""
    clip = Clip(name, **look)
    for number, (start, end) in enumerate(clip.spans(3, 60, 8)):
        line = clip.saying(number)[0]
        way = round(speed * (end - start) / FPS)
        x, y = clip.width // 2 - (0 if upward else way // 2), clip.height * 3 // 4
        to = f"{x},{y - way}" if upward else f"{x + way},{y}"
        clip.show(line, start, end, f"\\move({x},{y},{to})")
        clip.say([line], start, end)
    return clip


def credits(name, speed=60, **look):
    """Lines that rise through the picture, one below the other."""
    clip = Clip(name, **look)
    size, frames = clip.size, round((clip.height + 2 * clip.size) / speed * FPS)
    for number in range(6):
        line, start = clip.saying(number)[number % 2], 4 + round(number * 2.2 * size / speed * FPS)
        end = start + frames
        x = clip.width // 2
        clip.show(line, start, end, f"\\an8\\move({x},{clip.height},{x},{-2 * size})")
        # Lines that cross the edge have no sharp times.
        leaving, half = round(size / speed * FPS), round(1.4 * size / speed * FPS)
        clip.say([line], (start, start + 2 * half), (end - 3 * half, end + leaving))
    clip.seconds = (4 + round(5 * 2.2 * size / speed * FPS) + frames + 6) / FPS
    return clip


def rolling(name, **look):
    """Two lines: the lower one moves up when the next one comes."""
    clip = Clip(name, **look)
    low, high = clip.height * 9 // 10, clip.height * 9 // 10 - round(clip.size * 1.3)
    for number in range(5):
        line, start = clip.saying(number)[number % 2], 6 + 40 * number
        clip.show(line, start, start + 40, f"\\an1\\pos(50,{low})")
        clip.show(line, start + 40, start + 80, f"\\an1\\pos(50,{high})")
        clip.say([line], start, start + 80)
    clip.seconds = (6 + 40 * 6 + 8) / FPS
    return clip


def crossing(name, frames=10, **look):
    """One caption fades out where the next one fades in."""
    clip = Clip(name, **look)
    for number in range(4):
        line, start = clip.saying(number)[0], 6 + 45 * number
        clip.show(line, start, start + 45 + frames, f"\\fad({frames * 40},{frames * 40})")
        clip.say([line], start + frames // 2, start + 45 + frames // 2)
    return clip


def wiped(name, frames=12, **look):
    """A line is uncovered from the left."""
    clip = Clip(name, **look)
    for number, (start, end) in enumerate(clip.spans(4, 45, 8)):
        line = clip.saying(number)[0]
        clip.show(line, start, end, f"\\clip(0,0,60,{clip.height})\\t(0,{frames * 40},\\clip(0,0,{clip.width},{clip.height}))")
        clip.say([line], (start, start + frames // 2), end)
    return clip


def popping(name, **look):
    """A line grows to its size when it comes."""
    return plain(name, tags="\\fscx40\\fscy40\\t(0,240,\\fscx100\\fscy100)", slack=6, **look)


def blinking(name, **look):
    """A line is away for a fifth of a second."""
    clip = Clip(name, **look)
    for number, (start, end) in enumerate(clip.spans(3, 55, 20)):
        line = clip.saying(number)[0]
        clip.show(line, start, start + 25)
        clip.show(line, start + 30, end)
        clip.say([line], start, end)
    return clip


def repeated(name, **look):
    """One caption twice, with two seconds between: it was said twice."""
    clip = Clip(name, **look)
    for number, (start, end) in enumerate(clip.spans(4, 30, 10)):
        line = clip.saying(number % 2)[0]
        clip.show(line, start, end)
        clip.say([line], start, end)
    return clip


def beside(clip, logo=None, clock=False):
    """The same with a logo in a corner, or a clock, all the time."""
    frames = round(clip.seconds * FPS)
    if logo:
        clip.show(logo, 0, frames, "\\an9")
        clip.standing.append({"lines": [logo], "start": [0, 0], "end": [frames, frames]})
    if clock:
        for second in range(frames // FPS + 1):
            clip.show(f"2026-11-23 19:41:{second + 10}", second * FPS, min(frames, second * FPS + FPS), "\\an7\\fs20")
            if second * FPS < frames:
                clip.standing.append({"lines": [f"2026-11-23 19:41:{second + 10}"], "start": [second * FPS] * 2, "end": [min(frames, second * FPS + FPS)] * 2})
    return clip


def two_speakers(name, **look):
    """A line at the bottom and another one at the top, with times of their own."""
    clip = Clip(name, **look)
    for number, (start, end) in enumerate(clip.spans(3, 50, 10)):
        low, high = clip.saying(number)
        clip.show(low, start, end)
        clip.show(high, start + 15, end + 5, "\\an8")
        clip.say([low], start, end)
        clip.say([high], start + 15, end + 5)
    return clip


def clips(aside=False):
    """The clips to choose by, or those put aside, which no choice was made with."""
    box = dict(look="\\bord6\\3c&H101010&")
    if not aside:
        return [
            plain("cut", first=0), plain("cut-shapes", background="shapes", first=1), plain("cut-two", lines=2, first=2),
            plain("cut-two-shapes", lines=2, background="shapes", first=3), plain("cut-small", size=17, background="flat", first=4),
            plain("cut-720", size=44, width=1280, height=720, background="fractal", first=5, count=3), plain("cut-life", background="life", first=6),
            plain("cut-crf36", crf=36, background="fractal", first=7), plain("cut-thin", background="paper", look="\\bord0\\1c&H303030&", first=8),
            plain("fade-5", rise=5, fall=5, first=9), plain("fade-12", rise=12, fall=12, background="shapes", first=10),
            plain("fade-25", rise=25, fall=20, length=70, count=3, background="flat", first=11), plain("fade-two", lines=2, rise=10, fall=10, first=12),
            typed("typed", first=13, background="night"), typed("typed-slow", each=4, first=14, background="night", count=2),
            typed("typed-shapes", each=2, first=15, background="shapes"), typed("typed-caret", caret="_", first=16, background="night"),
            typed("typed-words", each=8, by="word", first=17), typed("typed-two", each=1, lines=2, first=18, background="flat"),
            karaoke("karaoke", first=19), karaoke("karaoke-sweep", kind="kf", first=0, background="shapes"),
            sliding("slide-left", first=1), sliding("slide-up", direction="up", first=2, background="flat"), drifting("drift", first=3),
            credits("credits", first=4, background="night"), rolling("roll-up", first=5, background="flat"), crossing("cross-fade", first=6),
            beside(plain("clock-shapes", background="shapes", first=7), clock=True), beside(plain("logo", first=8, seconds=22, count=9), logo="CHANNEL 9"),
            repeated("repeated", first=9, background="flat"),
        ]
    return [
        plain("aside-serif", font="DejaVu Serif", background="shapes", first=10, lines=2), plain("aside-box", first=11, background="life", **box),
        plain("aside-fade-8", rise=8, fall=8, background="fractal", first=12), plain("aside-fade-two", lines=2, rise=15, fall=15, background="shapes", first=13, length=55, count=3),
        typed("aside-typed", each=3, first=14, background="clouds", count=2), typed("aside-typed-words", each=6, by="word", first=15, background="shapes"),
        karaoke("aside-karaoke", lines=2, first=16, background="fractal"), sliding("aside-slide", direction="near", first=17, background="shapes"),
        wiped("aside-wipe", first=18), popping("aside-pop", first=19, background="flat"), blinking("aside-blink", first=0), two_speakers("aside-speakers", first=1, background="shapes"),
        drifting("aside-rising", upward=True, first=2, background="flat"), beside(plain("aside-clock", background="shapes", first=3, size=24, lines=2), clock=True, logo=None),
    ]


def squeezed(text): return "".join(c for c in text.lower() if c.isalnum())


def is_about(said, wanted):
    """It is the line, a part of it, or the line misread."""
    a, b = squeezed(said), squeezed(wanted)
    if not a or not b: return False
    if a in b: return len(a) > 2 or a == b
    if b in a: return True
    if re.sub(r"\D", "", a) and not re.search(r"[a-z]", b): return a == b
    blocks = difflib.SequenceMatcher(None, a, b, autojunk=False).get_matching_blocks()
    return sum(m.size for m in blocks if m.size > 1) >= 0.6 * min(len(a), len(b)) and min(len(a), len(b)) > 3


def read(path, options):
    code, out, err, wall, _ = measured([FRAMEGREP, "find", "-v", "--format", "jsonl", "--no-index", *options, path])
    if code == 2: raise SystemExit(err.strip())
    rows = [(o["line"], round(o["start"] * FPS), round(o["end"] * FPS)) for o in map(json.loads, out.splitlines()) if o["type"] == "text"]
    return rows, wall


def judge(rows, wanted, verbose):
    """(how many are wanted, said once, once and exactly, also at their time, rows that are none of them)"""
    once = exact = timed = 0
    own = [[n for n, row in enumerate(rows) if is_about(row[0], text) and row[1] < end[1] + 12 and row[2] > start[0] - 12] for text, start, end in wanted]
    # A row belongs to the text that it is most like.
    like = lambda n, text: difflib.SequenceMatcher(None, squeezed(rows[n][0]), squeezed(text), autojunk=False).ratio()
    overlap = lambda n, w: min(rows[n][2], w[2][0]) - max(rows[n][1], w[1][0])
    best = {n: max((i for i in range(len(wanted)) if n in own[i]), key=lambda i: (like(n, wanted[i][0]), overlap(n, wanted[i]))) for n in {n for o in own for n in o}}
    for index, (text, start, end) in enumerate(wanted):
        mine = [rows[n] for n in own[index] if best[n] == index]
        once += len(mine) == 1
        right = len(mine) == 1 and mine[0][0] == text
        exact += right
        good = right and start[0] - TOLERANCE <= mine[0][1] <= start[1] + TOLERANCE and end[0] - TOLERANCE <= mine[0][2] <= end[1] + TOLERANCE
        timed += good
        if verbose and not good: print(f"    {text}: {start}..{end} said {mine}")
    others = [row for n, row in enumerate(rows) if n not in best]
    if verbose and others: print(f"    besides: {others}")
    return [len(wanted), once, exact, timed, len(others)]


def lines_of(clip):
    """Each line with its times."""
    for t in clip.truth + clip.standing:
        for index, line in enumerate(t["lines"]):
            start = [t["starts"][index]] * 2 if "starts" in t else t["start"]
            yield line, start, t["end"]


def report(folder, names, aside, options, verbose=True):
    """Prints a row a clip: of its lines (--all-text) and of its captions (--transcript) how many are wanted, said once, once and exactly, and at
    their time, and what was said besides."""
    chosen = [c for c in (clips() + clips(aside=True) if names else clips(aside)) if not names or c.name in names]
    print(f"{'clip':<18}{'lines: once':>13}{'exact':>7}{'timed':>7}{'besides':>9}{'captions: once':>17}{'exact':>7}{'timed':>7}{'besides':>9}{'s':>6}")
    totals = [[0] * 5, [0] * 5]
    for clip in chosen:
        path = clip.render(folder)
        shapes = clip.background == "shapes"
        # What the pictures themselves say: FFmpeg's test picture has numbers in it.
        telling = lambda rows, says: [r for r in rows if not shapes or says(r[0])]
        rows, wall = read(path, ["--all-text", *options])
        lines = judge(telling(rows, lambda t: re.search("[^0-9.:]", t)), list(lines_of(clip)), verbose)
        rows, _ = read(path, ["--transcript", *options])
        whole = [(" ".join(t["lines"]), t["start"], t["end"]) for t in clip.truth]
        captions = judge(telling(rows, lambda t: re.search("[A-Za-z]", t)), whole, verbose)
        totals = [[a + b for a, b in zip(total, row)] for total, row in zip(totals, (lines, captions))]
        print(f"{clip.name:<18}{lines[1]:>8}/{lines[0]:<4}{lines[2]:>7}{lines[3]:>7}{lines[4]:>9}"
              f"{captions[1]:>12}/{captions[0]:<4}{captions[2]:>7}{captions[3]:>7}{captions[4]:>9}{wall:>6.1f}", flush=True)
    lines, captions = totals
    print(f"{'all':<18}{lines[1]:>8}/{lines[0]:<4}{lines[2]:>7}{lines[3]:>7}{lines[4]:>9}{captions[1]:>12}/{captions[0]:<4}{captions[2]:>7}{captions[3]:>7}{captions[4]:>9}")
