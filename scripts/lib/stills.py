"""Photographs as people make them, rendered: signs in textured scenes and number plates, and how many of their words `framegrep find` finds.

Every third picture is put aside (`aside`): no choice was made with it. Needs ImageMagick.
"""
import json, math, os, random, subprocess, zlib

from program import FRAMEGREP, measured

WORDS = """EXIT OPEN CLOSED BAKERY PHARMACY LIBRARY STATION PLATFORM ENTRANCE PARKING HOTEL MUSEUM THEATRE GARDEN MARKET HARBOUR AIRPORT TERMINAL
TICKETS TOILETS ELEVATOR STAIRS CAUTION DANGER VOLTAGE SLIPPERY EMERGENCY FIRE EXTINGUISHER HYDRANT DELIVERY LOADING PRIVATE PROPERTY TRESPASSING
CAMERA RECORDING DISCOUNT BARGAIN COFFEE BREAKFAST SANDWICH CHOCOLATE VANILLA ORANGE LEMONADE BICYCLE REPAIR LAUNDRY CLEANING FLOWERS JEWELRY WATCHES
OPTICIAN DENTIST SURGERY HOSPITAL AMBULANCE POLICE SCHOOL COLLEGE UNIVERSITY LECTURE KITCHEN BATHROOM FURNITURE CARPET CURTAIN HARDWARE PLUMBING
ELECTRIC BATTERY CHARGING STREET AVENUE BOULEVARD SQUARE BRIDGE TUNNEL HIGHWAY JUNCTION NORTH SOUTH EASTERN WESTERN CENTRAL VILLAGE CASTLE CHURCH
CATHEDRAL CHAPEL CEMETERY FOREST MOUNTAIN VALLEY RIVER ISLAND BEACH SWIMMING SAILING FISHING CAMPING CLIMBING GYMNASIUM STADIUM FOOTBALL BASKETBALL
TENNIS BOWLING CINEMA CONCERT ORCHESTRA GALLERY EXHIBITION SCULPTURE PAINTING CERAMICS POTTERY WEAVING TAILOR LEATHER SHOES BOUTIQUE FASHION PERFUME
COSMETICS BARBER SALON MASSAGE SAUNA RECEPTION ELEPHANT PENGUIN GIRAFFE CROCODILE AQUARIUM BUTTERFLY BUTCHER GROCERY ORGANIC VEGETABLES CHEESE
WINERY BREWERY DISTILLERY RESTAURANT PIZZERIA NOODLES CURRY BURGER SALMON OYSTER LOBSTER DESSERT PANCAKES WAFFLES HONEY MUSTARD PEPPER CINNAMON
SAFFRON GINGER WALNUT ALMOND PEANUT CASHEW PISTACHIO MANAGER SECRETARY ACCOUNTANT LAWYER NOTARY ARCHITECT ENGINEER MECHANIC CARPENTER PAINTER""".split()

FONTS = ["DejaVu-Sans", "DejaVu-Sans-Bold", "DejaVu-Sans-Condensed-Bold", "DejaVu-Sans-Condensed", "DejaVu-Serif", "DejaVu-Serif-Bold", "DejaVu-Serif-Condensed-Italic",
         "DejaVu-Sans-Mono-Bold", "DejaVu-Sans-Bold-Oblique", "NanumSquare-Bold", "NanumMyeongjoBold", "NanumBarunGothic"]
WIDTH, HEIGHT = 1600, 1200


def convert(*words):
    result = subprocess.run(["convert", *map(str, words)], capture_output=True, text=True)
    if result.returncode != 0: raise SystemExit("convert: " + result.stderr.strip()[-400:])
    return result.stdout


def rgb(color): return "rgb(%d,%d,%d)" % tuple(color)


def mixed(a, b, share): return [round(x + (y - x) * share) for x, y in zip(a, b)]


