"""Learns how lines in scripts that the networks do not know look to the fast recognizer, from rendered lines, and measures it (docs/decisions/other-scripts.md).

    scripts/learn scripts FONTS... --words FOLDER --grounds FOLDER --keep FOLDER   writes Sources/Engines/NeuralOCR/Recognition/LearntScripts.swift
    scripts/learn scripts FONTS... --words FOLDER --grounds FOLDER --keep FOLDER --measure   measures on lines that were put aside

FONTS are folders with Noto (core and CJK), DejaVu, Liberation, FreeFont, Roboto, Open Sans, Paratype, Lato and Nanum; --words has Hunspell's dictionaries
(ru_RU.dic, el_GR.dic, en_US.dic ...), --grounds pictures that lines are laid over. The networks are those that `framegrep setup` installed. Needs Pillow with
libraqm, numpy, scipy, onnx, onnxruntime and jax. An hour of a processor.
"""
import argparse
import base64
import glob
import io
import os
import pickle
import random
import sys
import unicodedata

import jax
import jax.numpy as jnp
import numpy
import onnx
import onnxruntime
from PIL import Image, ImageDraw, ImageFilter, ImageFont
from scipy.linalg import qr

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "scripts", "lib"))
sys.dont_write_bytecode = True

import scriptlines  # noqa: E402

TABLE = f"{ROOT}/Sources/Engines/NeuralOCR/Recognition/LearntScripts.swift"
MODEL = os.path.expanduser("~/.local/share/framegrep/neural/models/tiny")
COLUMNS = ["known", "Cyrl", "Grek", "Arab", "Hebr", "Thai", "Deva", "Geor", "Armn", "Hang", "Kana", "Indian", "Ethi", "Khmr"]
DICTIONARIES = {
    "Cyrl": "ru_RU ru_RU uk_UA bg_BG sr_RS".split(), "Grek": ["el_GR"],
    "Latn": "en_US en_US en_US de_DE es_ES pl_PL cs_CZ tr_TR it_IT sv_SE lv_LV sr_Latn_RS".split(),
}  # fmt: skip
WIDTHS = [64, 80, 96, 112, 128, 152, 176, 208, 240, 280, 328, 384, 448, 520, 608, 704, 824, 960, 1120, 1304, 1520]
CLASSES, LETTERS, FIRST, SECOND, LEAST = 80, 24, 40, 56, -30.0
# Name, seed, put aside, mostly short words, lines.
SETS = [("long", 101, False, False, 16000), ("short", 103, False, True, 7000), ("aside", 102, True, False, 4000)]


def column(kind):
    return COLUMNS.index("Indian" if kind in ("Beng", "Taml", "Telu") else kind) if kind in scriptlines.BLOCKS else 0


