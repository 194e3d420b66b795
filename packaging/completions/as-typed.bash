# Goes behind what the argument parser makes for bash (scripts/lib/completions.py, which puts names between the @).
# The words up to the cursor as people see them. bash has taken ':' and '=' for words of their own: what no space parts is joined
# again. A command that is not named is find.
_framegrep_as_typed() {
    local rest="${COMP_LINE}" word gap
    ((COMP_POINT >= ${#COMP_LINE})) || rest="${COMP_LINE:0:COMP_POINT}"
    local -a words=()
    for word in "${COMP_WORDS[@]:0:COMP_CWORD}"; do
        gap="${rest%%[![:space:]]*}"
        rest="${rest:${#gap}}"
        rest="${rest#"${word}"}"
        if [[ -n "${gap}" || "${#words[@]}" -eq 0 ]]; then words+=("${word}"); else words[-1]+="${word}"; fi
    done
    gap="${rest%%[![:space:]]*}"
    rest="${rest:${#gap}}"
    if [[ -n "${gap}" ]]; then words+=("${rest}"); else words[-1]+="${rest}"; fi
    if [[ "${words[-1]}" = --?*=* ]]; then
        rest="${words[-1]#*=}"
        words[-1]="${words[-1]%%=*}"
        words+=("${rest}")
    fi
    case "${words[1]-}" in
    @COMMANDS@) ;;
    *) ((${#words[@]} < 3)) && [[ "${words[1]-}" != [-:]* ]] || words=("${words[0]}" find "${words[@]:1}") ;;
    esac

    local cur="${words[-1]}" prev="${words[-2]}"
    COMP_WORDS=("${words[@]}")
    COMP_CWORD=$((${#words[@]} - 1))
    COMP_LINE="${words[*]}"
    COMP_POINT=${#COMP_LINE}
    COMPREPLY=()
    if [[ "${cur}" = :* && "${prev}" != --* ]]; then
        for word in @KINDS@; do [[ "${word}" != "${cur}"* ]] || COMPREPLY+=("${word}"); done
    else
        _framegrep "${words[0]}" "${cur}" "${prev}"
    fi
    # What stands before the last colon is on the line already.
    if [[ "${cur}" = *:* && "${COMP_WORDBREAKS}" = *:* ]]; then
        COMPREPLY=("${COMPREPLY[@]#"${cur%"${cur##*:}"}"}")
    fi
    # A value goes on behind these.
    [[ "${#COMPREPLY[@]}" -ne 1 || "${COMPREPLY[0]}" != *= ]] || compopt -o nospace 2>/dev/null
}

complete -o filenames -F _framegrep_as_typed framegrep
