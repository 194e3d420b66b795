"""Renders lines of text whose truth is known, in sixteen scripts and many kinds of known text, for scripts/learn scripts.

The texts are those of the message catalogs on the machine (gettext's .mo files: the names of countries and languages of iso-codes, and what
programs say), in some sixty languages; codes and names are made up. By a checksum of each text and of each font's name one half of the texts and a third
of the fonts are put aside: they are rendered for measuring only. Needs Pillow with libraqm, which shapes Arabic and Indian letters.
"""
import gettext
import glob
import json
import os
import random
import re
import unicodedata
import zlib

import numpy
from PIL import Image, ImageDraw, ImageFilter, ImageFont

LOCALES = {
    "Cyrl": "ru uk bg sr be mk kk ky mn tg", "Grek": "el", "Arab": "ar fa ur", "Hebr": "he", "Thai": "th", "Deva": "hi mr ne", "Geor": "ka",
    "Armn": "hy", "Hang": "ko", "Kana": "ja", "Beng": "bn", "Taml": "ta", "Telu": "te", "Ethi": "am", "Khmr": "km",
}
BLOCKS = {
    "Cyrl": "CYRILLIC", "Grek": "GREEK", "Arab": "ARABIC", "Hebr": "HEBREW", "Thai": "THAI", "Deva": "DEVANAGARI", "Geor": "GEORGIAN",
    "Armn": "ARMENIAN", "Hang": "HANGUL", "Kana": ("HIRAGANA", "KATAKANA"), "Beng": "BENGALI", "Taml": "TAMIL", "Telu": "TELUGU",
    "Ethi": "ETHIOPIC", "Khmr": "KHMER",
}
LATIN = "de fr es it pt nl sv da nb fi is pl cs sk hu ro hr sl tr vi lv lt et ca eu gl ga cy sq id ms eo af mt az".split()
FOREIGN = ["Cyrl"] * 3 + ["Grek"] * 2 + ["Arab", "Hebr", "Thai", "Deva", "Geor", "Armn", "Hang", "Kana", "Beng", "Taml", "Telu", "Ethi", "Khmr"]
KNOWN = ["latin"] * 3 + ["english"] * 2 + ["codes"] * 2 + ["brands"] + ["program"] * 2 + ["han"]
GENERAL = r"(NotoSans|NotoSerif|NotoSansDisplay|NotoSerifDisplay|NotoSansMono)-(Regular|Bold)|DejaVu|Liberation|Free|Roboto|OpenSans|PT[A-Z]"
FONTS = {
    "Arab": r"(NotoSansArabic|NotoKufiArabic|NotoNaskhArabic)(UI)?-(Regular|Bold)|[Aa]miri|DejaVuSans(-Bold)?\.|FreeSerif\.|FreeMono\.",
    "Hebr": r"Noto(Sans|Serif)Hebrew-(Regular|Bold)|DejaVuSans(-Bold)?\.|Free",
    "Thai": r"Noto(Sans|Serif|Looped)Thai(UI)?-(Regular|Bold)|tlwg|FreeSerif\.",
    "Deva": r"Noto(Sans|Serif)Devanagari(UI)?-(Regular|Bold)|Lohit-Deva|FreeSans\.",
    "Geor": r"Noto(Sans|Serif)Georgian-(Regular|Bold)|DejaVuS|FreeS\w+\.", "Armn": r"Noto(Sans|Serif)Armenian-(Regular|Bold)|DejaVuS|FreeSerif\.",
    "Hang": r"Nanum|NotoS\w+CJK", "Kana": r"NotoS\w+CJK", "han": r"NotoS\w+CJK", "Beng": r"Noto(Sans|Serif)Bengali-(Regular|Bold)",
    "Taml": r"Noto(Sans|Serif)Tamil-(Regular|Bold)", "Telu": r"Noto(Sans|Serif)Telugu-(Regular|Bold)",
    "Ethi": r"Noto(Sans|Serif)Ethiopic-(Regular|Bold)", "Khmr": r"Noto(Sans|Serif)Khmer-(Regular|Bold)",
}
BRANDS = (
    "iPhone eBay YouTube LaTeX McDonald's GitHub OpenVINO PyPI MacBook WiFi LinkedIn PlayStation iOS JavaScript NVIDIA MySQL PostgreSQL macOS FedEx "
    "WhatsApp TikTok PowerPoint NaCl mRNA pH kWh dB mAh GHz eSIM vSphere McGregor O'Brien DiCaprio HDMI2 USB-C H264 x86_64 ARMv8 R2D2 C-3PO B2B "
    "MP3 F16 N64 4K 8K60 3Dfx"
).split()


