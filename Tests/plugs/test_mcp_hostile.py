"""`framegrep mcp` given what no client should send: an error each, nothing read that was not allowed, never a crash."""
import json, os, shutil, subprocess, threading, time
from contextlib import contextmanager

import pytest

from conftest import FRAMEGREP, children


class Server:
    """The program, and lines to and from it."""

    def __init__(self, place, *words, env=None):
        self.process = subprocess.Popen(
            [FRAMEGREP, "mcp", "--index", place.index, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=dict(place.env, **(env or {})))
        self.number = 0

    def raw(self, data):
        self.process.stdin.write(data if isinstance(data, bytes) else data.encode())
        self.process.stdin.flush()

    def line(self):
        line = self.process.stdout.readline()
        assert line, self.process.stderr.read() if self.process.poll() is not None else "no answer"
        value = json.loads(line)
        assert value["jsonrpc"] == "2.0"
        return value

    def ask(self, method, params=None, **fields):
        self.number += 1
        self.raw(json.dumps({"jsonrpc": "2.0", "id": self.number, "method": method, **({"params": params} if params is not None else {}),
                             **fields}) + "\n")
        return self.line()

    def tool(self, name, **arguments):
        result = self.ask("tools/call", {"name": name, "arguments": arguments})["result"]
        assert len(json.dumps(result)) < 8 << 20
        return result

    def begin(self):
        answer = self.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}})
        self.raw('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        return answer

    def end(self, within=30):
        self.process.stdin.close()
        try: return self.process.wait(within)
        finally:
            if self.process.poll() is None: self.process.kill()


@contextmanager
def serving(place, *words, begins=True, env=None):
    server = Server(place, *words, env=env)
    try:
        if begins: server.begin()
        yield server
        assert server.process.poll() is None, server.process.stderr.read()
        assert server.end() == 0
    finally:
        if server.process.poll() is None: server.process.kill()


def refused(result):
    assert result["isError"], result
    text = result["content"][0]["text"]
    assert "not a recording that may be read" in text, text
    return text


def test_hostile_paths(place):
    link = os.path.join(place.media, "link.mp4")
    folder_link = os.path.join(place.media, "folder")
    os.symlink(place.secret, link)
    os.symlink(place.outside, folder_link)
    try:
        with serving(place, "--allow", place.media) as server:
            names = [
                place.secret, "/etc/passwd", os.path.join(place.media, "..", "outside", "secret.mp4"), link,
                os.path.join(folder_link, "secret.mp4"), "file://" + place.secret, "file:" + place.secret, "FILE://" + place.secret,
                "http://127.0.0.1:9/x.mp4", "https://example.com/", "rtsp://127.0.0.1/x", "v4l2:///dev/video0", "/dev/video0", "camera", "-",
                "screen:", "udp://127.0.0.1:5000", "testbin://video", "/dev/stdin", "/proc/self/fd/0", "~/.ssh", "../outside/secret.mp4",
                place.media + "x", "pulsesrc ! fakesink", "\u202e", place.secret + "\u0001", "gopher://x", "s3://bucket/key",
            ]
            for name in names:
                for tool, arguments in [
                    ("search", {"patterns": ["EXIT"], "recordings": [name]}), ("read_text", {"recording": name}),
                    ("frame", {"recording": name, "time": 5}), ("watch", {"source": name, "patterns": ["EXIT"], "seconds": 1}),
                    ("index", {"recordings": [name]}),
                ]: refused(server.tool(tool, **arguments))
            # The same words for what is there and what is not.
            there, gone = refused(server.tool("read_text", recording="/etc/passwd")), refused(server.tool("read_text", recording="/etc/passwx"))
            assert there.replace("passwd", "") == gone.replace("passwx", "")
            # A folder's links lead nowhere.
            listed = server.tool("list_recordings")["structuredContent"]["recordings"]
            assert {one["recording"] for one in listed} == {place.demo, place.other}
            indexed = server.tool("index", recordings=[place.media])["structuredContent"]["recordings"]
            assert {one["recording"] for one in indexed} == {place.demo, place.other}
            for bad in ["", "x" * 5000, "a\0b"]: assert server.tool("read_text", recording=bad)["isError"]
    finally:
        os.unlink(link)
        os.unlink(folder_link)


def test_a_list_leads_to_nothing_outside(place):
    stream = os.path.join(place.outside, "part.ts")
    subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", place.secret, "-c", "copy", stream], check=True) if shutil.which("ffmpeg") else \
        subprocess.run(["gst-launch-1.0", "-q", "filesrc", f"location={place.secret}", "!", "qtdemux", "!", "h264parse", "!", "mpegtsmux", "!",
                        "filesink", f"location={stream}"], check=True)
    inside = os.path.join(place.media, "part.ts")
    lists = {}
    for name, part in [("in.m3u8", inside), ("out.m3u8", stream), ("dots.m3u8", "../outside/part.ts")]:
        lists[name] = os.path.join(place.media, name)
        with open(lists[name], "w") as file: file.write(f"#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:8.0,\n{part}\n#EXT-X-ENDLIST\n")
    shutil.copy(stream, inside)
    try:
        with serving(place, "--allow", place.media) as server:
            good = server.tool("search", patterns=["EXIT"], recordings=[lists["in.m3u8"]])
            assert not good["isError"] and good["structuredContent"]["total"] == 1, good
            for name in ["out.m3u8", "dots.m3u8"]:
                for tool, arguments in [
                    ("search", {"patterns": ["EXIT"], "recordings": [lists[name]]}), ("read_text", {"recording": lists[name]}),
                    ("frame", {"recording": lists[name], "time": 5}),
                ]:
                    result = server.tool(tool, **arguments)
                    assert result["isError"] and "EXIT" not in result["content"][0]["text"], result
    finally:
        for path in [*lists.values(), inside, stream]: os.unlink(path)


