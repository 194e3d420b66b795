#!/usr/bin/env python3
"""What must hold of the element for programs that are not ours: checks.py NAME runs one check, and says why it failed.

GST_PLUGIN_PATH names the folder with libgstframegrep.so. ElementTests.swift runs each.
"""
import os, re, subprocess, sys, time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from stream import FRAME, GObject, Gst, GstVideo, Stream, caps, contract, picture, regions  # noqa: E402


def threads(named=""):
    found = []
    for task in os.listdir("/proc/self/task"):
        try:
            with open(f"/proc/self/task/{task}/comm") as file: found.append(file.read().strip())
        except OSError: pass
    return [name for name in found if name.startswith(named)]


def settled(most, seconds=30):
    """How many threads there are once there are no more than so many: a thread that was joined may be listed a moment longer."""
    deadline = time.monotonic() + seconds
    while (count := len(threads())) > most and time.monotonic() < deadline: time.sleep(0.05)
    return count


def keeper():
    """An element that runs, so that the engine stays loaded."""
    stream = Stream(patterns="x", mode="complete").begin()
    stream.push(picture("EXIT"))
    return stream


def cycles():
    """Up and down fifty times, in the middle of the stream, in both modes."""
    kept, exit_sign = keeper(), picture("EXIT")
    streams = [Stream(patterns="EXIT", mode="complete"), Stream(patterns="EXIT", mode="live", live=True)]
    before = None
    for cycle in range(50):
        stream = streams[cycle % 2]
        stream.begin()
        assert stream.push(exit_sign, count=cycle % 5, at=0) in (None, Gst.FlowReturn.OK)
        if cycle % 7 == 0: stream.end()
        stream.bin.set_state([Gst.State.NULL, Gst.State.READY][cycle % 2])
        if cycle == 10: before = len(threads())
        assert stream.error() is None, stream.error()
    after = settled(before + 2)
    assert after <= before + 2, f"{before} threads became {after}: {sorted(threads())}"
    # It still works after all that.
    streams[0].stop()
    streams[0].begin()
    streams[0].push(exit_sign, count=3, at=0)
    streams[0].end()
    streams[0].wait_for("disappeared")
    for stream in streams + [kept]: stream.stop()


def flush():
    """After a seek what was seen is over, and times are those of where the stream went."""
    for mode in ("complete", "live"):
        stream = Stream(patterns="EXIT", mode=mode).begin()
        exit_sign = picture("EXIT")
        stream.push_until(exit_sign, "appeared")
        before = stream.pushed / Gst.SECOND
        stream.seek(2000 * Gst.SECOND)
        second = stream.push_until(exit_sign, "appeared", 2)[1]
        stream.end()
        over = sorted(stream.wait_for("disappeared", 2), key=lambda s: s.get_value("id"))
        assert [s.get_value("id") for s in over] == [1, 2]
        assert over[0].get_value("end") <= before + 1e-6, over[0].to_string()
        # A live search may have begun to read with a later frame.
        assert 2000 <= over[1].get_value("start") <= (2000 if mode == "complete" else 2001), over[1].to_string()
        assert second.get_value("t") >= 2000
        stream.stop()


def segment():
    """Times are stream times: those that players show. What lies outside of the segment goes through unread."""
    stream = Stream(patterns="EXIT", mode="complete").begin(start=10 * Gst.SECOND, time=2 * Gst.SECOND)
    stream.push(picture("EXIT"), count=5, at=9 * Gst.SECOND + 5 * FRAME)
    stream.push(picture("GATE"), count=5, at=10 * Gst.SECOND)
    stream.push(picture("EXIT"), count=5)
    stream.end()
    (over,) = stream.wait_for("disappeared")
    assert (over.get_value("start"), over.get_value("end")) == (2.5, 3.0), over.to_string()
    assert len(stream.frames) == 15
    stream.stop()