def checksum(text):
    return zlib.crc32(text.encode())


def is_script(text, script):
    letters = [c for c in text if c.isalpha()]
    own = sum(unicodedata.name(c, "").startswith(BLOCKS[script]) for c in text)
    return len(letters) >= 3 and own >= 0.9 * len(letters)


def is_latin(text):
    letters = [c for c in text if c.isalpha()]
    return len(letters) >= 2 and all("LATIN" in unicodedata.name(c, "") for c in letters)


class Texts:
    """Texts by their kind; the same seed gives the same."""

    def __init__(self, seed, aside):
        self.random, self.aside, self.known = random.Random(seed), aside, {}

    def messages(self, locale, is_wanted, originals=False):
        key = (locale, is_wanted.__name__, originals)
        if key not in self.known:
            found = set()
            for path in glob.glob(f"/usr/share/locale/{locale}/LC_MESSAGES/*.mo"):
                try:
                    with open(path, "rb") as file:
                        catalog = gettext.GNUTranslations(file)._catalog
                except (OSError, UnicodeDecodeError, IndexError):
                    continue
                texts = (k if isinstance(k, str) else k[0] for k in catalog) if originals else (v for k, v in catalog.items() if k)
                for text in texts:
                    text = " ".join(re.sub(r"<[^>]*>|%[-0-9.$]*[a-zA-Z]+|[_&]|\\[a-z]", "", text).split())
                    if 2 < len(text) < 300 and is_wanted(text) and (checksum(text) % 2 == 1) == self.aside:
                        found.add(text)
            self.known[key] = sorted(found)
        return self.known[key]

    def piece(self, text, is_unspaced=False):
        if is_unspaced:
            return text[: self.random.choice([3, 4, 5, 6, 8, 10, 14, 20])]
        words = text.split()
        count = self.random.choice([1, 1, 2, 2, 3, 3, 4, 5, 6, 8])
        start = self.random.randrange(max(1, len(words) - count + 1))
        return " ".join(words[start : start + count])[:60]

    def next(self, kind):
        while True:
            text = getattr(self, kind, lambda: self.script(kind))()
            if text:
                return text

    def script(self, kind):
        def wanted(text):
            return is_script(text, kind)

        wanted.__name__ = kind
        pool = self.messages(self.random.choice(LOCALES[kind].split()), wanted)
        if not pool:
            return None
        text = self.piece(self.random.choice(pool), kind in ("Thai", "Khmr", "Kana"))
        if not is_script(text, kind):
            return None
        if kind in ("Cyrl", "Grek", "Armn") and self.random.random() < 0.25:
            text = text.upper()
            if kind == "Grek":
                text = "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))
        return text + (f" {self.random.randrange(1, 2500)}" if self.random.random() < 0.12 else "")

    def cased(self, text, capitals):
        chance = self.random.random()
        return text.upper() if chance < capitals else text.title() if chance < capitals + 0.1 else text

    def latin(self):
        pool = self.messages(self.random.choice(LATIN), is_latin)
        text = self.piece(self.random.choice(pool)) if pool else ""
        return self.cased(text, 0.25) if is_latin(text) else None

    def english(self):
        return self.cased(self.piece(self.random.choice(self.messages("de", is_latin, originals=True))), 0.3)

    def han(self):
        def wanted(text):
            return any("CJK" in unicodedata.name(c, "") for c in text)

        text = self.piece(self.random.choice(self.messages(self.random.choice(["zh_CN", "zh_TW"]), wanted)), True)
        return text if sum("CJK" in unicodedata.name(c, "") for c in text) >= 2 else None

    def brands(self):
        return " ".join(self.random.choice(BRANDS) for _ in range(self.random.choice([1, 2, 3])))

    def program(self):
        if "program" not in self.known:
            lines = []
            for path in sorted(glob.glob("Sources/**/*.swift", recursive=True)[:150] + glob.glob("docs/*.md") + glob.glob("/usr/include/*.h")[:80]):
                with open(path, encoding="utf8", errors="ignore") as file:
                    lines += [line.strip() for line in file if len(line.strip()) > 3 and all(ord(c) < 0x250 for c in line.strip())]
            self.known["program"] = lines
        return self.random.choice(self.known["program"])[: self.random.choice([15, 30, 50, 70])].strip()

    def codes(self):
        patterns = (
            "{AA99 AAA}|{A-AA 9999}|{99:99:99}|20{99-99-99 99:99}|{AAA-9999}|SN {AA99999999}|{hhhhhhhh-hhhh-hhhh}|0x{hhhhhhhh}|{999.999.99.9}|€{99,99}|"
            "${999.99} USD|{9.99} km/h|+{99 999 9999999}|https://{aaaaaa}.com/{aaaaa}|{aaaaaa@aaaaa}.org|v{9.99.9}|{mmmmmmmmmmmm}|{mmmmmmmm-mmmmmmmm}|"
            "{AAAA 99A}|IMG_{9999}.JPG|{99}° {99}' N|GATE {A99}|{9xAA999}Hz|{9999 9999 9999 9999}|{aaaAaaaa}|R{99 99}k C{9 999}nF|{99% 999}MB/s|"
            "{hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh}|{AAAAAAAA}"
        ).split("|")
        capitals, digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789"
        letters = {"A": capitals, "a": capitals.lower(), "9": digits, "h": digits + "abcdef", "m": capitals + capitals.lower() + digits}

        def filled(match):
            return "".join(self.random.choice(letters[c]) if c in letters else c for c in match.group(1))

        return re.sub(r"\{(.*?)\}", filled, self.random.choice(patterns))


