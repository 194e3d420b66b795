"""Rendered clips and what is known of them: NAME.mp4 with NAME.truth.json beside it."""
import json, os, subprocess

from program import BUILT

RENDERER = os.path.join(BUILT, "render-clips")


def names(values=False):
    listed = subprocess.run([RENDERER, "--list"] + ["--values"] * values, check=True, capture_output=True, text=True).stdout
    return [line.split()[0] for line in listed.splitlines()]


def render(name, folder):
    """The clip's file, rendered unless the folder has it; a name that is a file already stays it."""
    path = name if os.path.exists(name) else os.path.join(folder, name + ".mp4")
    if not os.path.exists(path):
        subprocess.run([RENDERER, name, "--output", folder], check=True, stdout=subprocess.DEVNULL)
    return path


def truth(path):
    with open(os.path.splitext(path)[0] + ".truth.json") as file:
        return json.load(file)


def searched(truth, near_misses=True):
    """What is searched on a clip, each pattern once: its words and, where wanted, what only looks like one."""
    return list(dict.fromkeys([text["text"] for text in truth["texts"]] + (truth["absent"] if near_misses else [])))
