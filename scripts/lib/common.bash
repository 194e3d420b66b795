# What the shell scripts share. To be sourced first thing:
#
#   source "$(dirname "${BASH_SOURCE[0]}")/lib/common.bash"
#
# The script ends at its first error from here on. $root is the checkout's folder; most scripts go there next.
set -euo pipefail
# shellcheck disable=SC2034
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
script=$(cd "$(dirname "$0")" && pwd)/${0##*/}
# Paths that the caller gives are relative to the caller's folder. A FRAMEGREP without a slash is looked for in PATH.
for variable in FRAMEGREP FRAMEGREP_BUILT FRAMEGREP_SERVE RENDER_CLIPS PORTAL_WLR; do
    [[ -z "${!variable-}" || $variable == FRAMEGREP && $FRAMEGREP != */* ]] || export "$variable=$(realpath -m -- "${!variable}")"
done
unset variable

# say WORDS...: for a person, on standard error, because standard output is for results; the script's name goes before, or
# what $speaker says instead.
say() { printf '%s: %s\n' "${speaker:-${0##*/}}" "$*" >&2; }

# fail WORDS...: says why, and ends the script with 2, the status of what could not be done.
fail() {
    say "$@"
    exit 2
}

# usage: prints the comment at the top of the script, which says how it is called.
usage() { awk 'NR > 1 && !/^#/ { exit } NR > 1 { sub(/^# ?/, ""); print }' "$script"; }

# prepare_python FOLDER REQUIREMENTS: brings the Python packages that a file lists, in an environment in FOLDER, and sets `python`. The file
# is copied there when all of them have come: where that failed, or the file has changed since, they are installed anew.
prepare_python() {
    python=$1/venv/bin/python
    if [[ ! -x $python ]] || ! cmp -s "$2" "$1/installed"; then
        say "installing Python packages into $1"
        rm -f "$1/installed"
        python3 -m venv "$1/venv" || fail "python3 has no venv; install it with: sudo apt-get install python3-venv"
        "$python" -m pip install --quiet --requirement "$2" || fail "the Python packages of $2 could not be installed."
        cp "$2" "$1/installed"
    fi
}

# What is appended to these goes when the script ends, however it ends: files and folders, and processes by their number,
# because another checkout of this repository may be running programs of the same names.
#
#   work=$(mktemp -d) && temporary+=("$work")
#   command & started+=("$!")
temporary=()
started=()
end_processes() {
    local process
    for process in "${started[@]}"; do kill "$process" 2>/dev/null || true; done
    for process in "${started[@]}"; do wait "$process" 2>/dev/null || true; done
    started=()
}
# Called by the trap.
# shellcheck disable=SC2317
clean_up() {
    local status=$?
    end_processes
    ((${#temporary[@]} == 0)) || rm -rf -- "${temporary[@]}"
    exit "$status"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
