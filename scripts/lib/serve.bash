# How the page's server is built: a package of its own, with a build folder of its own (docs/decisions/page.md). To be sourced after
# common.bash and build.bash.
# shellcheck disable=SC2154

# build_serve: builds framegrep-serve and sets FRAMEGREP_SERVE to it. Says nothing unless it fails. Where FRAMEGREP_SERVE names one
# already, nothing is built.
build_serve() {
    if [[ -z "${FRAMEGREP_SERVE-}" ]]; then
        local log
        if ! log=$(swift build --package-path "$root/Serve" -c release 2>&1); then
            printf '%s\n' "$log" >&2
            return 2
        fi
        FRAMEGREP_SERVE=$root/Serve/.build/release/framegrep-serve
    fi
    export FRAMEGREP_SERVE
}
