# Goes behind what the argument parser makes for fish (scripts/lib/completions.py, which puts names between the @).
# A command that is not named is find.
functions -q __framegrep_given_tokens
or functions -c __framegrep_tokens __framegrep_given_tokens
function __framegrep_tokens
    set -l tokens (__framegrep_given_tokens $argv)
    if not string match -q -- '-p*' "$argv[1]"
        # Not the whole line is asked for.
        printf '%s\n' $tokens
        return
    end
    switch "$tokens[2]"
        case @COMMANDS@
        case '*'
            # The first word behind the program may still become a command, unless it is an option.
            set -l current (commandline -t)
            if set -q tokens[2]; or string match -q -- '-*' "$current"
                set tokens $tokens[1] find $tokens[2..]
            end
    end
    printf '%s\n' $tokens
end
# A word that begins with a colon is a kind of content.
complete -c framegrep -f -n 'string match -q -- ":*" (commandline -ct)' -a '@KINDS@'