class Fonts:
    def __init__(self, folders):
        self.files = sorted({p for f in folders for e in ("ttf", "otf", "ttc") for p in glob.glob(f"{f}/**/*.{e}", recursive=True)})

    def of(self, kind, aside):
        wanted = [p for p in self.files if re.search(FONTS.get(kind, GENERAL), p)]
        chosen = [p for p in wanted if (checksum(os.path.basename(p)) % 3 == 0) == aside]
        return chosen or wanted


def has_letters(font, text):
    missing = bytes(font.getmask("\U000ffffe"))
    return all(bytes(font.getmask(c)) != missing for c in set(text) if not c.isspace() and not unicodedata.combining(c))


def page(texts, fonts, kinds, path, strain):
    """A picture of some lines; returns their kinds, texts and places."""
    chance, width = texts.random, 1000
    is_light = chance.random() < 0.5
    ground = tuple(chance.randrange(190, 256) if is_light else chance.randrange(60) for _ in range(3))
    rows = []
    while len(rows) < 14:
        kind = chance.choice(kinds)
        text, size = texts.next(kind), chance.choice([14, 16, 18, 20, 24, 28, 32, 40, 48])
        font = ImageFont.truetype(chance.choice(fonts.of(kind, texts.aside)), size)
        if font.getlength(text) < width - 60 and has_letters(font, text):
            rows.append((kind, text, font, size))
    picture = Image.new("RGB", (width, sum(2 * r[3] + 14 for r in rows) + 40), ground)
    draw, top, truth = ImageDraw.Draw(picture), 20, []
    for kind, text, font, size in rows:
        left = chance.randrange(20, max(21, int(width - font.getlength(text) - 20)))
        color = tuple(chance.randrange(90) if is_light else chance.randrange(170, 256) for _ in range(3))
        draw.text((left, top + 0.3 * size), text, font=font, fill=color)
        truth.append({"kind": kind, "text": text, "box": draw.textbbox((left, top + 0.3 * size), text, font=font)})
        top += 2 * size + 14
    degraded(picture, truth, chance, strain).save(path, quality=chance.choice([25, 40, 60] if strain else [60, 75, 90]))
    return truth


def degraded(picture, truth, chance, strain):
    scale, blur, noise = 1, chance.choice([0, 0, 0.5, 0.9]), chance.choice([0, 0, 5, 12])
    if strain:
        scale, blur, noise = chance.choice([0.35, 0.45, 0.55, 0.7, 1]), chance.choice([0, 0.5, 0.8, 1.1]), chance.choice([0, 5, 12, 22])
        picture = picture.resize((int(picture.width * scale), int(picture.height * scale)), Image.LANCZOS)
    picture = picture.filter(ImageFilter.GaussianBlur(blur)) if blur else picture
    values = numpy.asarray(picture).astype(float)
    values += numpy.random.default_rng(chance.randrange(1 << 30)).normal(0, noise, values.shape)
    if strain and chance.random() < 0.4:
        values = (values - values.mean()) * chance.uniform(0.25, 0.6) + values.mean()
    for line in truth:
        line["box"] = [scale * v for v in line["box"]]
    return Image.fromarray(values.clip(0, 255).astype("uint8"))


def render(folder, seed, aside, pages, kinds, fonts, strain=False):
    os.makedirs(folder, exist_ok=True)
    texts = Texts(seed, aside)
    truth = {f"{i:04}.jpg": page(texts, fonts, kinds, f"{folder}/{i:04}.jpg", strain) for i in range(pages)}
    with open(f"{folder}/truth.json", "w", encoding="utf8") as file:
        json.dump(truth, file, ensure_ascii=False)