class Sign:
    """Lines of text on a board or on the ground itself, as they stand in the picture."""

    def __init__(self, lines, letter, angle, tilt, font, ink, board):
        self.__dict__.update(lines=lines, letter=letter, angle=angle, tilt=tilt, font=font, ink=ink, board=board)
        # Drawn larger than it is shown, as a thing is.
        self.scale = scale = 3 if letter < 25 else 1.5
        # A capital is some seven tenths of an em high.
        self.points = scale * letter / 0.72
        self.quad = None

    def board_words(self):
        """The board by itself, upright and `scale` times as large."""
        pad = round(self.points * 0.45)
        words = ["+size", "-background", "none" if self.board is None else rgb(self.board), "-fill", rgb(self.ink), "-font", self.font, "-pointsize", f"{self.points:.1f}",
                 "-gravity", "center", "label:" + "\n".join(line.replace("\\", "") for line in self.lines)]
        return [*words, "-bordercolor", "none" if self.board is None else rgb(self.board), "-border", f"{pad}x{pad // 2}"]

    def measure(self):
        wide, high = map(int, convert(*self.board_words(), "-format", "%w %h", "info:").split())
        self.size = (wide, high)
        return wide / self.scale, high / self.scale

    def place(self, x, y):
        """Puts the sign's middle at a place: turned by its angle, seen from the side by its tilt."""
        wide, high = self.size[0] / self.scale, self.size[1] / self.scale
        lean, rise = self.tilt
        corners = [(-wide / 2, -high / 2 * (1 + rise)), (wide / 2, -high / 2 * (1 - rise)), (wide / 2, high / 2 * (1 - rise)), (-wide / 2, high / 2 * (1 + rise))]
        turned = []
        for a, b in corners:
            a *= 1 - abs(rise) * 0.6
            a += lean * b
            sine, cosine = math.sin(math.radians(self.angle)), math.cos(math.radians(self.angle))
            turned.append((x + a * cosine - b * sine, y + a * sine + b * cosine))
        self.quad = turned

    def bounds(self, margin=0):
        xs, ys = [p[0] for p in self.quad], [p[1] for p in self.quad]
        return min(xs) - margin, min(ys) - margin, max(xs) + margin, max(ys) + margin

    def words(self):
        """The layer of this sign."""
        wide, high = self.size
        left, top, right, bottom = map(round, self.bounds(2))
        pairs = zip([(0, 0), (wide, 0), (wide, high), (0, high)], self.quad)
        points = "  ".join(f"{a},{b} {x - left:.2f},{y - top:.2f}" for (a, b), (x, y) in pairs)
        return ["(", *self.board_words(), "+repage", "-alpha", "set", "-virtual-pixel", "transparent", "-define", f"distort:viewport={right - left}x{bottom - top}+0+0",
                "-distort", "Perspective", points, "+repage", ")", "-gravity", "northwest", "-geometry", f"+{left}+{top}", "-composite"]


