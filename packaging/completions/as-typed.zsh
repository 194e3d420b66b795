# Goes behind what the argument parser makes for zsh (scripts/lib/completions.py, which puts names between the @).
# A command that is not named is find, and a word that begins with a colon is a kind of content.
_framegrep() {
    if [[ "${PREFIX}" = :* ]]; then
        compadd -- @KINDS@
        return
    fi
    case "${words[2]-}" in
    @COMMANDS@) ;;
    *)
        if ((CURRENT > 2)) || [[ "${words[2]-}" = -* ]]; then
            words=("${words[1]}" find "${(@)words[2,-1]}")
            ((CURRENT++))
        fi
        ;;
    esac
    _framegrep_given "${@}"
}

if [[ "${funcstack[1]}" = _framegrep ]]; then
    _framegrep "${@}"
else
    compdef _framegrep framegrep
fi
