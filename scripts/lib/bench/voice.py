"""Whether the words are found that somebody says, as docs/VOICE.md tells.

    scripts/bench voice [--every N] [--open] [--loaded SECONDS] [--show]

Sixty words and phrases as parts drawers and signs have them, said by three of espeak-ng's voices, every second one with even noise 15 dB
softer. With each there are forty lines in view, among which the right one is: the right search is that line. --open: no line is there, and
the right search is what was said. --loaded gives the model so many seconds to be loaded before what was said is understood, as somebody who
speaks does; without, it is loaded in the time that is measured. --every N takes each N-th utterance only; --show prints each. Also silence,
music and babble: no search.

Needs espeak-ng, ffmpeg, and 'framegrep setup --voice' (FRAMEGREP_HOME).
"""
import array, math, os, random, re, struct, subprocess, tempfile, time

from program import BUILT

PHRASES = """transistors|cable ties|washers|emergency stop|boarding gate twelve|fuses ten amp|exit|resistors|capacitors|push to open|
first aid|fire extinguisher|hex bolts|wood screws|wing nuts|spring washers|heat shrink tubing|soldering iron|safety glasses|battery charger|
high voltage|no smoking|meeting room|platform nine|ticket office|lost property|baggage claim|departures|arrivals|reception|elevator|stairs|
parking garage|pharmacy|bakery|frozen food|household goods|garden tools|light bulbs|extension cords|paint brushes|sand paper|super glue|
duct tape|spare keys|rubber bands|paper clips|printer ink|envelopes|measuring tape|screwdrivers|pliers|wrenches|drill bits|staples|hinges|
door handles|light switches|motor oil|wiper blades""".replace("\n", "").split("|")
VOICES = "en-us", "en-gb", "en-us+f3"
PROGRAM = os.path.join(BUILT, "measure-voice")
RATE = 16000


def said(text, voice, folder):
    path = os.path.join(folder, "said.wav")
    subprocess.run(["espeak-ng", "-v", voice, "-s", "150", "-w", path, text], check=True)
    raw = subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-i", path, "-ar", str(RATE), "-ac", "1", "-f", "f32le", "-"],
                         check=True, capture_output=True).stdout
    return array.array("f", raw)


def noisy(samples, generator):
    """With even noise, 15 dB softer than what is said."""
    power = sum(x * x for x in samples) / len(samples)
    sigma = math.sqrt(power / 10 ** 1.5)
    lead, tail = [0.0] * RATE, [0.0] * RATE
    return array.array("f", [x + generator.gauss(0, sigma) for x in lead + list(samples) + tail])


def write(samples, path):
    data = b"".join(struct.pack("<h", max(-32767, min(32767, int(x * 32767)))) for x in samples)
    with open(path, "wb") as file:
        file.write(b"RIFF" + struct.pack("<I", 36 + len(data)) + b"WAVEfmt " + struct.pack("<IHHIIHH", 16, 1, 1, RATE, RATE * 2, 2, 16))
        file.write(b"data" + struct.pack("<I", len(data)) + data)


def ask(path, lines, folder, seconds=0):
    """What is searched for, and after how long; lines stand in a file as those that are in view would."""
    words = os.path.join(folder, "lines")
    with open(words, "w") as file:
        file.write("\n".join(lines))
    begun = time.monotonic()
    done = subprocess.run([PROGRAM, path, words, str(seconds)], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr.strip().splitlines()[0])
    took = re.search(r"\(([0-9.]+) ms\)$", done.stderr.strip())
    return done.stdout.strip(), done.stderr.strip(), float(took.group(1)) / 1000 if seconds and took else time.monotonic() - begun


def arguments(parser):
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--open", action="store_true")
    parser.add_argument("--loaded", type=float, default=0)
    parser.add_argument("--show", action="store_true")


def run(given, _):
    generator = random.Random(11)
    plain = lambda text: re.sub(r"[^a-z0-9]", "", text.lower().replace("twelve", "12").replace("nine", "9").replace("ten", "10"))
    right, count, times, wrong = 0, 0, [], []
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "heard.wav")
        utterances = [(number, phrase, voice) for number, phrase in enumerate(PHRASES) for voice in VOICES]
        generator.shuffle(utterances)
        for number, phrase, voice in utterances[::given.every]:
            samples = said(phrase, voice, folder)
            write(noisy(samples, generator) if number % 2 else array.array("f", [0.0] * RATE + list(samples) + [0.0] * RATE), path)
            lines = [] if given.open else generator.sample([p for p in PHRASES if p != phrase], 39) + [phrase]
            generator.shuffle(lines)
            found, heard, took = ask(path, [line.upper() for line in lines], folder, given.loaded)
            count += 1
            times.append(took)
            if plain(found) == plain(phrase):
                right += 1
            else:
                wrong.append((phrase, voice, "noise" if number % 2 else "quiet", heard))
            if given.show:
                print(f"{voice:9} {'noise' if number % 2 else 'quiet'} {phrase:22} {heard}", flush=True)
        others = {"silence": [0.0] * RATE * 4, "music": [0.2 * math.sin(2 * math.pi * (220 + 110 * (i // 4000 % 5)) * i / RATE) for i in range(RATE * 12)]}
        babble = [said(" ".join(generator.sample(PHRASES, 20)), voice, folder) for voice in VOICES]
        others["babble"] = [sum(b[i % len(b)] for b in babble) / 3 for i in range(RATE * 20)]
        for name, samples in others.items():
            write(samples, path)
            found, heard, took = ask(path, [p.upper() for p in PHRASES[:40]], folder)
            print(f"{name}: {'no search' if not found else 'SEARCHED ' + found}: {heard} ({took:.1f} s)")
    times.sort()
    print(f"{'open' if given.open else 'forty lines in view'}: right {right} of {count} ({100 * right / count:.1f} %)")
    print(f"{'from the end of the utterance, model loaded' if given.loaded else 'a run, model loaded in it'}: median {times[len(times) // 2]:.2f} s, longest {times[-1]:.2f} s; load {load:.1f}")
    for row in wrong:
        print("  wrong:", *row)
