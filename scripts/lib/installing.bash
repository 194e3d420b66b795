# What scripts/install, scripts/uninstall and scripts/package share: the manifest, and where things go. To be sourced after
# common.bash.
# shellcheck disable=SC2154

# in_prefix PATH: sets $manifest to where the list of what was installed below a prefix is. A line is 'f PATH' for a file and
# 'd PATH' for a folder that was made, without DESTDIR.
in_prefix() {
    [[ "$1" == /* && "$1" != *$'\n'* ]] || fail "the prefix is to be the whole path of a folder, such as /usr/local or \$HOME/.local."
    prefix=${1%/}
    manifest=${DESTDIR-}$prefix/share/framegrep/manifest
}

# remove_installed LIST: removes the files on a copy of the manifest, then the folders that were made, where nothing else is in them.
remove_installed() {
    local kind path
    while read -r kind path; do
        [[ "$kind" != f ]] || rm -f -- "${DESTDIR-}$path" || return
    done <"$1"
    # Those inside of others were made later.
    while read -r kind path; do
        [[ "$kind" != d ]] || rmdir -- "${DESTDIR-}$path" 2>/dev/null || true
    done < <(tac "$1")
}
