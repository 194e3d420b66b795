"""Makes the short recording in README.md, docs/images/framegrep.webp: scripts/pictures recording [OUTPUT.webp]

Renders the clip of scripts/demo, searches it as a person would at a terminal, and draws both as they were: the command letter by letter, what it
printed with its colors, and below the annotated copy that it wrote. Nothing in it is made up but the speed of typing. What becomes of it is the
same each time, but for other releases of the programs.

FRAMEGREP names the program, else the tests' build, whose render-clips is taken too. Needs the networks, ffmpeg and fonts-dejavu-core, as
scripts/setup --tests installs them.
"""
import os
import pathlib
import pty
import re
import select
import subprocess
import sys
import tempfile

from program import ROOT, tested_program

root = pathlib.Path(ROOT)

COMMAND = "framegrep -e FUSES -e EXIT demo.mp4 --save-video found.mp4"
FONT = "/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf"
LIMIT = 200_000

WIDTH, PICTURE, RATE = 480, (480, 270), 8
# Pictures a second of the copy: more of them, of a camera that moves, are more than a README should weigh.
FOUND_RATE = 2
SIZE, ADVANCE, LINE, MARGIN = 12, 7, 18, 10
TYPING, PAUSE = 0.045, 0.5
COLORS = {"": "0xd8dee4", "35": "0xc678dd", "36": "0x56b6c2", "32": "0x98c379", "31": "0xff6b68", "prompt": "0x98c379"}


def printed(program, folder):
    """What the program writes to a terminal, as lines of pieces (text, color)."""
    main, side = pty.openpty()
    environment = dict(os.environ, TERM="xterm-256color", LC_ALL="C.UTF-8")
    environment.pop("NO_COLOR", None)
    process = subprocess.Popen(
        [program, *COMMAND.split()[1:]], cwd=folder, stdin=side, stdout=side, stderr=subprocess.DEVNULL, env=environment)
    os.close(side)
    data = b""
    while select.select([main], [], [], 600)[0]:
        try:
            data += os.read(main, 4096)
        except OSError:
            break
    if process.wait() != 0:
        sys.exit("pictures recording: the search found nothing.")
    return [pieces(line) for line in data.decode().replace("\r", "").splitlines() if line]


def pieces(line):
    """A terminal's line taken apart at its changes of color."""
    color, result = "", []
    for part in re.split(r"(\x1b\[[0-9;]*[mK])", line):
        if part.startswith("\x1b"):
            if part.endswith("m"):
                codes = [code for code in part[2:-1].split(";") if code in COLORS]
                color = codes[-1] if codes else ""
        elif part:
            result.append((part, COLORS[color]))
    return result


def script(lines, folder):
    """The drawing of the terminal for ffmpeg; returns the filters and when the search is over."""
    filters = []

    def text(words, column, row, color, begin, end=None):
        name = folder / f"text{len(filters)}"
        name.write_text(words)
        until = f"between(t,{begin:.3f},{end:.3f})" if end else f"gte(t,{begin:.3f})"
        filters.append(
            f"drawtext=fontfile={FONT}:textfile={name}:expansion=none:fontsize={SIZE}:fontcolor={color}"
            f":x={MARGIN + column * ADVANCE}:y={MARGIN + row * LINE + SIZE}-max_glyph_a:enable='{until}'")

    text("$", 0, 0, COLORS["prompt"], 0)
    now = PAUSE
    for number, letter in enumerate(COMMAND):
        now += TYPING
        if letter != " ":
            text(letter, 2 + number, 0, COLORS[""], now)
    now += PAUSE
    for row, line in enumerate(lines):
        column = 0
        for words, color in line:
            text(words, column, 1 + row, color, now)
            column += len(words)
        now += PAUSE / 2
    text("$", 0, 1 + len(lines), COLORS["prompt"], now)
    return filters, now + PAUSE


def main():
    output = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else root / "docs/images/framegrep.webp").resolve()
    program = pathlib.Path(tested_program()).resolve()
    renderer = program.parent / "render-clips"
    if not renderer.exists():
        sys.exit(f"pictures recording: there is no {renderer}; scripts/test builds it.")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run([renderer, "demo", "--output", folder], check=True, stdout=subprocess.DEVNULL)
        lines = printed(program, folder)
        filters, begin = script(lines, folder)
        height = 2 * MARGIN + LINE * (2 + len(lines))
        length = begin + 8.0
        graph = (
            f"color=c=0x1e2227:s={WIDTH}x{height + PICTURE[1]}:r={RATE}:d={length:.3f}," + ",".join(filters) + "[terminal];"
            f"[0:v]fps={FOUND_RATE},scale={PICTURE[0]}:{PICTURE[1]}:flags=area,setpts=PTS+{begin:.3f}/TB[found];"
            f"[terminal][found]overlay=0:{height}:eof_action=repeat:enable='gte(t,{begin:.3f})'[all]")
        (folder / "graph").write_text(graph)
        convert = ["ffmpeg", "-v", "error", "-y", "-i"]
        subprocess.run(
            [*convert, folder / "found.mp4", "-filter_complex_script", folder / "graph", "-map", "[all]", "-an", "-c:v", "ffv1", "-pix_fmt", "bgr0",
             folder / "all.mkv"], check=True)
        for quality in (60, 45, 30, 20):
            subprocess.run(
                [*convert, folder / "all.mkv", "-c:v", "libwebp_anim", "-quality", str(quality), "-compression_level", "4", "-loop", "0",
                 folder / "all.webp"], check=True)
            if (folder / "all.webp").stat().st_size < LIMIT:
                break
        else:
            sys.exit("pictures recording: it does not get small enough.")
        output.write_bytes((folder / "all.webp").read_bytes())
        print(f"{output}: {output.stat().st_size} bytes, {length:.1f} s, quality {quality}")


main()