def test_without_allow_only_the_index(place):
    with serving(place) as server:
        assert server.tool("search", patterns=["EXIT"], recordings=[place.demo])["structuredContent"]["total"] == 1
        assert not server.tool("frame", recording=place.demo, time=5)["isError"]
        refused(server.tool("frame", recording=place.secret, time=5))
        refused(server.tool("index", recordings=[place.folder]))


def test_a_recording_of_the_index_that_became_a_link(place):
    path, index = os.path.join(place.folder, "was.mp4"), os.path.join(place.folder, "other-index")
    shutil.copy(place.demo, path)
    subprocess.run([FRAMEGREP, "index", "-q", "--index", index, path], check=True, env=place.env)
    os.unlink(path)
    os.symlink(place.secret, path)
    changed = type(place)(**{**vars(place), "index": index})
    try:
        with serving(changed) as server:
            for tool, arguments in [("frame", {"recording": path, "time": 5}), ("read_text", {"recording": path}),
                                    ("search", {"patterns": ["EXIT"], "recordings": [path]}), ("index", {"recordings": [path]})]:
                refused(server.tool(tool, **arguments))
    finally: os.unlink(path)


def test_it_ends_when_nobody_reads(place):
    server = Server(place, "--allow", place.media)
    server.begin()
    server.raw(json.dumps({"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": {
        "name": "watch", "arguments": {"source": place.demo, "patterns": ["zqxzq"], "seconds": 300}}}) + "\n")
    time.sleep(1)
    started = children(server.process.pid)
    server.process.stdout.close()
    server.process.stdin.close()
    assert server.process.wait(10) == 0 and not any(os.path.exists(f"/proc/{pid}") for pid in started)