def ground(draw, seed, width, height):
    """A scene without text, and its usual color."""
    kind = draw.choice(["plaster", "foliage", "bricks", "wood", "street", "crowd"])
    a, b = [draw.randrange(30, 220) for _ in range(3)], [draw.randrange(30, 220) for _ in range(3)]
    common = ["-seed", seed, "-size", f"{width}x{height}"]
    if kind == "plaster": words = [f"plasma:{rgb(a)}-{rgb(mixed(a, b, 0.5))}", "-attenuate", "0.4", "+noise", "Gaussian"]
    elif kind == "foliage": words = [f"xc:{rgb(a)}", "+noise", "Random", "-blur", "0x3", "-normalize", "-fill", rgb(a), "-colorize", "55"]
    elif kind == "bricks":
        tile = draw.randrange(30, 80)
        words = [f"plasma:{rgb(a)}-{rgb(mixed(a, b, 0.3))}", "-fill", "none", "-stroke", rgb(mixed(a, [230] * 3, 0.6)), "-strokewidth", "3"]
        for row in range(0, height, tile): words += ["-draw", f"line 0,{row} {width},{row}"]
        for row in range(0, height, tile):
            for column in range((row // tile % 2) * tile, width, 2 * tile): words += ["-draw", f"line {column},{row} {column},{row + tile}"]
        words += ["-stroke", "none"]
    elif kind == "wood": words = [f"xc:{rgb(a)}", "+noise", "Random", "-motion-blur", "0x25+0", "-normalize", "-fill", rgb(a), "-colorize", "60"]
    elif kind == "street":
        words = [f"gradient:{rgb(a)}-{rgb(b)}", "-stroke", "none"]
        for _ in range(60):
            x, y, w, h = draw.randrange(width), draw.randrange(height), draw.randrange(10, 240), draw.randrange(10, 240)
            words += ["-fill", rgb([draw.randrange(256) for _ in range(3)]), "-draw", f"rectangle {x},{y} {x + w},{y + h}"]
        words += ["-blur", "0x1.2"]
    else:
        words = [f"plasma:fractal", "-fill", rgb(a), "-colorize", "35"]
        for _ in range(120):
            x, y, r = draw.randrange(width), draw.randrange(height), draw.randrange(4, 50)
            words += ["-fill", rgb([draw.randrange(256) for _ in range(3)]), "-draw", f"circle {x},{y} {x + r},{y}"]
        words += ["-blur", "0x2"]
    return [*common, *words, "-fill", "none", "-stroke", "none"]


def damage(draw):
    """What a camera does to it: blur, a shake, noise, little contrast, and a JPEG file."""
    words = []
    kind = draw.random()
    if kind < 0.35: words += ["-blur", f"0x{draw.uniform(0.5, 1.6):.2f}"]
    elif kind < 0.5: words += ["-motion-blur", f"0x{draw.uniform(1, 3):.2f}+{draw.randrange(180)}"]
    if draw.random() < 0.4:
        low = draw.randrange(10, 35)
        words += ["+level", f"{low}%,{draw.randrange(low + 35, 100)}%"]
    if draw.random() < 0.45: words += ["-attenuate", f"{draw.uniform(0.1, 0.5):.2f}", "+noise", "Gaussian"]
    return words, draw.choice([45, 60, 75, 90])


def angle(draw):
    kind = draw.random()
    if kind < 0.5: return draw.uniform(-12, 12)
    if kind < 0.7: return draw.choice([-1, 1]) * draw.uniform(12, 50)
    if kind < 0.86: return draw.choice([-90, 90]) + draw.uniform(-6, 6)
    return 180 + draw.uniform(-8, 8)


def ink_on(draw, board):
    """A color that can be told from the board."""
    light = sum(board) / 3
    contrast = draw.uniform(0.35, 1)
    return mixed(board, [10, 10, 10] if light > 128 else [245, 245, 245], contrast)


def free(sign, others, width, height):
    left, top, right, bottom = sign.bounds()
    if left < 2 or top < 2 or right > width - 2 or bottom > height - 2: return False
    return all(right + 12 < a or left - 12 > c or bottom + 12 < b or top - 12 > d for a, b, c, d in (other.bounds() for other in others))


def put(draw, signs, width, height):
    """Places signs beside each other; those that find no room are left out."""
    placed = []
    for sign in signs:
        sign.measure()
        sign.scene = (width, height)
        for _ in range(60):
            sign.place(draw.uniform(0, width), draw.uniform(0, height))
            if free(sign, placed, width, height):
                placed.append(sign)
                break
    return placed


def near(draw, word):
    """A word that is not there, but nearly."""
    index = draw.randrange(len(word))
    other = draw.choice([c for c in "ABCDEFGHKLMNPRSTUVWXZ" if c != word[index]])
    return word[:index] + other + word[index + 1:]


def write(folder, name, draw, signs, absent, whole=(), width=WIDTH, height=HEIGHT):
    """Renders a picture and its truth."""
    path, truth = os.path.join(folder, name + ".jpg"), os.path.join(folder, name + ".json")
    words, quality = damage(draw)
    back = ground(draw, draw.randrange(1 << 30), width, height)
    if not os.path.exists(path):
        convert(*back, *(word for sign in signs for word in sign.words()), *words, *whole, "-quality", quality, path)
    with open(truth, "w") as file:
        json.dump({"words": [{"text": text, "quad": sign.quad, "letter": sign.letter, "angle": sign.angle} for sign in signs for text in sign.texts],
                   "absent": absent, "turned": list(whole), "width": width, "height": height}, file)


def sign_picture(folder, number):
    draw = random.Random(zlib.crc32(b"signs") + number)
    signs = []
    for _ in range(6):
        lines = [" ".join(draw.sample(WORDS, draw.choice([1, 1, 2]))) for _ in range(draw.choice([1, 1, 2, 3]))]
        if draw.random() < 0.35: lines = [line.title() for line in lines]
        board = [draw.randrange(20, 236) for _ in range(3)]
        letter = math.exp(draw.uniform(math.log(8), math.log(60)))
        sign = Sign(lines, letter, angle(draw), (draw.uniform(-0.3, 0.3), draw.uniform(-0.25, 0.25)), draw.choice(FONTS), ink_on(draw, board), board)
        # Painted on what is there.
        if draw.random() < 0.15: sign.board, sign.ink = None, draw.choice([[8, 8, 8], [248, 248, 248]])
        sign.texts = [word for line in lines for word in line.split()]
        signs.append(sign)
    placed = put(draw, signs, WIDTH, HEIGHT)
    there = {word.upper() for sign in placed for word in sign.texts}
    others = draw.sample([word for word in WORDS if word not in there], 12)
    nearly = [near(draw, word) for word in sorted(there)[:12]]
    whole = (["-rotate", "180"], ["-flop"], [], [], [], [], [], [])[number % 8]
    write(folder, f"sign-{number:02}", draw, placed, others + [word for word in nearly if word not in WORDS], whole)


def letters(draw, count, alphabet="ABCDEFGHJKLMNPRSTUVWXYZ"): return "".join(draw.choice(alphabet) for _ in range(count))


def digits(draw, count): return letters(draw, count, "0123456789")


# Country, board, ink, lines of a plate by a chance.
PLATES = {
    "de": lambda d: [f"{letters(d, d.choice([1, 2, 3]))} {letters(d, 2)} {digits(d, d.choice([2, 3, 4]))}"],
    "gb": lambda d: [f"{letters(d, 2)}{digits(d, 2)} {letters(d, 3)}"],
    "fr": lambda d: [f"{letters(d, 2)}-{digits(d, 3)}-{letters(d, 2)}"],
    "nl": lambda d: [f"{digits(d, 2)}-{letters(d, 3)}-{digits(d, 1)}"],
    "pl": lambda d: [f"{letters(d, 2)} {digits(d, 5)}"],
    "es": lambda d: [f"{digits(d, 4)} {letters(d, 3, 'BCDFGHJKLMNPRSTVWXYZ')}"],
    "se": lambda d: [f"{letters(d, 3)} {digits(d, 3)}"],
    "us": lambda d: [f"{digits(d, 1)}{letters(d, 3)}{digits(d, 3)}"],
    "in": lambda d: [f"{letters(d, 2)} {digits(d, 2)}", f"{letters(d, 2)} {digits(d, 4)}"],
    "gb-two": lambda d: [f"{letters(d, 2)}{digits(d, 2)}", letters(d, 3)],
    "at-two": lambda d: [letters(d, 2), f"{digits(d, 3)} {letters(d, 2)}"],
    "br-two": lambda d: [letters(d, 3), f"{digits(d, 1)}{letters(d, 1)}{digits(d, 2)}"],
}


def plate_picture(folder, number):
    draw = random.Random(zlib.crc32(b"plates") + number)
    names = sorted(PLATES)
    signs = []
    for turn in range(2):
        lines = PLATES[names[(2 * number + turn) % len(names)]](draw)
        board = draw.choice([[236, 236, 230], [240, 200, 40], [225, 225, 225], [240, 240, 240]])
        board = mixed(board, [40, 40, 40], draw.uniform(0, 0.45))
        letter = math.exp(draw.uniform(math.log(10), math.log(40)))
        sign = Sign(lines, letter, draw.uniform(-14, 14), (draw.uniform(-0.3, 0.3), draw.uniform(-0.2, 0.2)), draw.choice(["DejaVu-Sans-Condensed-Bold", "DejaVu-Sans-Bold", "DejaVu-Sans-Mono-Bold", "NanumSquare-Bold"]),
                    mixed(board, [15, 15, 30], draw.uniform(0.5, 1)), board)
        sign.texts = [" ".join(lines)]
        signs.append(sign)
    placed = put(draw, signs, 1280, 960)
    absent = [changed(draw, sign.texts[0]) for sign in placed]
    write(folder, f"plate-{number:02}", draw, placed, absent, width=1280, height=960)


def changed(draw, plate):
    """The plate with another digit, which nobody takes for the same."""
    places = [index for index, letter in enumerate(plate) if letter.isdigit()]
    index = draw.choice(places)
    unlike = {"0": "4", "1": "5", "2": "9", "3": "7", "4": "8", "5": "1", "6": "2", "7": "6", "8": "2", "9": "4"}
    return plate[:index] + unlike[plate[index]] + plate[index + 1:]


KINDS = {"signs": (sign_picture, 48), "plates": (plate_picture, 45)}


def pictures(folder, kind, aside):
    """The names of the pictures, rendered where they are missing: every third is put aside."""
    make, count = KINDS[kind]
    names = []
    for number in range(count):
        if (number % 3 == 2) != aside: continue
        name = f"{kind[:-1]}-{number:02}"
        if not os.path.exists(os.path.join(folder, name + ".json")): make(folder, number)
        names.append(name)
    return names


def turned(point, truth):
    """Where a place is once the whole picture was turned."""
    x, y = point
    if "-flop" in truth["turned"]: return truth["width"] - x, y
    if "-rotate" in truth["turned"]: return truth["width"] - x, truth["height"] - y
    return x, y


def holds(quad, place):
    xs, ys = [p[0] for p in quad], [p[1] for p in quad]
    margin = 0.15 * min(max(xs) - min(xs), max(ys) - min(ys))
    return min(xs) - margin <= place[0] <= max(xs) + margin and min(ys) - margin <= place[1] <= max(ys) + margin


def search(program, folder, name, options):
    """Searches one picture; how many of its words are found, false, said twice, and the seconds."""
    with open(os.path.join(folder, name + ".json")) as file: truth = json.load(file)
    # Case makes no difference to a search.
    for word in truth["words"]: word["text"] = word["text"].upper()
    there = sorted({word["text"] for word in truth["words"]})
    patterns = [word for text in there + truth["absent"] for word in ("-e", text)]
    path = os.path.join(folder, name + ".jpg")
    before = os.times()
    code, out, err, wall, _ = measured([program, "find", "--no-index", "--format", "jsonl", *options, *patterns, path])
    after = os.times()
    work = after.children_user + after.children_system - before.children_user - before.children_system
    if code == 2: raise SystemExit(err.strip())
    seen = [line for line in map(json.loads, out.splitlines()) if line["type"] == "sighting"]
    left, missing, found = list(seen), [], []
    for word in truth["words"]:
        quad = [turned(point, truth) for point in word["quad"]]
        middle = lambda s: [sum(p[axis] for p in s["peak"]["quad"]) / 4 for axis in (0, 1)]
        hit = next((s for s in left if s["pattern"] == word["text"] and holds(quad, middle(s))), None)
        if hit is None: missing.append(word)
        else:
            left.remove(hit)
            found.append(word)
    twice = [s for s in left if s["pattern"] in there]
    false = [s for s in left if s["pattern"] not in there]
    return {"name": name, "found": found, "missing": missing, "twice": twice, "false": false, "absent": len(truth["absent"]), "seconds": wall, "work": work}


SIZES = [(0, 12), (12, 20), (20, 35), (35, 99)]
ANGLES = [("level", 0, 12), ("leaning", 12, 60), ("on its side", 60, 120), ("on its head", 120, 200)]


def report(folder, kinds, aside, options):
    """Prints what is found of each kind of picture, and what is not there or found twice."""
    for kind in kinds or KINDS:
        print(kind)
        table([search(FRAMEGREP, folder, name, options) for name in pictures(folder, kind, aside)])


def table(results, said=print):
    """Found by size and by angle, false and doubled sightings, seconds a picture."""
    found = [w for r in results for w in r["found"]]
    missing = [w for r in results for w in r["missing"]]
    share = lambda keep: f"{sum(map(keep, found))}/{sum(map(keep, found)) + sum(map(keep, missing))}"
    said(f"found {share(lambda w: True)}  false {sum(len(r['false']) for r in results)} of {sum(r['absent'] for r in results)}  "
         f"said twice {sum(len(r['twice']) for r in results)}  seconds a picture {sum(r['seconds'] for r in results) / max(1, len(results)):.2f}, "
         f"of the processor {sum(r['work'] for r in results) / max(1, len(results)):.2f}")
    said("  by letters' height: " + "  ".join(f"{a}-{b} px {share(lambda w: a <= w['letter'] < b)}" for a, b in SIZES))
    said("  by angle: " + "  ".join(f"{name} {share(lambda w: a <= abs(w['angle']) < b)}" for name, a, b in ANGLES))
