"""Learns how lines in scripts that the networks do not know look to them, from rendered lines, and measures it (docs/decisions/other-scripts.md).

    scripts/learn scripts FONTS... --keep FOLDER [--pages 220]   writes Sources/Engines/LearntScripts.swift
    scripts/learn scripts FONTS... --keep FOLDER --measure       measures that file on lines that were put aside

FONTS are folders with Noto (core and CJK), DejaVu, Liberation, FreeFont, Roboto, Open Sans, Paratype and Thai TLWG. Needs Pillow, numpy and scipy, and the program,
built ($FRAMEGREP), with English as Tesseract's only language, so that lines are told as the networks read them. Half an hour of a processor.
"""
import argparse
import base64
import collections
import json
import os
import random
import re
import subprocess
import sys

import numpy
from scipy import optimize, sparse

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "scripts", "lib"))
sys.dont_write_bytecode = True

import scriptlines  # noqa: E402

TABLE = f"{ROOT}/Sources/Engines/LearntScripts.swift"
PLACES, MEASURES = 2048, 8
COLUMNS = ["known", "Cyrl", "Grek", "Arab", "Hebr", "Thai", "Deva", "Geor", "Armn", "Hang", "Kana", "Indian", "Ethi", "Khmr"]
# Name, seed, put aside, foreign, badly seen.
SETS = [("ft", 11, 0, 1, 0), ("kt", 12, 0, 0, 0), ("fht", 24, 0, 1, 1), ("kht", 21, 0, 0, 1),
        ("fa", 13, 1, 1, 0), ("ka", 14, 1, 0, 0), ("fha", 23, 1, 1, 1), ("kha", 22, 1, 0, 1)]  # fmt: skip


def column(kind):
    return COLUMNS.index("Indian" if kind in ("Beng", "Taml", "Telu") else kind) if kind in scriptlines.BLOCKS else 0


def readings(folder, level):
    """Each line of a folder's pictures as it was read: its kind, what was read, and how surely."""
    path = f"{folder}/{level}.jsonl"
    if not os.path.exists(path):
        pictures = sorted(f for f in os.listdir(folder) if f.endswith(".jpg"))[: None if level == "fast" else 45]
        options = ["--level", "fast"] if level == "fast" else []
        with open(path + ".part", "w", encoding="utf8") as file:
            program = os.environ.get("FRAMEGREP", "framegrep")
            # Each line, also those that would be left out: with a pattern that is never there, and the languages named.
            command = [program, "find", "--all-text", "--language", "eng", "--format", "jsonl", *options, *pictures]
            subprocess.run(command, cwd=folder, stdout=file, check=True)
        os.rename(path + ".part", path)
    with open(f"{folder}/truth.json", encoding="utf8") as file:
        truth = json.load(file)
    found = []
    with open(path, encoding="utf8") as file:
        for line in map(json.loads, file):
            if line["type"] != "text":
                continue
            xs, ys = zip(*line["peak"]["quad"])
            for known in truth[os.path.basename(line["source"])]:
                left, top, right, bottom = known["box"]
                high = min(bottom, max(ys)) - max(top, min(ys))
                wide = min(right, max(xs)) - max(left, min(xs))
                if high > 0.4 * min(bottom - top, max(ys) - min(ys)) and wide > 0.3 * min(right - left, max(xs) - min(xs)):
                    found.append((known["kind"], line["line"], line["score"]))
    return found


def places(text):
    """Where the weights of a text's letters, pairs and triples are: as ScriptEvidence has it."""
    for word in text.split():
        word = f"^{word}$"
        for length in (1, 2, 3):
            for start in range(len(word) - length + 1):
                if length == 1 and start in (0, len(word) - 1):
                    continue
                value = 2166136261
                for letter in word[start : start + length]:
                    value = ((value ^ ord(letter)) * 16777619) & 0xFFFFFFFF
                yield (value >> 8) % PLACES


def features(lines):
    rows, columns, values = [], [], []
    for row, (_, text, score) in enumerate(lines):
        length = max(1, sum(not c.isspace() for c in text))
        doubt = 1 - score
        for place, count in collections.Counter(places(text)).items():
            rows.append(row), columns.append(place), values.append(count / max(3, length**0.5))
        measures = [1, 2 * doubt, 20 * min(doubt, 0.05), 6 * min(doubt, 0.15), doubt * length**0.5, length**0.5 / 4, length <= 2, 2 * doubt * (length <= 3)]
        for number, value in enumerate(measures):
            rows.append(row), columns.append(PLACES + number), values.append(float(value))
    return sparse.csr_matrix((values, (rows, columns)), shape=(len(lines), PLACES + MEASURES))


def fitted(lines, strength=1e-4, steps=140):
    """Multinomial logistic regression with a quadratic penalty; false doubts cost half as much again as what is missed."""
    table, wanted = features(lines), numpy.array([column(kind) for kind, _, _ in lines])
    cost = numpy.where(wanted == 0, 1.5, 1.0)
    cost /= cost.sum()
    truth = numpy.eye(len(COLUMNS))[wanted]
    penalty = numpy.full((PLACES + MEASURES, 1), strength)
    penalty[PLACES:] *= 0.05
    turned = table.T.tocsr()

    def loss(weights):
        weights = weights.reshape(-1, len(COLUMNS))
        sums = table @ weights
        sums -= sums.max(1, keepdims=True)
        chances = numpy.exp(sums)
        chances /= chances.sum(1, keepdims=True)
        value = -(cost * numpy.log((chances * truth).sum(1) + 1e-12)).sum() + (penalty * weights**2).sum() / 2
        return value, (turned @ ((chances - truth) * cost[:, None]) + penalty * weights).ravel()

    start = numpy.zeros((PLACES + MEASURES) * len(COLUMNS))
    return optimize.minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": steps}).x.reshape(-1, len(COLUMNS))


