"""Writes the manual pages from what the program says of itself and from docs/ENVIRONMENT.md.

    python3 scripts/lib/manual.py PROGRAM FOLDER [DATE]

Makes framegrep.1 and a page for each subcommand, framegrep-find.1 and so on, in FOLDER. Names, options and their sentences are those
of --help: they come from the same declarations (--experimental-dump-help). docs/decisions/packaging.md says why this is a script.
"""

import json
import os
import re
import subprocess
import sys
import textwrap

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# What --help does not say of every command: the folders of the program.
FILES = [
    ("~/.local/share/framegrep/neural, /usr/local/share/framegrep/neural",
     "The neural engine of this user and of all users, which framegrep setup installs."),
    ("~/.local/share/framegrep/index", "What framegrep index has read."),
    ("~/.local/state/framegrep/searches", "Earlier searches of the window."),
    ("~/.cache/framegrep/networks", "Compiled networks, which may be removed at any time."),
    ("../share/framegrep/pipelines", "Pipelines for framegrep run, seen from the program's folder."),
    ("../share/doc/framegrep", "The documents that are named docs/... here."),
]

# Commands whose exit status is grep's.
SEARCHES = {"find", "live", "run"}
INTERRUPTED = "After Ctrl-C it is 130, after SIGTERM 143, and 129 when the terminal was closed."


def escaped(text):
    """Text of a person as roff wants it: nothing in it is a command."""
    text = text.replace("\\", "\\e").replace("~", "\\(ti").replace("^", "\\(ha").replace("`", "\\(ga")
    return text


def literal(text):
    """A command, an option or a name, to be copied: its hyphens and quotes are those of the keyboard."""
    return escaped(text).replace("-", "\\-").replace("'", "\\(aq")


def prose(text):
    """A sentence; options in it are bold."""
    text = escaped(" ".join(text.split()))
    # "-q", "--format", not the hyphens in words.
    text = re.sub(r"(?<![\w\\(-])(--?[A-Za-z0-9][A-Za-z0-9-]*)", lambda m: "\\fB" + m[1].replace("-", "\\-") + "\\fP", text)
    return guarded(text)


def guarded(line):
    """A line that begins with a dot or an apostrophe would be a command of roff's."""
    return "\\&" + line if line[:1] in ".'" else line


def option_names(argument):
    """-o, --output with its value, as .TP wants them."""
    value = argument.get("valueName") if argument["kind"] == "option" else None
    names = sorted(argument.get("names") or [], key=lambda name: name["kind"] == "long")
    written = [("-" if name["kind"] == "short" else "--") + name["name"] for name in names]
    text = ", ".join("\\fB" + literal(name) + "\\fP" for name in written)
    return text + (" \\fI" + literal(value) + "\\fP" if value else "")


def option_entry(argument):
    sentences = argument.get("abstract") or ""
    extras = []
    values = argument.get("allValues") or []
    if values and not all(value in sentences for value in values):
        extras.append("values: " + ", ".join(values))
    default = argument.get("defaultValue")
    if default is not None and "(default" not in sentences:
        extras.append("default: " + default)
    if extras:
        sentences = sentences.rstrip() + " (" + "; ".join(extras) + ")"
    lines = [".TP", option_names(argument), prose(sentences)]
    if argument.get("discussion"):
        lines += [".IP", prose(argument["discussion"])]
    return lines


def positional_words(argument):
    """The words of a positional argument: 'pattern> <input' stands for two."""
    words = argument["valueName"].split("> <")
    shown = ["[\\fI" + literal(word) + "\\fP]" if argument.get("isOptional") or len(words) > 1 else "\\fI" + literal(word) + "\\fP" for word in words]
    return " ".join(shown) + (" ..." if argument.get("isRepeating") else "")


def shown(command):
    return [argument for argument in command.get("arguments") or [] if argument.get("shouldDisplay", True)]


def commands_of(command):
    """The commands below one that a person types."""
    return [below for below in command.get("subcommands") or [] if below.get("shouldDisplay", True) and below["commandName"] != "help"]


def paragraphs(discussion):
    return [part.split("\n") for part in re.split(r"\n\s*\n", discussion or "") if part.strip()]


def is_example(line):
    return bool(re.match(r"\s*(sudo |\S+ \| )?(framegrep|ssh) ", line))


def joined(lines):
    """Examples that go on in indented lines, each as one line."""
    whole = []
    for line in lines:
        text = line.strip()
        if not line[:1].isspace() or not whole or not is_example(whole[-1]):
            whole.append(line)
        elif text.startswith(("--", "!")):
            whole[-1] = whole[-1].rstrip("\\ ") + " " + text
        else:
            whole[-1] += (" " if re.search(r"\S\s{3,}\S", whole[-1]) else "   ") + text
    return whole


