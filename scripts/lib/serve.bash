# How the page's server is built: a package of its own, with a build folder of its own (docs/decisions/page.md). To be sourced after
# common.bash and build.bash.
# shellcheck disable=SC2154

# build_serve: builds framegrep-serve and sets FRAMEGREP_SERVE to it. Says nothing unless it fails. Where FRAMEGREP_SERVE names one
# already, nothing is built. With FRAMEGREP_STATIC=1 Swift's runtime is inside, as for build_standalone (build.bash).
build_serve() {
    if [[ -z "${FRAMEGREP_SERVE-}" ]]; then
        local log
        local options=(--package-path "$root/Serve" -c release)
        [[ "${FRAMEGREP_STATIC-}" != 1 ]] || options+=(--disable-local-rpath)
        if ! log=$(swift build "${options[@]}" 2>&1); then
            printf '%s\n' "$log" >&2
            return 2
        fi
        FRAMEGREP_SERVE=$root/Serve/.build/release/framegrep-serve
    fi
    export FRAMEGREP_SERVE
}
