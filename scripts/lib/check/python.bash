# The Python module, as scripts/check python tries it, which has set what is used here.
# shellcheck disable=SC2154
work=$(mktemp -d) && temporary+=("$work")
"$RENDER_CLIPS" demo --output "$work" >/dev/null
export FRAMEGREP_TEST_CLIP=$work/demo.mp4
export FRAMEGREP_INDEX=$work/index

# A copy: what setuptools writes beside the sources stays out of the checkout.
cp -r integrations/python "$work/module"
say "mypy --strict"
(cd "$work/module" && "$python" -m mypy --strict --cache-dir="$work/mypy" src tests)
say "pytest, and the examples of docs/PYTHON.md"
PYTHONPATH=$work/module/src "$python" -m pytest -q -x -p no:cacheprovider "$work/module/tests" Tests/plugs/test_python_doc.py "$@"
say "the wheel in a fresh environment"
"$python" -m build --wheel --outdir "$work/wheel" "$work/module" >"$work/build.log" 2>&1 || { cat "$work/build.log" >&2; exit 2; }
python3 -m venv "$work/fresh"
"$work/fresh/bin/pip" install --quiet --no-index "$work"/wheel/framegrep-*.whl
found=$(cd / && "$work/fresh/bin/python" -c "import framegrep, sys; print([s.text for s in framegrep.find('EXIT', sys.argv[1])])" "$FRAMEGREP_TEST_CLIP")
[[ "$found" == "['EXIT']" ]] || fail "the wheel finds $found in the demo clip, not EXIT."
say "a notebook, executed by nbconvert"
"$work/fresh/bin/python" - "$work/look.ipynb" <<'END'
import json, sys
code = "import framegrep, os\nframegrep.find('EXIT', os.environ['FRAMEGREP_TEST_CLIP'])"
cell = {"cell_type": "code", "id": "a", "execution_count": None, "metadata": {}, "outputs": [], "source": code}
kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
json.dump({"cells": [cell], "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}, open(sys.argv[1], "w"))
END
PYTHONPATH=$work/module/src "$python" -m nbconvert --to notebook --execute --output executed "$work/look.ipynb" >"$work/notebook.log" 2>&1 ||
    { cat "$work/notebook.log" >&2; exit 2; }
"$work/fresh/bin/python" - "$work/executed.ipynb" <<'END'
import json, sys
shown = "".join("".join(o["data"].get("text/html", "")) for c in json.load(open(sys.argv[1]))["cells"] for o in c["outputs"] if "data" in o)
assert "<table" in shown and "EXIT" in shown and "data:image/png;base64," in shown, shown[:500]
END
say "all of it holds."