def unread(lines, count, seed):
    """Known texts that were not rendered, with the scores of lines of their length: the more words are known, the better."""
    texts, scores = scriptlines.Texts(seed, False), collections.defaultdict(list)
    for kind, text, score in lines:
        if column(kind) == 0:
            scores[min(20, len(text)) // 3].append(score)
    made = []
    while len(made) < count:
        kind = texts.random.choice(["latin"] * 4 + ["english"] * 2 + ["codes", "brands", "program", "han"])
        text = " ".join(texts.next(kind).split())
        if scores[min(20, len(text)) // 3]:
            made.append((kind, text, texts.random.choice(scores[min(20, len(text)) // 3])))
    return made


def write(weights, count):
    grams, scale = weights[:PLACES], numpy.abs(weights[:PLACES]).max() / 127
    text = base64.b64encode(numpy.clip(numpy.round(grams / scale), -127, 127).astype(numpy.int8).tobytes()).decode()
    rows = ",\n".join("        [" + ", ".join(f"{value:.4f}" for value in row) + "]" for row in weights[PLACES:])
    with open(TABLE, "w", encoding="utf8") as file:
        file.write(
            f"// Learnt from {count} rendered lines (docs/decisions/other-scripts.md); scripts/learn scripts makes it anew. Not to be edited by hand.\n// swift-format-ignore-file\n\n"
            "/// How lines in scripts that the networks do not know look to them; see ``ScriptEvidence``.\nenum LearntScripts {\n"
            f"    /// What a unit of ``grams`` weighs.\n    static let scale = {scale:.6f}\n"
            "    /// The weights of what is measured, and of each column's constant.\n    static let measures: [[Double]] = [\n" + rows + ",\n    ]\n"
            '    /// Signed bytes in base64.\n    static let grams = """\n'
            + "".join(f"        {text[i:i + 140]}\n" for i in range(0, len(text), 140)) + '        """\n}\n'
        )  # fmt: skip


def stored():
    with open(TABLE, encoding="utf8") as file:
        text = file.read()
    scale = float(re.search(r"scale = ([0-9.]+)", text).group(1))
    rows = re.findall(r"^        \[(.*)\],$", text, re.M)
    grams = numpy.frombuffer(base64.b64decode(text.split('"""')[1]), dtype=numpy.int8).reshape(PLACES, len(COLUMNS))
    return numpy.vstack([grams * scale, [[float(v) for v in row.split(",")] for row in rows]])


def strengths(lines, weights):
    sums = features(lines) @ weights
    most = sums[:, 1:].max(1)
    return most + numpy.log(numpy.exp(sums[:, 1:] - most[:, None]).sum(1)) - sums[:, 0], sums[:, 1:].argmax(1) + 1


def measure(sets, doubt=0.3):
    weights = stored()
    print(f"lines, doubted (strength {doubt} and more), told alone to be of another script (3.2), script right of those doubted")
    for name, lines in sets:
        strength, guess = strengths(lines, weights)
        kinds = numpy.array([column(kind) for kind, _, _ in lines])
        is_doubted = strength >= doubt
        right = (guess == kinds)[is_doubted & (kinds > 0)].mean() if kinds.max() else float("nan")
        print(f"{name:12} {len(lines):6} {is_doubted.mean():8.2%} {(strength >= 3.2).mean():8.2%} {right:8.1%}")
        for number in sorted(set(kinds)):
            part = strength[kinds == number]
            print(f"    {COLUMNS[number]:10} {len(part):6} {(part >= doubt).mean():8.1%}")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("fonts", nargs="+", metavar="FONTS")
    options.add_argument("--keep", required=True, metavar="FOLDER", help="pictures and readings are kept here, and taken from here")
    options.add_argument("--pages", type=int, default=220, help="pictures of fourteen lines in each set")
    options.add_argument("--measure", action="store_true")
    chosen = options.parse_args()
    os.chdir(ROOT)
    fonts, read = scriptlines.Fonts(chosen.fonts), {}
    for name, seed, aside, foreign, strain in SETS:
        if bool(aside) != chosen.measure:
            continue
        folder = os.path.join(os.path.abspath(chosen.keep), name)
        if not os.path.exists(f"{folder}/truth.json"):
            scriptlines.render(folder, seed, bool(aside), chosen.pages, scriptlines.FOREIGN if foreign else scriptlines.KNOWN, fonts, bool(strain))
        for level in ["fast"] if strain else ["fast", "still"]:
            read[f"{name} {level}"] = readings(folder, level)
    if chosen.measure:
        return measure(read.items())
    lines = [line for part in read.values() for line in part]
    lines += unread([line for name, part in read.items() if name.startswith("k") for line in part], 12000, 5)
    write(fitted(lines), len(lines))


main()
