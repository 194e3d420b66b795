# What the page is tested and measured with. To be sourced after common.bash, build.bash and serve.bash.
# shellcheck disable=SC2034,SC2154

# prepare_page: brings Chromium and the Python packages of page-requirements.txt, finds or builds the programs, and sets `python`.
prepare_page() {
    if ! command -v chromium >/dev/null; then
        say "installing Debian's chromium, whose player knows H.264"
        local as_root=()
        ((EUID == 0)) || as_root=(sudo)
        "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq install --no-install-recommends chromium >/dev/null
    fi
    prepare_python .build/page-tests scripts/lib/page-requirements.txt
    find_program
    if [[ -z "${RENDER_CLIPS-}" ]]; then
        RENDER_CLIPS=$(dirname "$FRAMEGREP")/render-clips
        [[ -x "$RENDER_CLIPS" ]] || swift build "${testing_flags[@]}" --product render-clips
    fi
    export RENDER_CLIPS
    build_serve
}