def gap():
    """A gap goes on in its place, and the stream after it is read."""
    stream = Stream(patterns="EXIT", mode="complete").begin()
    stream.push(picture("GATE"), count=3)
    stream.source.push_event(Gst.Event.new_gap(stream.pushed, Gst.SECOND))
    stream.push(picture("EXIT"), count=3, at=stream.pushed + Gst.SECOND)
    stream.end()
    (over,) = stream.wait_for("disappeared")
    assert (over.get_value("start"), round(over.get_value("end"), 3)) == (1.3, 1.6), over.to_string()
    kinds = [thing for thing in stream.order if not isinstance(thing, Gst.EventType) or thing == Gst.EventType.GAP]
    assert kinds.index(Gst.EventType.GAP) == 3 and len(kinds) == 7, stream.order
    stream.stop()


def end():
    """The end comes after every frame and every message, whatever is held."""
    for properties in ({"mode": "complete"}, {"mode": "complete", "exact": True}, {"mode": "live", "exact": True}, {"mode": "live"}):
        stream = Stream(patterns="EXIT", **properties).begin()
        stream.push(picture("EXIT"), count=9)
        stream.end()
        assert stream.order[-1] == Gst.EventType.EOS and len(stream.frames) == 9, (properties, stream.order)
        assert [frame.pts for frame in stream.frames] == [FRAME * number for number in range(9)]
        # Nobody waits for them: they are there.
        assert len(stream.messages("appeared")) == len(stream.messages("disappeared")) == 1, properties
        stream.stop()


def resize():
    """The picture changes its size and its format in the middle of the stream."""
    stream = Stream(patterns="EXIT", mode="complete").begin()
    stream.push(picture("EXIT"), count=4)
    stream.agree(caps(480, 270, "NV12"))
    stream.push(picture("EXIT", 480, 270, "NV12"), count=4)
    stream.agree(caps(320, 180, "RGBA"))
    stream.push(picture("EXIT", 320, 180, "RGBA"), count=4)
    stream.end()
    over = stream.wait_for("disappeared", 3)
    assert [(s.get_value("start"), round(s.get_value("end"), 3)) for s in over] == [(0.0, 0.4), (0.4, 0.8), (0.8, 1.2)]
    assert len(stream.frames) == 12 and stream.error() is None
    stream.stop()


