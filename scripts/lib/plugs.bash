# What the plugs for other tools are tested with. To be sourced after common.bash and build.bash.
# shellcheck disable=SC2034,SC2154

# prepare_plugs: finds or builds the programs, brings the Python packages of plug-requirements.txt (in a folder of its own), and sets
# `python`.
prepare_plugs() {
    prepare_python "$root/.build/plug-tests" scripts/lib/plug-requirements.txt
    find_program
    if [[ -z "${RENDER_CLIPS-}" ]]; then
        RENDER_CLIPS=$(dirname "$FRAMEGREP")/render-clips
        [[ -x "$RENDER_CLIPS" ]] || swift build "${testing_flags[@]}" --product render-clips
    fi
    export RENDER_CLIPS
}

# need_debian PROGRAM PACKAGE...: installs Debian's packages where the program is missing.
need_debian() {
    local program=$1
    shift
    ! command -v "$program" >/dev/null || return 0
    say "installing Debian's $*"
    local as_root=()
    ((EUID == 0)) || as_root=(sudo)
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq install --no-install-recommends "$@" >/dev/null
}
