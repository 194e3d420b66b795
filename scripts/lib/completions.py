"""Writes what shells complete framegrep's command line with.

    python3 scripts/lib/completions.py PROGRAM FOLDER

Makes FOLDER/framegrep.bash, FOLDER/_framegrep (zsh) and FOLDER/framegrep.fish: the scripts that the program's argument parser makes
(--generate-completion-script), and behind each a few lines (packaging/completions) for what it has no words for:

- Without a command the words are those of find: 'framegrep EXIT lob<Tab>'.
- A word that begins with a colon is a kind of content, also where a pattern stands without -e.
- In bash ':' and '=' separate words: they are joined again, and '--format=js<Tab>' is '--format js<Tab>'.
"""

import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# What zsh's script is taken apart at: its first function, and its end, which ours replaces.
ZSH_START = "\n_framegrep() {"
ZSH_END = 'if [[ "${funcstack[1]}" = _framegrep ]]; then'


def main():
    program, folder = sys.argv[1:3]
    ask = lambda *words, **rest: subprocess.run([program, *words], check=True, capture_output=True, text=True, **rest).stdout
    command = json.loads(ask("--experimental-dump-help"))["command"]
    names = [item["commandName"] for item in command["subcommands"]]
    kinds = ask("---completion", "find", "--", "--pattern", "3", "1", "framegrep", "find", "-e", ":",
                env={**os.environ, "SAP_SHELL": "bash"}).split()
    if not kinds or not all(kind.startswith(":") for kind in kinds):
        sys.exit(f"{program} does not tell the kinds of content for completions: {kinds}")

    def own(shell, commands):
        with open(os.path.join(ROOT, "packaging/completions/as-typed." + shell), encoding="utf-8") as file:
            return "\n" + file.read().replace("@COMMANDS@", commands).replace("@KINDS@", " ".join(kinds))

    # It is read by a shell, not run as a program.
    bash = ask("--generate-completion-script", "bash").removeprefix("#!/bin/bash\n").lstrip("\n")
    zsh = ask("--generate-completion-script", "zsh")
    fish = ask("--generate-completion-script", "fish")
    if ZSH_END not in zsh or zsh.count(ZSH_START) != 1:
        sys.exit("The argument parser's script for zsh begins or ends otherwise than before.")
    # zsh calls the function that is named as the file.
    zsh = zsh[: zsh.rindex(ZSH_END)].replace(ZSH_START, "\n_framegrep_given() {")
    pieces = {
        "framegrep.bash": bash + own("bash", "|".join(names)),
        "_framegrep": zsh + own("zsh", "|".join(names)).lstrip("\n"),
        "framegrep.fish": fish + own("fish", " ".join(names)),
    }
    os.makedirs(folder, exist_ok=True)
    for name, text in pieces.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)


main()