class Lines:
    """Lines of a set, each as the recognizer is given it."""

    def __init__(self, options, seed, aside, short):
        self.random, self.noise, self.aside, self.short = random.Random(seed), numpy.random.default_rng(seed), aside, short
        self.texts, self.fonts = scriptlines.Texts(seed, aside), scriptlines.Fonts(options.fonts)
        self.words = {kind: [self.dictionary(options.words, name) for name in names] for kind, names in DICTIONARIES.items()}
        self.grounds = [Image.open(p).convert("RGB") for p in sorted(glob.glob(f"{options.grounds}/*.jpg"))]

    def dictionary(self, folder, name):
        encoding = "utf8"
        with open(f"{folder}/{name}.aff", "rb") as file:
            for line in file:
                if line.removeprefix(b"\xef\xbb\xbf").startswith(b"SET"):
                    encoding = line.split()[1].decode()
                    break
        with open(f"{folder}/{name}.dic", encoding=encoding, errors="ignore") as file:
            words = [line.strip().split("/")[0].split("\t")[0] for line in file][1:]
        return [w for w in words if len(w) > 1 and not any(c.isdigit() for c in w) and (scriptlines.checksum(w) % 4 == 0) == self.aside]

    def phrase(self, kind):
        pool = self.random.choice(self.words[kind])

        def word():
            return min((self.random.choice(pool) for _ in range(4)), key=len) if self.short else self.random.choice(pool)

        count = 1 if self.short and self.random.random() < 0.6 else self.random.choice([1, 1, 1, 1, 2, 2, 3, 4, 6])
        text = " ".join(word() for _ in range(count))
        chance = self.random.random()
        if chance < 0.33:
            text = text.upper()
            if kind == "Grek":
                text = "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))
        elif chance < 0.75:
            text = text[:1].upper() + text[1:]
        return text + (self.random.choice(".!?,…:") if self.random.random() < 0.33 else "")

    def text(self, kind):
        if kind in ("Cyrl", "Grek") and self.random.random() < 0.65:
            text = self.phrase(kind)
        elif kind == "known":
            return self.known()
        else:
            text = self.texts.next(kind)
        if kind in ("Cyrl", "Grek", "Hang", "Kana") and self.random.random() < 0.08:
            word = self.random.choice(self.random.choice(self.words["Latn"]))
            return f"{word} {text}" if self.random.random() < 0.5 else f"{text} {word}"
        return text

    def known(self):
        chance = self.random.random()
        if chance < 0.45:
            return self.phrase("Latn")
        if chance < 0.5:
            return "".join(self.random.choice("0123456789") for _ in range(self.random.choice([1, 2, 3, 4, 6]))) + self.random.choice(["", "%", "°C", " km/h", ".5"])
        if chance < 0.6:
            letters = "ABCEHKMOPTXY" if chance > 0.56 else "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
            return "".join(self.random.choice(letters) for _ in range(self.random.choice([1, 2, 3, 4, 5, 7])))
        return self.texts.next(self.random.choice(["han"] * 3 + ["latin"] * 2 + ["english", "codes", "codes", "brands", "program", "program"]))

    def font(self, kind, text, size):
        for _ in range(12):
            font = ImageFont.truetype(self.random.choice(self.fonts.of(kind, self.aside)), size)
            if scriptlines.has_letters(font, text):
                return font
        return None

    def ground(self, width, height, is_light):
        chance = self.random
        if chance.random() < 0.5:
            color = tuple(chance.randrange(170, 256) if is_light else chance.randrange(90) for _ in range(3))
            return Image.new("RGB", (width, height), color)
        picture, scale = chance.choice(self.grounds), chance.choice([0.5, 1, 1, 2])
        wide, high = int(width / scale) + 1, int(height / scale) + 1
        picture = picture.resize((max(picture.width, wide), max(picture.height, high)))
        x, y = chance.randrange(picture.width - wide + 1), chance.randrange(picture.height - high + 1)
        return picture.crop((x, y, x + wide, y + high)).resize((width, height))

    def picture(self, kind, text):
        """A line of 48 rows, or None where no font has its letters."""
        chance = self.random
        size = chance.choice([18, 22, 26, 30, 34, 40, 48, 60] if self.short else [11, 13, 15, 18, 22, 26, 30, 34, 40, 48, 60])
        font = self.font(kind, text, size)
        if font is None:
            return None
        stroke = chance.choice([0, 0, 0, 0, 1, 1, 2, 3]) if size >= 20 else 0
        left, top, right, bottom = font.getbbox(text, stroke_width=stroke)
        width, height = right - left, bottom - top
        if not (2 <= width <= 1500 and height >= 2):
            return None
        margin = int(height * 1.2) + 6
        picture = self.ground(width + 2 * margin, height + 2 * margin, chance.random() < 0.4)
        is_light = numpy.asarray(picture.convert("L")).mean() > 128
        color = tuple(chance.randrange(110) if is_light else chance.randrange(150, 256) for _ in range(3))
        edge = tuple(255 - c // 3 if is_light else c // 6 for c in color)
        ImageDraw.Draw(picture).text((margin - left, margin - top), text, font=font, fill=color, stroke_width=stroke, stroke_fill=edge)
        return self.cut_out(self.degraded(picture, size), width, height, margin)

    def degraded(self, picture, size):
        chance = self.random
        if chance.random() < 0.25:
            picture = picture.filter(ImageFilter.GaussianBlur(chance.uniform(0.3, 0.05 * size + 0.3)))
        values = numpy.asarray(picture).astype(float)
        if chance.random() < 0.3:
            values += self.noise.normal(0, chance.choice([4, 8, 14]), values.shape)
        if chance.random() < 0.12:
            values = (values - values.mean()) * chance.uniform(0.2, 0.6) + values.mean()
        file = io.BytesIO()
        Image.fromarray(values.clip(0, 255).astype("uint8")).save(file, "JPEG", quality=chance.choice([25, 40, 60, 80, 90, 95]))
        return Image.open(file).convert("RGB")

    def cut_out(self, picture, width, height, margin):
        """As the detector cuts lines out: a fifth to two fifths of the letters' height around them, and not quite straight."""
        chance = self.random
        above, beside = chance.uniform(0.18, 0.42) * height, chance.uniform(0.1, 0.45) * height
        left, top, right, bottom = margin - beside, margin - above, margin + width + beside, margin + height + above
        lean = max(-0.12, min(0.12, chance.gauss(0, 0.012) * (right - left) / (bottom - top))) * (bottom - top) if chance.random() < 0.3 else 0
        columns = max(8, min(1500, int(numpy.ceil(48 * (right - left) / (bottom - top)))))
        corners = (left, top - lean, left, bottom - lean, right, bottom + lean, right, top + lean)
        return picture.transform((columns, 48), Image.QUAD, corners, Image.BILINEAR)

    def next(self):
        while True:
            kind = "known" if self.random.random() < 0.5 else self.random.choice(["Cyrl"] * 7 + ["Grek"] * 5 + ["Hang"] * 5 + ["Kana"] * 4 + scriptlines.FOREIGN[5:])
            text = self.text(kind)
            is_han = kind == "known" and any("CJK" in unicodedata.name(c, "") for c in text)
            picture = self.picture("han" if is_han else kind, text) if len(text) <= 60 else None
            if picture:
                return kind, text, picture


class Recognizer:
    """The fast recognizer, and what its last layer but one says of each letter."""

    HIDDEN = "p2o.pd_op.add.40.0"

    def __init__(self):
        model = onnx.load(f"{MODEL}/rec.onnx")
        weights = {i.name: onnx.numpy_helper.to_array(i) for i in model.graph.initializer}
        self.weights, self.bias = weights["linear_1.w_0"], weights["linear_1.b_0"]
        model.graph.output.append(onnx.helper.make_tensor_value_info(self.HIDDEN, 1, None))
        self.session = onnxruntime.InferenceSession(model.SerializeToString())
        # The classes whose logarithms say all that the layer knows, and most plainly.
        centered = self.weights - self.weights.mean(1, keepdims=True)
        self.classes = numpy.sort(qr(centered, pivoting=True, mode="economic")[2][:CLASSES])

    def letters(self, picture):
        """For each letter the logarithms of the chosen classes, of the best and of none; and how sure it was, for the line."""
        values = (numpy.asarray(picture).astype("float32") / 127.5 - 1).transpose(2, 0, 1)
        padded = numpy.zeros((1, 3, 48, next(w for w in WIDTHS if w >= values.shape[2])), "float32")
        padded[0, :, :, : values.shape[2]] = values
        probabilities, hidden = self.session.run(["fetch_name_0", self.HIDDEN], {"x": padded})
        probabilities, hidden = probabilities[0], hidden.reshape(probabilities.shape[1], -1)
        steps = min(len(probabilities), (values.shape[2] + 7) // 8)
        best, rows, sure, start = probabilities[:steps].argmax(1), [], [], 0
        while start < steps:
            end = start + 1
            while end < steps and best[end] == best[start]:
                end += 1
            if best[start]:
                peak = start + int(probabilities[start:end, best[start]].argmax())
                logits = hidden[peak] @ self.weights + self.bias
                logits -= logits.max() + numpy.log(numpy.exp(logits - logits.max()).sum())
                rows.append(numpy.maximum([*logits[self.classes], logits.max(), logits[0]], LEAST))
                sure.append(probabilities[start:end, best[start]].mean())
            start = end
        return numpy.array(rows[:LETTERS], "float32"), float(numpy.mean(sure)) if sure else 0.0


def readings(options, recognizer, name, seed, aside, short, count):
    path = f"{options.keep}/{name}.pickle"
    if not os.path.exists(path):
        lines, found = Lines(options, seed, aside, short), []
        while len(found) < count:
            kind, text, picture = lines.next()
            letters, sure = recognizer.letters(picture)
            # What is not read as anything teaches nothing.
            if len(letters) and sure > (0.4 if kind == "known" else 0.2):
                found.append((column(kind), text, letters))
        with open(path, "wb") as file:
            pickle.dump(found, file)
    with open(path, "rb") as file:
        return pickle.load(file)


def arrays(lines, means, deviations):
    values, counts = numpy.zeros((len(lines), LETTERS, CLASSES + 3), "float32"), numpy.array([len(line[2]) for line in lines])
    for row, (_, _, letters) in enumerate(lines):
        values[row, : len(letters), :CLASSES] = (letters[:, :CLASSES] - means) / deviations
        values[row, : len(letters), CLASSES : CLASSES + 2], values[row, : len(letters), CLASSES + 2] = letters[:, CLASSES:], 1
    return values, counts, numpy.array([line[0] for line in lines])


def network(weights, values, counts):
    """As ScriptNetwork has it."""
    there = (jnp.arange(LETTERS)[None] < counts[:, None]).astype("float32")[:, :, None]
    seen = jax.nn.relu(values @ weights["first"]) * there
    padded = jnp.pad(seen, ((0, 0), (1, 1), (0, 0)))
    around = jnp.concatenate([padded[:, :-2], padded[:, 1:-1], padded[:, 2:], there], 2)
    count, total = counts[:, None].astype("float32"), (jax.nn.relu(around @ weights["second"]) * there).sum(1)
    best = values[:, :, CLASSES].sum(1, keepdims=True) / count
    return jnp.concatenate([total / count, total / jnp.sqrt(count) * 0.3, jnp.log(count), best, jnp.ones_like(count)], 1) @ weights["last"]


def fitted(values, counts, wanted, epochs=24, batch=384):
    """By Adam (D. Kingma, J. Ba, 2014); false doubts cost half as much again as what is missed."""
    chance = numpy.random.default_rng(0)

    def matrix(rows, columns, scale=1.0):
        return jnp.array(chance.normal(0, scale / numpy.sqrt(rows), (rows, columns)).astype("float32"))

    weights = {"first": matrix(CLASSES + 3, FIRST), "second": matrix(3 * FIRST + 1, SECOND), "last": matrix(2 * SECOND + 3, len(COLUMNS), 0.3)}
    costs = numpy.where(wanted == 0, 1.5, 1.0).astype("float32")

    def loss(weights, values, counts, wanted, costs):
        logarithms = jax.nn.log_softmax(network(weights, values, counts))
        return -(costs * logarithms[jnp.arange(len(wanted)), wanted]).mean() + 3e-5 * sum((w**2).sum() for w in weights.values())

    gradient = jax.jit(jax.grad(loss))
    means, squares = ({k: jnp.zeros_like(v) for k, v in weights.items()} for _ in "ab")
    step = 0
    for epoch in range(epochs):
        order, rate = chance.permutation(len(wanted)), 5e-3 * (1 - epoch / epochs) + 1e-5
        for start in range(0, len(order) - batch + 1, batch):
            part, step = order[start : start + batch], step + 1
            slopes = gradient(weights, values[part], counts[part], wanted[part], costs[part])
            for key, slope in slopes.items():
                means[key], squares[key] = 0.9 * means[key] + 0.1 * slope, 0.999 * squares[key] + 0.001 * slope**2
                weights[key] -= rate * (means[key] / (1 - 0.9**step)) / (jnp.sqrt(squares[key] / (1 - 0.999**step)) + 1e-8)
    return {key: numpy.asarray(value) for key, value in weights.items()}


def numbers(values, form="%.6g"):
    rows, row = [], ""
    for value in values:
        text = form % value + ", "
        if len(row) + len(text) > 130:
            rows.append(row.rstrip())
            row = ""
        row += text
    return "".join(f"        {r}\n" for r in [*rows, row.rstrip()])


def write(recognizer, means, deviations, weights):
    text = (
        "// Learnt from rendered lines (docs/decisions/other-scripts.md); scripts/learn scripts generates this file. Do not edit it.\n// swift-format-ignore-file\n\n"
        "/// The weights that tell how lines in unknown scripts look to the fast recognizer; see ``ScriptNetwork``.\nenum LearntScripts {\n"
        f"    /// The classes of the recognizer that are looked at.\n    static let classes = [\n{numbers(recognizer.classes, '%d')}    ]\n"
        f"    /// The mean and deviation of the logarithms of their probabilities.\n    static let means: [Float] = [\n{numbers(means)}    ]\n    static let deviations: [Float] = [\n{numbers(deviations)}    ]\n"
    )  # fmt: skip
    for name, matrix in weights.items():
        scales = numpy.maximum(numpy.abs(matrix).max(0) / 127, 1e-9)
        packed = base64.b64encode(numpy.clip(numpy.round(matrix / scales), -127, 127).astype(numpy.int8).tobytes()).decode()
        lines = "".join(f"        {packed[i:i + 140]}\n" for i in range(0, len(packed), 140))
        text += f"    /// The weight of a unit of each column of ``{name}``.\n    static let {name}Scales: [Float] = [\n{numbers(scales)}    ]\n"
        text += f'    /// Signed bytes in base64, row by row.\n    static let {name} = """\n{lines}        """\n'
    with open(TABLE, "w", encoding="utf8") as file:
        file.write(text + "}\n")


def stored():
    with open(TABLE, encoding="utf8") as file:
        text = file.read()

    def listed(name):
        return numpy.array([float(v) for v in text.split(f"static let {name}")[1].split("= [")[1].split("]")[0].split(",") if v.strip()], "float32")

    weights = {}
    for name in ("first", "second", "last"):
        scales = listed(f"{name}Scales")
        packed = base64.b64decode(text.split(f'static let {name} = """')[1].split('"""')[0])
        weights[name] = numpy.frombuffer(packed, numpy.int8).reshape(-1, len(scales)) * scales
    return listed("means"), listed("deviations"), weights


def measure(lines):
    means, deviations, weights = stored()
    values, counts, wanted = arrays(lines, means, deviations)
    logits = numpy.asarray(network({k: jnp.array(v) for k, v in weights.items()}, values, counts))
    most = logits[:, 1:].max(1)
    strength, guess = most + numpy.log(numpy.exp(logits[:, 1:] - most[:, None]).sum(1)) - logits[:, 0], logits[:, 1:].argmax(1) + 1
    print("script, lines, doubted (0.3), left out alone (2), of up to 4, 5 to 7 and more letters, script right")
    for number in sorted(set(wanted)):
        own = wanted == number
        parts = [(strength[own & (counts >= a) & (counts <= z)] >= 2).mean() for a, z in ((1, 4), (5, 7), (8, 99))]
        print(f"{COLUMNS[number]:8} {own.sum():6} {(strength[own] >= 0.3).mean():8.2%} {(strength[own] >= 2).mean():8.2%}"
              f" {parts[0]:8.1%} {parts[1]:8.1%} {parts[2]:8.1%} {(guess[own] == number).mean():8.1%}")  # fmt: skip


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("fonts", nargs="+", metavar="FONTS")
    for name, what in (("words", "Hunspell's dictionaries"), ("grounds", "pictures (.jpg) to lay lines over"), ("keep", "what was read is kept here, and taken from here")):
        options.add_argument(f"--{name}", required=True, metavar="FOLDER", help=what)
    options.add_argument("--measure", action="store_true")
    chosen = options.parse_args()
    chosen.keep, chosen.words, chosen.grounds = (os.path.abspath(p) for p in (chosen.keep, chosen.words, chosen.grounds))
    chosen.fonts = [os.path.abspath(p) for p in chosen.fonts]
    os.chdir(ROOT)
    recognizer = Recognizer()
    lines = [line for parts in SETS if parts[2] == chosen.measure for line in readings(chosen, recognizer, *parts)]
    if chosen.measure:
        return measure(lines)
    letters = numpy.concatenate([line[2][:, :CLASSES] for line in lines])
    means, deviations = letters.mean(0), letters.std(0)
    write(recognizer, means, deviations, fitted(*arrays(lines, means, deviations)))


main()