def test_hostile_messages(place):
    with serving(place, begins=False) as server:
        for data, code in [
            ("\n", None), ("nonsense\n", -32700), ("{\n", -32700), ("[]\n", -32600), ("[1]\n", -32600), ("1\n", -32600), ("null\n", -32600),
            ('"text"\n', -32600), ("{}\n", -32600), ('{"jsonrpc":"1.0","id":1,"method":"ping"}\n', -32600),
            ('{"jsonrpc":"2.0","id":{},"method":"ping"}\n', -32600), ('{"jsonrpc":"2.0","id":1.5,"method":"ping"}\n', -32600),
            ('{"jsonrpc":"2.0","id":null,"method":"ping"}\n', -32600), ('{"jsonrpc":"2.0","id":1,"method":5}\n', -32600),
            ('{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}\n', -32600), (b'{"jsonrpc":"2.0","id":1,"method":"\xff\xfe"}\n', -32700),
            (b"\xff\xfe\x00\x80\n", -32700), ("[" * 100_000 + "\n", -32700), ('{"a":' * 50_000 + "\n", -32700),
            ('{"jsonrpc":"2.0","id":1,"method":"ping","x":"\\ud800"}\n', -32700), ("x" * (3 << 20) + "\n", -32700),
            (b"\x00" * 1000 + b"\n", -32700), ('{"jsonrpc":"2.0","id":1,"method":"ping"} {}\n', -32700),
            ('{"jsonrpc":"2.0","id":1e400,"method":"ping"}\n', -32700), ('{"jsonrpc":"2.0","id":"' + "i" * 2000 + '","method":"ping"}\n', -32600),
            ('{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n', -32600), ('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}\n', -32600),
            ('{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"1999-01-01"}}}\n', -32022),
            ('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}\n', -32602),
        ]:
            server.raw(data)
            if code is not None:
                answer = server.line()
                assert answer["error"]["code"] == code, (data[:80], answer)
        assert server.begin()["result"]["protocolVersion"] == "2025-11-25"
        assert server.ask("initialize", {"protocolVersion": "2025-11-25"})["error"]["code"] == -32600
        for params in [{}, {"name": 5}, {"name": "search", "arguments": []}, {"name": "search", "arguments": "x"}, {"name": "search\u0000"},
                       {"name": "search", "arguments": {"patterns": ["a"]}, "_meta": {"progressToken": {}}}]:
            assert server.ask("tools/call", params)["error"]["code"] == -32602, params
        assert server.ask("no/such/method")["error"]["code"] == -32601
        assert server.ask("resources/read", {"uri": "file:///etc/passwd"})["error"]["code"] == -32002
        assert server.ask("tools/list", {"cursor": "x"})["error"]["code"] == -32602
        # Notifications get no answer, whatever they say; nor do answers that we did not ask for.
        server.raw('{"jsonrpc":"2.0","method":"no/such"}\n{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":[1]}}\n')
        server.raw('{"jsonrpc":"2.0","id":7,"result":{}}\n{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}\n')
        for patterns in [["x" * 2000], ["x"] * 51, [5], "x" * 5000, [["x"]], {}, ["\0"], ["(" * 900], ["a" * 900 + "{900}{900}"]]:
            for kind in ["words", "regex"]:
                result = server.tool("search", patterns=patterns, kind=kind)
                if not result["isError"]: assert result["structuredContent"]["total"] == 0, patterns
        assert server.ask("ping")["result"] == {}
        # As large as a message may be, of the smallest values.
        begun = time.monotonic()
        for value in ["1", '""', "[]", "{}", "null", "1e1"]:
            many = ",".join([value] * (1_000_000 // (len(value) + 1)))
            server.raw('{"jsonrpc":"2.0","id":5,"method":"ping","params":{"x":[' + many + "]}}\n")
            assert server.line()["result"] == {}
        assert time.monotonic() - begun < 20


@pytest.mark.parametrize("revision", ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2023-01-01", "2026-07-28"])
def test_older_revisions(place, revision):
    with serving(place, begins=False) as server:
        answer = server.ask("initialize", {"protocolVersion": revision, "capabilities": {}})
        agreed = answer["result"]["protocolVersion"]
        assert agreed == (revision if revision in ["2025-06-18", "2025-03-26", "2024-11-05"] else "2025-11-25")
        two = [{"jsonrpc": "2.0", "id": 100 + n, "method": "ping"} for n in range(2)]
        server.raw(json.dumps(two) + "\n")
        answers = [server.line() for _ in range(2 if agreed == "2025-03-26" else 1)]
        if agreed == "2025-03-26": assert [one["id"] for one in answers] == [100, 101]
        else: assert answers[0]["error"]["code"] == -32600


def test_ten_thousand_lines_at_once(place):
    with serving(place) as server:
        count = 10_000
        lines = "".join(json.dumps({"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": {
            "name": "search", "arguments": {"patterns": ["EXIT"]}}}) + "\n" for n in range(1000, 1000 + count))
        writer = threading.Thread(target=server.raw, args=(lines,))
        writer.start()
        answers = [server.line() for _ in range(count)]
        writer.join()
        assert sorted(answer["id"] for answer in answers) == list(range(1000, 1000 + count))
        for answer in answers:
            assert "result" in answer or answer["error"]["code"] == -32000
        assert any("result" in answer for answer in answers)
        assert not server.tool("search", patterns=["EXIT"])["isError"]


@pytest.mark.parametrize("data", [b"", b'{"jsonrpc":"2.0","id":1,"meth', b"\n\n\n", b"\xff"])
def test_no_message_and_half_a_message(place, data):
    process = subprocess.run([FRAMEGREP, "mcp", "--index", place.index], input=data, capture_output=True, env=place.env, timeout=30)
    assert process.returncode == 0, process.stderr
    answers = [json.loads(line) for line in process.stdout.splitlines()]
    assert len(answers) == (1 if data.strip() else 0) and all(answer["error"]["code"] == -32700 for answer in answers)


def test_a_shell_loop(place):
    """As docs/MCP.md has it: requests from a pipe, answers taken apart by jq."""
    if not shutil.which("jq"): pytest.skip("needs jq")
    script = """
        for word in EXIT FUSES zqxzq; do
            jq -nc --arg w "$word" '{jsonrpc: "2.0", id: $w, method: "tools/call", params: {name: "search", arguments: {patterns: [$w]},
                _meta: {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}}}'
        done | "$FRAMEGREP" mcp | jq -r '"\\(.id) \\(.result.structuredContent.total)"' | sort
    """
    out = subprocess.run(["bash", "-c", script], env=place.env, capture_output=True, text=True, check=True).stdout
    assert out.splitlines()[0].startswith("EXIT 1") and out.splitlines()[2] == "zqxzq 0", out


def test_libraries_that_print_do_not_reach_the_protocol(place):
    """GStreamer and the C library are made to talk: nothing but messages comes out."""
    noise = {"GST_DEBUG": "3", "G_MESSAGES_DEBUG": "all", "GST_DEBUG_FILE": "-", "LD_DEBUG": "statistics"}
    with serving(place, "--allow", place.media, env=noise) as server:
        assert server.tool("search", patterns=["EXIT"])["structuredContent"]["total"] == 1
        assert not server.tool("frame", recording=place.demo, time=5)["isError"]
        assert not server.tool("read_text", recording=place.other)["isError"]


def test_nothing_is_left_of_a_server_that_was_killed(place):
    server = Server(place, "--allow", place.media)
    server.begin()
    for number, (tool, arguments) in enumerate([
        ("watch", {"source": place.demo, "patterns": ["zqxzq"], "seconds": 300}), ("frame", {"recording": place.demo, "time": 2})]):
        server.raw(json.dumps({"jsonrpc": "2.0", "id": 50 + number, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}) + "\n")
    assert server.line()["id"] == 51
    started = children(server.process.pid)
    assert started
    server.process.kill()
    server.process.wait()
    for _ in range(200):
        if not any(os.path.exists(f"/proc/{pid}") and open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[0] != "Z" for pid in started):
            break
        time.sleep(0.1)
    else: pytest.fail(f"{started} go on")
