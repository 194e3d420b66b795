"""What the element adds to each frame.

    scripts/bench element [--record] [--frames N]

A 720p picture with ten words on it goes at 30 frames a second through `framegrep mode=live`. The time between a frame's coming to
the element's sink pad and its going on from the source pad is taken on the stream's thread, in milliseconds of the clock and of the
processor (which others cannot disturb):

  passing    nothing is found, nothing is drawn
  boxes      ten boxes are followed and attached to each frame, none is drawn
  drawing    ten boxes are followed, attached and drawn

For each: median, what 95 of 100 frames stay below, the most, the median of the processor's time, and the memory of the process at the end. The first second is left out:
the engine is loaded then.
Needs Debian's python3-gi and gir1.2-gst-plugins-base-1.0.
"""
import os, statistics, subprocess, sys, tempfile, time

from figures import machine, percentile
from program import BUILT

WORDS = "ALPHA BRAVO CHARLIE DELTA ECHO FOXTROT GOLF HOTEL INDIA JULIET".split()
CASES = {
    "passing": ("overlay=false attach-meta=false", ["NOWHERE"]),
    "boxes": ("overlay=false", WORDS),
    "drawing": ("", WORDS),
}


def measure(name, count):
    """Runs one case in this process; prints what its frames took."""
    import gi

    gi.require_version("Gst", "1.0")
    from gi.repository import Gst

    Gst.init(None)
    properties, words = CASES[name]
    text = " ! ".join(
        f'textoverlay text="{word}" font-desc="DejaVu Sans 26" color=0xff101010 draw-shadow=false draw-outline=false '
        f"halignment={'left' if number % 2 else 'right'} valignment=top xpad={60 + 20 * number} ypad={20 + 130 * (number // 2)}"
        for number, word in enumerate(WORDS))
    listed = "<" + ", ".join(words) + ">"
    pipeline = Gst.parse_launch(
        f"videotestsrc num-buffers={count} is-live=true pattern=solid-color foreground-color=0xffe8e4d8 ! "
        f"video/x-raw,format=I420,width=1280,height=720,framerate=30/1 ! {text} ! queue ! "
        f"framegrep name=finder mode=live {properties} ! fakesink sync=false")
    finder = pipeline.get_by_name("finder")
    finder.set_property("patterns", listed)
    came, took, worked = [0.0, 0.0], [], []

    def begun(pad, info):
        came[:] = time.perf_counter(), time.thread_time()
        return Gst.PadProbeReturn.OK

    def ended(pad, info):
        took.append((time.perf_counter() - came[0]) * 1e3)
        worked.append((time.thread_time() - came[1]) * 1e3)
        return Gst.PadProbeReturn.OK

    finder.get_static_pad("sink").add_probe(Gst.PadProbeType.BUFFER, begun)
    finder.get_static_pad("src").add_probe(Gst.PadProbeType.BUFFER, ended)
    pipeline.set_state(Gst.State.PLAYING)
    found = set()
    while message := pipeline.get_bus().timed_pop(60 * Gst.SECOND):
        if message.type == Gst.MessageType.ERROR: sys.exit(message.parse_error()[0].message)
        structure = message.get_structure() if message.type == Gst.MessageType.ELEMENT else None
        if structure and structure.get_name() == "framegrep-appeared": found.add(structure.get_string("pattern"))
        if message.type == Gst.MessageType.EOS: break
    stats = finder.get_property("stats")
    pipeline.set_state(Gst.State.NULL)
    took, worked = took[30:], worked[30:]
    memory = int(next(l for l in open("/proc/self/status") if l.startswith("VmHWM")).split()[1]) / 1024
    print(
        f"{name:<10}{statistics.median(took):8.2f}{percentile(took, 0.95):8.2f}{max(took):8.2f}{statistics.median(worked):8.2f}"
        f"{len(found):8}{len(took):8}{memory:10.0f}   {stats.get_string('engine')}", flush=True)


def arguments(parser):
    parser.add_argument("--frames", type=int, default=300)


def run(given, _):
    with tempfile.TemporaryDirectory() as folder:
        print(machine())
        print(f"{'':<10}{'median':>8}{'95 %':>8}{'most':>8}{'work':>8}{'found':>8}{'frames':>8}{'MiB':>10}   engine")
        environment = dict(
            os.environ, GST_PLUGIN_PATH=BUILT, GST_REGISTRY=os.path.join(folder, "registry.bin"),
            PYTHONPATH=os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        for name in CASES:
            # One process each, so that the memory is its own; Python's bindings may be the system's only.
            for python in (sys.executable, "/usr/bin/python3"):
                if subprocess.run([python, "-c", "import gi"], stderr=subprocess.DEVNULL).returncode == 0: break
            done = subprocess.run(
                [python, os.path.abspath(__file__), name, str(given.frames)], env=environment, stdout=subprocess.PIPE, text=True, check=True)
            print(done.stdout, end="", flush=True)


if __name__ == "__main__": measure(sys.argv[1], int(sys.argv[2]))