def formats():
    """Every format is read, and drawn on: on the letters' border, not elsewhere."""
    for name in "I420 NV12 RGBA RGBx RGB GRAY8 BGRA BGRx BGR YV12 NV21".split():
        exit_sign = picture("EXIT", 322, 182, name)
        stream = Stream(patterns="EXIT", mode="complete").begin(caps(322, 182, name))
        stream.push(exit_sign, count=3)
        stream.end()
        assert len(stream.wait_for("disappeared")) == 1, name
        (meta,) = regions(stream.frames[1])
        info = GstVideo.VideoInfo.new_from_caps(caps(322, 182, name))
        stride = info.stride[0]
        width = {"RGB": 3, "BGR": 3}.get(name, 4 if name[0] in "RB" else 1)
        before, after = (b.extract_dup(0, b.get_size()) for b in (exit_sign, stream.frames[1]))
        changed = [i for i in range(stride * 182) if before[i] != after[i]]
        assert changed, f"nothing is drawn on {name}"
        rows, columns = [i // stride for i in changed], [i % stride // width for i in changed]
        assert min(rows) > meta.y - 40 and max(rows) < meta.y + meta.h + 40, name
        assert min(columns) > meta.x - 40 and max(columns) < meta.x + meta.w + 60, name
        stream.stop()


def redact():
    """What is found is hidden in every format, in each frame that shows it, and nowhere else; nothing says what it was."""
    for name in "I420 NV12 RGBA RGBx RGB GRAY8 BGRA BGRx BGR YV12 NV21".split():
        exit_sign, empty = picture("EXIT", 322, 182, name), picture("", 322, 182, name)
        stream = Stream(patterns="EXIT", redact="black").begin(caps(322, 182, name))
        query = Gst.Query.new_latency()
        assert stream.element.get_static_pad("src").query(query) and query.parse_latency()[1] == 350 * Gst.MSECOND
        # Long enough that what is hidden for a while after it was seen is over.
        for buffer, count in ((empty, 10), (exit_sign, 6), (empty, 20), (exit_sign, 1), (empty, 4)): stream.push(buffer, count=count)
        stream.end()
        assert len(stream.frames) == 41 and stream.error() is None, (name, len(stream.frames), stream.error())
        info = GstVideo.VideoInfo.new_from_caps(caps(322, 182, name))
        rows = lambda buffer: [buffer.extract_dup(y * info.stride[0], info.stride[0]) for y in range(182)]
        # The bytes that tell the letters from what is around them; those after a row's pixels can be anything.
        used = 322 * {"RGB": 3, "BGR": 3}.get(name, 4 if name[0] in "RB" else 1)
        letters = [(y, x) for y, (a, b) in enumerate(zip(rows(exit_sign), rows(empty))) for x in range(used) if a[x] != b[x]]
        for number, frame in enumerate(stream.frames):
            after = rows(frame)
            hidden = sum(a[:used] != b[:used] for a, b in zip(after, rows(empty)))
            if number < 5 or 30 <= number < 33: assert hidden == 0, (name, number, hidden)
            if number in range(10, 16) or number == 36:
                # One bar over all of them.
                assert len({after[y][x] for y, x in letters}) == 1, (name, number)
            assert not regions(frame)
        for message in stream.wait_for("disappeared", 2): assert "EXIT" not in message.to_string(), message.to_string()
        stream.stop()
    # Over a gap that is shorter than that frames stay held: what comes after it says what is on them. A longer one lets them go on.
    stream = Stream(patterns="EXIT", redact="black").begin()
    stream.push(picture(""), count=2)
    stream.source.push_event(Gst.Event.new_gap(stream.pushed, FRAME))
    assert not stream.frames and Gst.EventType.GAP not in stream.events, stream.order
    stream.push(picture("EXIT"), count=3, at=stream.pushed + FRAME)
    stream.source.push_event(Gst.Event.new_gap(stream.pushed, Gst.SECOND))
    assert len(stream.frames) == 5 and stream.events[-1] == Gst.EventType.GAP, stream.order
    bytes_of = lambda buffer: buffer.extract_dup(0, buffer.get_size())
    assert bytes_of(stream.frames[1]) != bytes_of(picture("")), "the frame before the gap"
    stream.end()
    stream.stop()
    stream = Stream(patterns="EXIT", redact="pixelate", mode="live")
    assert stream.bin.set_state(Gst.State.PAUSED) == Gst.StateChangeReturn.FAILURE and "redact" in stream.error()
    stream.stop()


def strides():
    """Rows that are padded in another way than the caps say, as GstVideoMeta tells."""
    width, height, stride = 320, 180, 512
    plain = picture("EXIT", width, height, "GRAY8")
    rows = plain.extract_dup(0, plain.get_size())
    padded = Gst.Buffer.new_wrapped(b"".join(rows[y * width:(y + 1) * width] + bytes(stride - width) for y in range(height)))
    GstVideo.buffer_add_video_meta_full(
        padded, GstVideo.VideoFrameFlags.NONE, GstVideo.VideoFormat.GRAY8, width, height, 1, [0, 0, 0, 0], [stride, 0, 0, 0])
    found = []
    for buffer in (plain, padded):
        stream = Stream(patterns="EXIT", mode="complete").begin(caps(width, height, "GRAY8"))
        stream.push(buffer, count=3)
        stream.end()
        found.append(contract(stream.wait_for("disappeared")[0])["peak"]["quad"])
        stream.stop()
    assert found[0] == found[1], found


def untouched():
    """A frame that nothing is done to goes on as the very same buffer."""
    for properties in ({"overlay": False, "attach_meta": False}, {}):
        stream = Stream(patterns="GATE", mode="live", **properties).begin()
        memories = []
        for number in range(5):
            frame = picture("EXIT")
            frame.pts, frame.duration = number * FRAME, FRAME
            memories.append(frame)
            stream.source.push(frame)
        stream.end()
        assert [hash(frame) for frame in stream.frames] == [hash(frame) for frame in memories], properties
        stream.stop()


def metadata():
    """Each place is attached to the frame, with the fields of the events contract."""
    stream = Stream(patterns="EXIT", mode="complete", overlay=False, uri="file:///videos/lobby.mp4").begin()
    stream.push(picture("EXIT 12"), count=5)
    stream.end()
    appeared = stream.wait_for("appeared")[0]
    assert len(stream.frames) == 5
    for frame in stream.frames:
        (meta,) = regions(frame)
        assert meta.id == appeared.get_value("id") == 1
        fields, detection = meta.get_param("framegrep"), meta.get_param("detection")
        line = contract(fields)
        assert (line["type"], line["version"], line["id"], line["source"]) == ("box", 1, 1, "file:///videos/lobby.mp4"), line
        assert (line["pattern"], line["text"], line["line"]) == ("EXIT", "EXIT", "EXIT 12"), line
        assert abs(line["t"] - frame.pts / Gst.SECOND) < 1e-6
        xs, ys = zip(*line["quad"])
        assert abs(meta.x - min(xs)) <= 1.1 and abs(meta.x + meta.w - max(xs)) <= 1.1
        assert abs(meta.y - min(ys)) <= 1.1 and abs(meta.y + meta.h - max(ys)) <= 1.1
        assert abs(detection.get_value("x_min") * 320 - min(xs)) < 0.2 and 0.5 < detection.get_value("confidence") <= 1
        assert fields.get_string("label") == "EXIT"
    assert contract(appeared)["type"] == "appeared" and appeared.get_string("line") == "EXIT 12"
    stream.stop()


def patterns():
    """Other patterns are searched for in whatever state the element is; one that is none changes nothing and is said."""
    for mode in ("complete", "live"):
        stream = Stream(mode=mode)
        stream.element.set_property("patterns", "GATE")
        stream.begin(state=Gst.State.PAUSED)
        stream.element.set_property("patterns", "<EXIT, \"KITCHEN 4\">")
        signs = picture("EXIT"), picture("GATE")
        assert stream.push_until(signs[0], "appeared")[0].get_string("pattern") == "EXIT", mode
        stream.bin.set_state(Gst.State.PLAYING)
        stream.element.set_property("patterns", "GATE")
        assert stream.push_until(signs[1], "appeared", 2)[1].get_string("pattern") == "GATE", mode
        stream.element.set_property("regex", True)
        stream.element.set_property("patterns", "GAT[")
        assert "continues as before" in stream.error(Gst.MessageType.WARNING, 1)
        stream.push(signs[0], count=4)
        stream.end()
        assert {s.get_string("pattern") for s in stream.messages("appeared")} == {"EXIT", "GATE"}, mode
        stream.stop()


def signals():
    """The signals say what the messages do, also without messages."""
    heard = []
    stream = Stream(patterns="EXIT", mode="complete", post_messages=False, all_text=True)
    for name in ("appeared", "disappeared", "line"):
        stream.element.connect(name, lambda element, structure: heard.append((structure.get_name(), structure.get_string("text"))))
    stream.begin()
    stream.push(picture("EXIT 12"), count=4)
    stream.end()
    assert sorted(heard) == [
        ("framegrep-appeared", "EXIT"), ("framegrep-disappeared", "EXIT"), ("framegrep-line", "EXIT 12")], heard
    assert stream.messages() == []
    stats = stream.element.get_property("stats")
    assert (stats.get_string("mode"), stats.get_value("frames"), stats.get_value("sightings")) == ("complete", 4, 1)
    assert stats.get_string("engine")
    stream.stop()


def lateness():
    """A complete search keeps upstream from leaving frames out; a live one passes on that they are late. `exact` is latency."""
    for mode, passes in (("complete", False), ("live", True)):
        stream = Stream(patterns="EXIT", mode=mode, live=mode == "live").begin()
        stream.push(picture("EXIT"), count=2)
        stream.sink.push_event(Gst.Event.new_qos(Gst.QOSType.UNDERFLOW, 0.5, 50 * Gst.MSECOND, FRAME))
        assert (Gst.EventType.QOS in stream.upstream) == passes, mode
        for exact, least in ((False, 0), (True, 350 * Gst.MSECOND)):
            stream.element.set_property("exact", exact)
            query = Gst.Query.new_latency()
            assert stream.element.get_static_pad("src").query(query)
            assert query.parse_latency()[:2] == (mode == "live", least), query.parse_latency()
        stream.stop()


def automatic():
    """The mode follows the source."""
    for live, mode in ((False, "complete"), (True, "live")):
        stream = Stream(patterns="EXIT", live=live).begin()
        stream.push(picture("EXIT"), count=2)
        assert stream.element.get_property("stats").get_string("mode") == mode
        stream.stop()


def interrupted():
    """A stream that waits for a reading is let go at once when the element is stopped or the stream is flushed."""
    import threading

    kept = keeper()
    words = picture("\n".join(f"row {n} of words that take their time to read" for n in range(30)), 1920, 1080)
    for how in ("stop", "flush"):
        stream = Stream(patterns="EXIT", mode="complete").begin(caps(1920, 1080))
        pushing = threading.Thread(target=lambda: stream.push(words, count=30, step=Gst.SECOND))
        pushing.start()
        time.sleep(0.3)
        begun = time.monotonic()
        if how == "stop":
            stream.bin.set_state(Gst.State.NULL)
        else:
            stream.source.push_event(Gst.Event.new_flush_start())
        pushing.join(20)
        assert not pushing.is_alive() and time.monotonic() - begun < 10, how
        stream.stop()
    kept.stop()


def ten():
    """Ten pipelines of one process, each with words of its own, share one engine."""
    names = "ALPHA BRAVO CHARLIE DELTA ECHO FOXTROT GOLF HOTEL INDIA JULIET".split()
    streams = [Stream(patterns=name, mode="complete").begin() for name in names]
    for number in range(3):
        for stream, name in zip(streams, names):
            stream.push(picture(name))
    for stream in streams: stream.end()
    for stream, name in zip(streams, names):
        assert [s.get_string("pattern") for s in stream.wait_for("disappeared")] == [name]
    neural = threads("neural")
    # The engine's own threads take their names from ours.
    assert len(neural) < 10 * (os.cpu_count() or 1), f"each has an engine of its own: {neural}"
    for stream in streams: stream.stop()


def refusals():
    """What cannot work is an error that says why and what to do, before any frame comes."""
    for properties, words in (
        ({"regex": True, "patterns": "GAT["}, "character 4"),
        ({"patterns": "x", "region": "1,2,3"}, "x,y,w,h"),
        ({"patterns": "x", "engine": "tesseract", "level": "accurate"}, "engine=tesseract"),
        ({"patterns": "x", "pattern_file": "/nowhere/words"}, "/nowhere/words"),
        ({"patterns": "x", "engine": "tesseract", "language": "tlh"}, "tlh"),
    ):
        stream = Stream(**properties)
        assert stream.bin.set_state(Gst.State.PAUSED) == Gst.StateChangeReturn.FAILURE, properties
        error = stream.error()
        assert words in error and error.endswith("."), error
        stream.stop()
    # A region outside of the picture is known when the picture is.
    stream = Stream(patterns="x", region="2000,2000,10,10", mode="complete").begin()
    stream.push(picture("EXIT"), count=3)
    stream.end()
    assert "outside" in stream.error(), "the region"
    stream.stop()
    # Memory that is not the processor's is refused while formats are agreed on.
    element = Gst.ElementFactory.make("framegrep", None)
    template = element.get_static_pad("sink").query_caps(None)
    assert not template.is_any() and template.can_intersect(caps()), template.to_string()
    for feature in ("memory:DMABuf", "memory:GLMemory"):
        other = Gst.Caps.from_string(f"video/x-raw({feature}),format=NV12,width=320,height=180,framerate=10/1")
        assert not template.can_intersect(other), feature


def missing():
    """Without its networks the element says what is missing (run with FRAMEGREP_HOME=/nowhere)."""
    stream = Stream(patterns="EXIT", engine="neural")
    assert stream.bin.set_state(Gst.State.PAUSED) == Gst.StateChangeReturn.FAILURE
    assert "framegrep setup" in stream.error()
    stream.stop()
    stream = Stream(patterns="EXIT", mode="complete").begin()
    stream.push(picture("EXIT"), count=3)
    stream.end()
    stream.wait_for("disappeared")
    warning = stream.error(Gst.MessageType.WARNING, 1)
    assert "Tesseract reads" in warning
    # The program's commands keep their options.
    assert "'sudo framegrep setup --system'" in warning, warning
    stream.stop()


def interval():
    """Readings keep their distance."""
    stream = Stream(patterns="EXIT", mode="live", live=True, read_interval=10 * Gst.SECOND).begin()
    stream.push_until(picture("EXIT"), "appeared")
    # GATE stands there for less than that, and nobody looks.
    stream.element.set_property("patterns", "<EXIT, GATE>")
    stream.push(picture("GATE"), count=20)
    time.sleep(0.5)
    stream.push(picture("BUBBLES"), count=4)
    stream.end()
    assert {s.get_string("pattern") for s in stream.messages("appeared")} == {"EXIT"}
    stream.stop()


def warnings(stream):
    """What it has warned of so far."""
    stream.messages()
    return [m.parse_warning()[0].message for m in stream.heard if m.type == Gst.MessageType.WARNING]


def ends():
    """Every property at both ends of what it takes, before the stream begins and, where that may be, in the middle of it."""
    kept, exit_sign = keeper(), picture("EXIT")
    texts = [None, "", "EXIT", "x" * 5000, "\n" * 5000, "<", "0,0,1,1", "1e308,1e308,1e308,1e308", "nan,0,inf,1", "-1,-1,2,2"]

    def values(spec):
        kind = GObject.type_fundamental(spec.value_type)
        if kind == GObject.TYPE_BOOLEAN: return [False, True]
        if kind == GObject.TYPE_STRING: return texts
        if kind == GObject.TYPE_ENUM:
            # Debian 13's PyGObject knows an enumeration that is not in its descriptions by its numbers only.
            known = getattr(spec.enum_class, "__enum_values__", None)
            return list(known.values()) if known else range(spec.enum_class.minimum, spec.enum_class.maximum + 1)
        return [spec.minimum, spec.maximum]

    tried = 0
    specs = [spec for spec in Stream().element.list_properties() if spec.owner_type.name == "Framegrep" and spec.flags & GObject.ParamFlags.WRITABLE]
    assert len(specs) >= 17, [spec.name for spec in specs]
    for spec in specs:
        for value in values(spec):
            for mode in ("complete", "live"):
                isForReady = not int(spec.flags) & int(Gst.PARAM_MUTABLE_PLAYING)
                for inStream in (False, True):
                    if inStream and isForReady: continue
                    stream = Stream(patterns="EXIT", mode=mode)
                    if not inStream: stream.element.set_property(spec.name, value)
                    if stream.bin.set_state(Gst.State.PLAYING) == Gst.StateChangeReturn.FAILURE:
                        # What cannot be is said before any frame comes.
                        assert not inStream and (isinstance(value, str) or spec.name == "redact") and stream.error().endswith("."), (spec.name, value)
                        stream.stop()
                        continue
                    stream.begin()
                    stream.push(exit_sign, count=2)
                    if inStream: stream.element.set_property(spec.name, value)
                    if isinstance(value, (int, float)) and not isinstance(value, bool):
                        assert stream.element.get_property(spec.name) == value, (spec.name, value)
                    stream.push(exit_sign, count=3)
                    stream.end()
                    if inStream: assert stream.error() is None, (spec.name, value, stream.error())
                    tried += 1
                    stream.stop()
    assert tried > 100, tried
    # Times at their end, too.
    for mode in ("complete", "live"):
        stream = Stream(patterns="EXIT", mode=mode).begin()
        stream.push(exit_sign, count=3, at=2 ** 63 - 3 * FRAME)
        stream.end()
        stream.stop()
    kept.stop()


def where(buffer):
    """The place that is attached to a frame."""
    (meta,) = regions(buffer)
    return meta.x, meta.y, meta.w, meta.h


def region():
    """A part that stands still is read once; its boxes lie where the words are. One that is none is said, and changes nothing."""
    whole = Stream(patterns="EXIT", mode="complete", overlay=False).begin()
    whole.push(picture("EXIT"), count=3)
    whole.end()
    place = where(whole.frames[1])
    whole.stop()
    for mode in ("complete", "live"):
        stream = Stream(patterns="EXIT", mode=mode, overlay=False, region="10%,10%,80%,80%").begin()
        stream.push_until(picture("EXIT"), "appeared")
        deadline = time.monotonic() + 30
        while mode == "live" and stream.element.get_property("stats").get_value("unchanged") < 3:
            assert time.monotonic() < deadline, "a part that stands still is read again and again"
            stream.push(picture("EXIT"))
            time.sleep(0.02)
        found = where(stream.frames[-1])
        assert all(abs(a - b) <= 3 for a, b in zip(found, place)), (mode, found, place)
        for wrong, words in (("1,2,3", "x,y,w,h"), ("5000,5000,10,10", "outside")):
            before = len(warnings(stream))
            stream.element.set_property("region", wrong)
            stream.push(picture("EXIT"), count=3)
            said = warnings(stream)[before:]
            assert len(said) == 1 and words in said[0] and "continues as before" in said[0], (mode, said)
            assert stream.element.get_property("region") == "10%,10%,80%,80%"
        assert stream.error() is None, stream.error()
        # Another one that is one is searched from the next frame on.
        stream.element.set_property("region", "0,0,100%,20%")
        stream.push(picture("EXIT"), count=3)
        count = len(stream.messages("appeared"))
        stream.element.set_property("region", None)
        stream.push_until(picture("EXIT"), "appeared", count + 1)
        stream.end()
        stream.stop()


def memory():
    """In MiB, what the process has."""
    with open("/proc/self/statm") as file: return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE") / 2 ** 20


def growth():
    """Nothing is left of what a seek, or another region, has ended."""
    kept, sign = keeper(), picture("EXIT", 1280, 720)
    for what in ("seek", "region", "exact"):
        for mode in ("live", "complete"):
            # The one waits for every reading of the pictures before: less is enough. The first cycles fill what is kept for good:
            # memory grows by some 30 MiB in 40 of them, and by 3 in the next 250.
            warm, cycles, count = (40, 100, 15) if mode == "live" else (10, 25, 4)
            stream = Stream(patterns="EXIT", mode=mode, overlay=False).begin(caps(1280, 720))

            def cycle(number):
                stream.push(sign, count=count)
                if what == "seek": stream.seek(number * 10 * Gst.SECOND)
                # An engine may keep something for each size of picture that it has ever read: two sizes are enough here.
                if what == "region": stream.element.set_property("region", f"0,0,{1200 + number % 2 * 40},720")
                if what == "exact": stream.element.set_property("exact", number % 2 == 0)
                stream.frames, stream.order = [], []

            # What is left of each cycle grows always; what is kept, because more was under way at once than ever before, does not.
            for number in range(warm): cycle(number)
            time.sleep(1)
            for attempt in range(4):
                before = memory()
                for number in range(cycles): cycle(number)
                deadline = time.monotonic() + 15
                while memory() > before + 40 and time.monotonic() < deadline: time.sleep(0.1)
                print(f"{what}, {mode}: {before:.0f} MiB became {memory():.0f}")
                if memory() <= before + 40: break
            assert memory() <= before + 40, f"{what}, {mode}: {before:.0f} MiB became {memory():.0f}"
            assert stream.error() is None, stream.error()
            stream.stop()
    kept.stop()


def lastframe():
    """Why the very last frame cannot be searched is said too."""
    stream = Stream(patterns="EXIT", mode="complete", overlay=False, attach_meta=False, region="200,100,100,60").begin()
    stream.push(picture("EXIT"), count=3)
    stream.agree(caps(160, 90))
    stream.push(picture("EXIT", 160, 90), count=1)
    assert stream.error() is None, stream.error()
    stream.end()
    assert "outside" in (stream.error(seconds=5) or ""), stream.error()
    stream.stop()


if __name__ == "__main__":
    globals()[sys.argv[1]]()
