# How the program is built: one place for the flags, because another set of flags builds everything anew. To be sourced after
# common.bash.
# shellcheck disable=SC2154

# The release of Swift whose warnings are errors (Package.swift asks for the variable) and whose formatter's word counts. Other
# releases warn of other things and format otherwise, but the tests should run with them too.
strict_release=6.3
if [[ -z "${FRAMEGREP_STRICT-}" ]]; then
    FRAMEGREP_STRICT=0
    [[ "$(swift --version 2>/dev/null)" != *"Swift version $strict_release"[.\ -]* ]] || FRAMEGREP_STRICT=1
fi
export FRAMEGREP_STRICT

# build_release: the build that people run: optimized, in .build/release. Says nothing unless it fails.
build_release() {
    local log
    if ! log=$(swift build -c release 2>&1); then
        printf '%s\n' "$log" >&2
        return 2
    fi
}

# build_standalone: the program and the element with Swift's runtime inside and no folder to look for libraries in, for other machines;
# in .build/release too, because only the linking differs (FRAMEGREP_STATIC, Package.swift). Says nothing unless it fails.
build_standalone() {
    local log product
    for product in framegrep gstframegrep; do
        if ! log=$(FRAMEGREP_STATIC=1 swift build -c release --product "$product" --disable-local-rpath 2>&1); then
            printf '%s\n' "$log" >&2
            return 2
        fi
    done
}

# The build of the tests: optimized too, because they run the program itself on video, and unoptimized loops over pixels take
# ten times as long. In a folder of its own, because -enable-testing, which shows the tests what is internal, is another flag.
testing_scratch=.build/testing
testing_products=$testing_scratch/release
testing_flags=(-c release --scratch-path "$testing_scratch" -Xswiftc -enable-testing)

# build_incrementally: from here on the tests' build compiles single files and not whole modules, in a third folder: the first one takes
# twice as long, and after a change inside of a function only its file is compiled again (CONTRIBUTING.md has the times).
build_incrementally() {
    testing_scratch=.build/incremental
    testing_products=$testing_scratch/debug
    testing_flags=(-c debug --scratch-path "$testing_scratch" -Xswiftc -O -Xcc -O2 -Xcxx -O2)
}

# find_program: sets FRAMEGREP to the program to be tried: the one that it names, else the tests' build, built where it is missing.
find_program() {
    if [[ -z "${FRAMEGREP-}" ]]; then
        FRAMEGREP=$root/$testing_products/framegrep
        [[ -x "$FRAMEGREP" ]] || (cd "$root" && swift build "${testing_flags[@]}" --product framegrep)
    fi
    export FRAMEGREP
}