def split_discussion(discussion):
    """The prose paragraphs, the examples (command, explanation), and the sentence about the exit status. A list of options is left out:
    the page has all of them."""
    texts, examples, status = [], [], None
    for lines in map(joined, paragraphs(discussion)):
        if all(line.startswith("-") for line in lines):
            continue
        if all(is_example(line) for line in lines):
            for line in lines:
                parts = re.split(r"\s{3,}", line.strip(), maxsplit=1)
                examples.append((parts[0], parts[1] if len(parts) > 1 else None))
            continue
        text = " ".join(line.strip() for line in lines)
        found = re.search(r"Exit status:? (.*)$", text)
        if found:
            status = found[1]
            text = text[: found.start()].strip()
        if text:
            texts.append(text)
    return texts, examples, status


def example_lines(examples):
    lines = []
    for command, explanation in examples:
        lines += [".TP", "\\fB" + literal(command) + "\\fP", prose(explanation) if explanation else "\\&"]
    return lines


def simple_examples(examples):
    """Commands alone stand one below the other."""
    if any(explanation for _, explanation in examples):
        return example_lines(examples)
    lines = [".nf"]
    for command, _ in examples:
        lines.append("\\fB" + literal(command) + "\\fP")
    return lines + [".fi"]


def environment_rows():
    """Names, default and sentence of the program's variables in docs/ENVIRONMENT.md."""
    with open(os.path.join(ROOT, "docs/ENVIRONMENT.md"), encoding="utf-8") as file:
        text = file.read()
    part = text.split("## The program", 1)[1].split("\n## ", 1)[0]
    rows = []
    for line in part.split("\n"):
        cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")]
        if not line.startswith("| `") or len(cells) != 3:
            continue
        cells = [re.sub(r" \(\[[^\]]*\]\([^)]*\)\)", "", cell) for cell in cells]
        rows.append(tuple(re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", cell).replace("`", "") for cell in cells))
    if len(rows) < 5:
        sys.exit("docs/ENVIRONMENT.md has no table below 'The program' that could be read.")
    return rows


def heading(title, name, version, date):
    return ['.\\" Made from the program\'s own --help by scripts/lib/manual.py.',
            f'.TH {literal(title.upper())} 1 "{date}" "framegrep {version}" "User Commands"',
            '.nh', '.ad l', ".SH NAME", name]


def synopsis(words, command):
    parts = ["\\fB" + literal(" ".join(words)) + "\\fP"]
    if command.get("subcommands"):
        return parts[0] + " [\\fIcommand\\fP] [\\fIoption\\fP ...] [\\fIargument\\fP ...]"
    parts.append("[\\fIoption\\fP ...]")
    parts += [positional_words(argument) for argument in shown(command) if argument["kind"] == "positional"]
    return " ".join(parts)


def options_of(command):
    lines = []
    positionals = [argument for argument in shown(command) if argument["kind"] == "positional"]
    for argument in positionals:
        lines += [".TP", positional_words(argument), prose(argument.get("abstract") or "")]
    for argument in shown(command):
        names = {name["name"] for name in argument.get("names") or []}
        if argument["kind"] != "positional" and "version" not in names:
            lines += option_entry(argument)
    return lines


def nested(command, words):
    """The commands below one: their synopsis, what they do, and the options that are theirs alone."""
    lines = [".SH COMMANDS"]
    for below in commands_of(command):
        name = words + [below["commandName"]]
        default = " This is what runs where none is named." if command.get("defaultSubcommand") == below["commandName"] else ""
        lines += [".SS " + literal(" ".join(name)), synopsis(name, below), ".PP",
                  prose(below.get("abstract", "") + default)]
        texts, examples, status = split_discussion(below.get("discussion"))
        for text in texts:
            lines += [".PP", prose(text)]
        if status:
            lines += [".PP", prose("Exit status: " + status)]
        if examples:
            lines += [".PP", *simple_examples(examples)]
        lines += options_of(below)
    return lines


def status_section(name, status):
    if status is None:
        status = ("0 something was found, 1 nothing was, 2 an error." if name in SEARCHES
                  else "0 it was done, 2 an error.")
    return [".SH EXIT STATUS", prose(status), ".PP", prose(INTERRUPTED)]


def subcommand_page(command, version, date):
    name = command["commandName"]
    lines = heading("framegrep-" + name, literal("framegrep-" + name) + " \\- " + prose(one_line(command["abstract"])), version, date)
    lines += [".SH SYNOPSIS", synopsis(["framegrep", name], command)]
    if name == "find":
        lines += [".br", synopsis(["framegrep"], command)]
    texts, examples, status = split_discussion(command.get("discussion"))
    lines.append(".SH DESCRIPTION")
    for text in texts or [command["abstract"]]:
        lines += [prose(text), ".PP"]
    if commands_of(command):
        lines += nested(command, ["framegrep", name])
    else:
        lines += [".SH OPTIONS", *options_of(command)]
    lines += status_section(name, status)
    if examples:
        lines += [".SH EXAMPLES", *example_lines(examples)] if any(e for _, e in examples) else [".SH EXAMPLES", *simple_examples(examples)]
    lines += [".SH SEE ALSO", "\\fBframegrep\\fP(1), which has the environment and the files."]
    return lines


def one_line(abstract):
    return abstract.rstrip(".")


def root_page(command, version, date):
    below = commands_of(command)
    lines = heading("framegrep", "framegrep \\- " + prose(one_line(command["abstract"])), version, date)
    lines += [".SH SYNOPSIS", "\\fBframegrep\\fP [\\fIoption\\fP ...] [\\fIpattern\\fP] [\\fIinput\\fP ...]"]
    for item in below:
        lines += [".br", synopsis(["framegrep", item["commandName"]], item)]
    texts, examples, status = split_discussion(command.get("discussion"))
    lines += [".SH DESCRIPTION", prose(
        "framegrep reads the text in a recording, a camera's picture or any GStreamer pipeline, and shows where a word is: a list of "
        "sightings for a recording (from when to when, where, how sure), a box on the word while a picture runs.")]
    for text in texts:
        lines += [".PP", prose(text)]
    lines += [".SH COMMANDS"]
    for item in below:
        default = " This is what runs where no command is named." if item["commandName"] == command.get("defaultSubcommand") else ""
        lines += [".TP", "\\fBframegrep\\-" + literal(item["commandName"]) + "\\fP(1)", prose(item["abstract"] + default)]
    lines += [".SH OPTIONS", *[line for argument in shown(command) for line in option_entry(argument)]]
    lines += status_section("find", status.split(";")[0] + "." if status else None)
    lines += [".SH ENVIRONMENT"]
    for names, default, sentence in environment_rows():
        note = "" if default == "–" else " (default: " + default + ")"
        lines += [".TP", "\\fB" + literal(names) + "\\fP", prose(sentence + note)]
    lines += [".SH FILES"]
    for name, sentence in FILES:
        lines += [".TP", "\\fI" + literal(name) + "\\fP", prose(sentence)]
    lines += [".SH EXAMPLES", *example_lines(examples), ".SH SEE ALSO",
              ", ".join("\\fBframegrep\\-" + literal(item["commandName"]) + "\\fP(1)" for item in below) + ", \\fBgrep\\fP(1), \\fBgst\\-launch\\-1.0\\fP(1)"]
    return lines


def wrapped(lines):
    """Lines of at most 80 bytes, as roff's checkers want them; what stands behind .TP is one line, and so is what is copied."""
    result, is_copied = [], False
    for index, line in enumerate(lines):
        is_copied = line == ".nf" or is_copied and line != ".fi"
        if line.startswith(".") or is_copied or index and lines[index - 1] == ".TP":
            result.append(line)
        else:
            parts = textwrap.wrap(line, 76, break_long_words=False, break_on_hyphens=False)
            result += [guarded(part) for part in parts]
    # A paragraph that is followed by none is nothing.
    return [line for line, following in zip(result, result[1:] + [""])
            if not (line == ".PP" and following.startswith((".PP", ".SH", ".SS", ".TP")))]


def main():
    program, folder = sys.argv[1:3]
    date = sys.argv[3] if len(sys.argv) > 3 else ""
    ask = lambda *words: subprocess.run([program, *words], check=True, capture_output=True, text=True).stdout
    command = json.loads(ask("--experimental-dump-help"))["command"]
    version = ask("--version").strip()
    pages = {"framegrep": root_page(command, version, date)}
    for item in commands_of(command):
        pages["framegrep-" + item["commandName"]] = subcommand_page(item, version, date)
    os.makedirs(folder, exist_ok=True)
    for name, lines in pages.items():
        with open(os.path.join(folder, name + ".1"), "w", encoding="utf-8") as file:
            file.write("\n".join(wrapped(lines)) + "\n")


main()
