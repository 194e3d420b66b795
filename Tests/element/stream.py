"""A framegrep element between two pads of the test's own, as GstHarness does it for C, and pictures with words on them."""
import json, time

import gi

for name in ("Gst", "GstVideo", "GstApp"):
    gi.require_version(name, "1.0")
from gi.repository import GObject, Gst, GstVideo  # noqa: E402

Gst.init(None)
FRAME = Gst.SECOND // 10


def caps(width=320, height=180, format="I420", rate=10):
    return Gst.Caps.from_string(
        f"video/x-raw,format={format},width={width},height={height},framerate={rate}/1,pixel-aspect-ratio=1/1,interlace-mode=progressive")


def picture(text, width=320, height=180, format="I420"):
    """A frame with dark words on a light ground."""
    source = Gst.parse_launch(
        "videotestsrc num-buffers=1 pattern=solid-color foreground-color=0xffe8e4d8 ! "
        f"video/x-raw,width={width},height={height} ! textoverlay name=words font-desc=\"DejaVu Sans 22\" color=0xff101010 "
        "draw-shadow=false draw-outline=false halignment=center valignment=center shaded-background=false ! videoconvert ! "
        f"video/x-raw,format={format} ! appsink name=out sync=false")
    source.get_by_name("words").set_property("text", text)
    source.set_state(Gst.State.PLAYING)
    sample = source.get_by_name("out").emit("pull-sample")
    buffer = sample.get_buffer().copy_deep()
    source.set_state(Gst.State.NULL)
    return buffer


class Stream:
    """Pushes frames into one element and keeps what comes out of it, and what it says."""

    def __init__(self, live=False, uri=None, **properties):
        self.live, self.uri = live, uri
        self.frames, self.events, self.upstream, self.order, self.heard = [], [], [], [], []
        self.segment, self.pushed = Gst.Segment(), 0
        self.bin = Gst.Pipeline.new(None)
        self.element = Gst.ElementFactory.make("framegrep", None)
        assert self.element, "no element framegrep in GST_PLUGIN_PATH"
        for key, value in properties.items():
            if isinstance(value, str) and key in ("mode", "engine", "level", "redact"):
                Gst.util_set_object_arg(self.element, key, value)
            else:
                self.element.set_property(key.replace("_", "-"), value)
        self.bin.add(self.element)
        self.source, self.sink = (
            Gst.Pad.new_from_template(Gst.PadTemplate.new(name, direction, Gst.PadPresence.ALWAYS, Gst.Caps.new_any()), name)
            for name, direction in (("source", Gst.PadDirection.SRC), ("sink", Gst.PadDirection.SINK)))
        self.source.set_query_function_full(self._answer)
        self.source.set_event_function_full(self._heard_upstream)
        self.sink.set_chain_function_full(self._take)
        self.sink.set_event_function_full(self._hear)
        self.source.set_active(True)
        self.sink.set_active(True)
        self.source.link(self.element.get_static_pad("sink"))
        self.element.get_static_pad("src").link(self.sink)

    def _answer(self, pad, parent, query):
        if query.type == Gst.QueryType.LATENCY:
            query.set_latency(self.live, 0, Gst.CLOCK_TIME_NONE)
            return True
        if query.type == Gst.QueryType.URI and self.uri:
            query.set_uri(self.uri)
            return True
        return False

    def _heard_upstream(self, pad, parent, event):
        self.upstream.append(event.type)
        return True

    def _take(self, pad, parent, buffer):
        self.frames.append(buffer)
        self.order.append(buffer.pts)
        return Gst.FlowReturn.OK

    def _hear(self, pad, parent, event):
        self.events.append(event.type)
        self.order.append(event.type)
        return True

    def begin(self, caps=None, state=Gst.State.PLAYING, **segment):
        """Starts the element and the stream."""
        change = self.bin.set_state(state)
        assert change != Gst.StateChangeReturn.FAILURE, self.error()
        self.source.push_event(Gst.Event.new_stream_start("test"))
        self.agree(caps or globals()["caps"]())
        self.send_segment(**segment)
        return self

    def agree(self, caps):
        assert self.source.push_event(Gst.Event.new_caps(caps))

    def send_segment(self, start=0, time=0):
        segment = Gst.Segment()
        segment.init(Gst.Format.TIME)
        segment.start, segment.time, segment.position = start, time, start
        self.source.push_event(Gst.Event.new_segment(segment))

    def push(self, buffer, count=1, at=None, step=FRAME):
        """Pushes copies of a frame that share its pixels; returns what came of the last one."""
        if at is not None: self.pushed = at
        result = None
        for _ in range(count):
            # Gst.Buffer.copy() is no copy in Python: the same buffer, with the next frame's times.
            frame = buffer.copy_region(Gst.BufferCopyFlags.MEMORY | Gst.BufferCopyFlags.META, 0, buffer.get_size())
            frame.pts, frame.duration = self.pushed, step
            self.pushed += step
            result = self.source.push(frame)
        return result

    def push_until(self, buffer, name, count=1, seconds=30):
        """Pushes a frame again and again until it has led to so many messages of a kind: a box of a live search is told with the
        frame that carries it."""
        deadline = time.monotonic() + seconds
        while len(found := self.messages(name)) < count:
            assert time.monotonic() < deadline, f"{len(found)} of {count} {name}"
            self.push(buffer)
            time.sleep(0.02)
        return found

    def end(self):
        self.source.push_event(Gst.Event.new_eos())

    def seek(self, to):
        self.source.push_event(Gst.Event.new_flush_start())
        self.source.push_event(Gst.Event.new_flush_stop(True))
        self.send_segment(start=to, time=to)
        self.pushed = to

    def stop(self):
        self.bin.set_state(Gst.State.NULL)
        # Somebody's last reference to a frame is Python's.
        self.frames = []

    def messages(self, *names):
        """The element messages so far, each once."""
        self._listen()
        said = [m.get_structure() for m in self.heard if m.type == Gst.MessageType.ELEMENT]
        return [s for s in said if not names or s.get_name().removeprefix("framegrep-") in names]

    def _listen(self):
        while message := self.bin.get_bus().pop(): self.heard.append(message)

    def wait_for(self, name, count=1, seconds=30):
        """The messages of a kind, once there are so many."""
        deadline = time.monotonic() + seconds
        while len(found := self.messages(name)) < count:
            assert self.error() is None, self.error()
            assert time.monotonic() < deadline, f"{len(found)} of {count} {name}: {[s.to_string() for s in self.messages()]}"
            time.sleep(0.02)
        return found

    def error(self, kind=Gst.MessageType.ERROR, seconds=0):
        deadline = time.monotonic() + seconds
        while True:
            self._listen()
            for message in self.heard:
                if message.type != kind: continue
                return (message.parse_error() if kind == Gst.MessageType.ERROR else message.parse_warning())[0].message
            if time.monotonic() >= deadline: return None
            time.sleep(0.02)


def contract(structure):
    """The fields of a message as JSON lines have them."""
    return json.loads(structure.get_string("json"))


def quad(structure):
    """The eight numbers of the four corners."""
    value = structure.get_value("quad")
    return [value[index] for index in range(8)] if not isinstance(value, Gst.ValueArray) else [Gst.ValueArray.get_value(value, i) for i in range(8)]


def regions(buffer):
    """What is attached to a frame: the metadata of the type framegrep."""
    found, number = [], 0
    for number in range(1, 40):
        meta = GstVideo.buffer_get_video_region_of_interest_meta_id(buffer, number)
        if meta: found.append(meta)
    return found
