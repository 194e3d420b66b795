"""The server over HTTP: what only a real socket shows. What it answers is tested in Tests/PageTests."""
import http.client, io, json, os, socket, subprocess, time, urllib.parse
import pytest
from PIL import Image
from camera import draw, number_in
from conftest import FRAMEGREP, SERVE, Server, ffmpeg, run


def raw(server, text, wait=3.0, address="127.0.0.1"):
    with socket.create_connection((address, server.port), timeout=wait) as connection:
        connection.sendall(text.encode("latin-1"))
        data = b""
        try:
            while piece := connection.recv(65536):
                data += piece
        except TimeoutError:
            pass
    return data.decode("latin-1")


def test_a_search_is_what_find_prints(server, index):
    for options, word, rest in (([], "EXIT", ""), (["-w"], "FUSES", "&words=1"), (["-E"], "M[0-9]+ NUTS", "&regex=1"), ([], ":number", "")):
        printed = subprocess.run(
            [FRAMEGREP, "find", "--format", "jsonl", "--index", str(index), *options, "-e", word],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
        assert server.ask(f"/api/search?q={urllib.parse.quote_plus(word)}{rest}")[2].decode() == printed
        assert printed


def test_boxes_are_what_find_writes(server, index, recordings):
    demo = str(recordings / "demo.mp4")
    number = next(s["id"] for s in server.lines("/api/sources") if s["source"] == demo)
    written = subprocess.run(
        [FRAMEGREP, "find", "--index", str(index), "EXIT", demo, "--boxes", "-", "-o", "/dev/null"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    assert server.ask(f"/api/sightings/{number}-1/boxes?q=EXIT")[2].decode() == written
    assert len(written.splitlines()) > 50


def test_only_this_machine_is_listened_to(server):
    listening = subprocess.run(["ss", "-Hltn"], stdout=subprocess.PIPE, text=True, check=True).stdout
    own = [line.split()[3] for line in listening.splitlines() if line.split()[3].endswith(f":{server.port}")]
    assert own and set(own) <= {f"127.0.0.1:{server.port}", f"[::1]:{server.port}"}
    for address in ("0.0.0.0", "192.168.1.1", "::"):
        refused = subprocess.run([SERVE, "--address", address], stderr=subprocess.PIPE, text=True)
        assert refused.returncode == 2 and "only encrypted and with a password" in refused.stderr


def test_a_port_that_is_taken_is_said(server):
    refused = subprocess.run([SERVE, "--port", str(server.port)], stderr=subprocess.PIPE, text=True)
    assert refused.returncode == 2
    assert refused.stderr.startswith(f"framegrep: Port {server.port} cannot be used: Address already in use.")


def test_errors_of_http_itself_have_the_headers(server):
    for request in ("NONSENSE\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nX: " + "x" * 40000 + "\r\n\r\n",
                    "GET / HTTP/1.1\r\n" + "".join(f"X{n}: 1\r\n" for n in range(300)) + "\r\n"):
        answer = raw(server, request)
        assert answer.startswith("HTTP/1.1 400"), answer[:100]
        assert "Content-Security-Policy: default-src 'none'" in answer
        assert "nosniff" in answer


def test_another_name_is_not_answered(server):
    for host in ("evil.example", f"evil.example:{server.port}"):
        answer = raw(server, f"GET /api/sources HTTP/1.1\r\nHost: {host}\r\nCookie: {server.cookie}\r\nConnection: close\r\n\r\n")
        assert answer.startswith("HTTP/1.1 421") and "demo.mp4" not in answer
    answer = raw(server, f"GET http://{server.host}/api/sources HTTP/1.1\r\nHost: evil.example\r\nCookie: {server.cookie}\r\nConnection: close\r\n\r\n")
    assert "demo.mp4" not in answer


def test_a_large_body_is_refused(server):
    head = f"POST /api/session HTTP/1.1\r\nHost: {server.host}\r\nOrigin: {server.base}\r\nContent-Type: application/json\r\nConnection: close\r\n"
    assert raw(server, head + "Content-Length: 6000\r\n\r\n" + "x" * 6000).startswith("HTTP/1.1 413")
    with socket.create_connection(("127.0.0.1", server.port), timeout=5) as connection:
        connection.sendall((head + "Content-Length: 1000000000\r\n\r\n").encode())
        sent = 0
        try:
            while sent < 50_000_000:
                sent += connection.send(b"x" * 65536)
        except (ConnectionError, TimeoutError):
            pass
        assert sent < 20_000_000
    assert server.ask("/healthz")[0] == 200


def test_a_slow_body_is_not_waited_for(server):
    head = f"POST /api/session HTTP/1.1\r\nHost: {server.host}\r\nOrigin: {server.base}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n"
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        connection.sendall(head.encode())
        began, closed = time.monotonic(), False
        while time.monotonic() - began < 20 and not closed:
            try:
                connection.sendall(b"x")
                connection.settimeout(1)
                closed = connection.recv(100) == b""
            except TimeoutError:
                continue
            except ConnectionError:
                closed = True
        assert closed and time.monotonic() - began < 15


def test_many_silent_connections_do_not_stop_it(server):
    silent = [socket.create_connection(("127.0.0.1", server.port), timeout=5) for _ in range(100)]
    try:
        began = time.monotonic()
        assert server.ask("/healthz")[0] == 200
        assert time.monotonic() - began < 2
    finally:
        for connection in silent:
            connection.close()


def test_many_who_do_not_come_to_the_end_keep_nobody_out(index):
    """Three hundred connections without a session, each with a byte now and then, or with a whole request: others are answered, and
    whoever has a session stays."""
    server = Server(index)
    try:
        server.open_session()
        own = socket.create_connection(("127.0.0.1", server.port), timeout=20)
        def ask():
            own.sendall(f"GET /healthz HTTP/1.1\r\nHost: {server.host}\r\nCookie: {server.cookie}\r\n\r\n".encode())
            return own.recv(4000).startswith(b"HTTP/1.1 200")
        assert ask()
        for text in ("G", f"GET /healthz HTTP/1.1\r\nHost: {server.host}\r\n\r\n"):
            others = []
            try:
                for _ in range(300):
                    connection = socket.create_connection(("127.0.0.1", server.port), timeout=20)
                    connection.sendall(text.encode())
                    others.append(connection)
                assert server.ask("/healthz")[0] == 200
                assert ask()
            finally:
                for connection in others:
                    connection.close()
    finally:
        server.stop()


def test_a_head_that_comes_byte_by_byte_is_not_waited_for(server):
    began = time.monotonic()
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nX: ")
        connection.settimeout(0.5)
        closed = False
        while not closed and time.monotonic() - began < 50:
            try:
                connection.sendall(b"x")
                closed = connection.recv(100) == b""
            except TimeoutError:
                continue
            except ConnectionError:
                closed = True
    # The sixty seconds after which a silent one is closed begin anew with each byte.
    assert closed


def test_clients_that_read_nothing_hold_little_and_give_it_back(recordings, tmp_path):
    """A hundred ask for a recording of some megabytes and read nothing of it."""
    own, large = tmp_path / "index", tmp_path / "large.mp4"
    # A box that players pass over.
    large.write_bytes((recordings / "demo.mp4").read_bytes() + (30 << 20).to_bytes(4, "big") + b"free" + bytes((30 << 20) - 8))
    run(FRAMEGREP, "index", "--skim", "--index", str(own), str(large))
    server = Server(own)
    try:
        server.open_session()
        number = next(s["id"] for s in server.lines("/api/sources") if s["source"] == str(large))
        def load():
            clients = []
            for _ in range(100):
                connection = socket.socket()
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                connection.connect(("127.0.0.1", server.port))
                connection.sendall(f"GET /media/{number} HTTP/1.1\r\nHost: {server.host}\r\nCookie: {server.cookie}\r\n\r\n".encode())
                clients.append(connection)
            for connection in clients:
                connection.recv(1)
            time.sleep(2)
            return clients
        before = server.memory()
        clients = load()
        held = server.memory()
        for connection in clients:
            connection.close()
        # What nobody waits for is given back to the system, some seconds later.
        soon(lambda: server.memory() - before < 12, 60)
        after = server.memory()
        print(f"before {before:.0f} MiB, held {held:.0f} MiB, after {after:.0f} MiB")
        # Less than a mebibyte and a half each; what waits in the system is not the server's.
        assert held - before < 150
        assert after - before < 12
    finally:
        server.stop()


def clip_makers(server, recording=""):
    """The processes that make clips, or wait for one; of a recording, those that have it open."""
    found = set()
    for child in server.children():
        try:
            words = open(f"/proc/{child}/cmdline").read().split("\0")
        except OSError:
            continue
        if "clip" in words and (not recording or any(name.endswith(recording) for name in open_files(child))): found.add(child)
    return found


def open_files(process):
    """What a process has open; what it closes meanwhile is left out."""
    found = []
    try:
        for name in os.listdir(f"/proc/{process}/fd"):
            try:
                found.append(os.readlink(f"/proc/{process}/fd/{name}"))
            except OSError:
                pass
    except OSError:
        pass
    return found


def is_there(process):
    try:
        # One that has ended and that nobody has waited for says nothing.
        return bool(open(f"/proc/{process}/cmdline").read())
    except OSError:
        return False


def soon(holds, seconds=30):
    """Whether it holds once within so many seconds."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if holds(): return True
        time.sleep(0.1)
    return False


def ask_for_clip(server, connection, number):
    connection.sendall(f"GET /media/{number}/clip.mp4 HTTP/1.1\r\nHost: {server.host}\r\nCookie: {server.cookie}\r\n\r\n".encode())
    assert b"200 OK" in connection.recv(1000)


def test_a_browser_that_leaves_ends_its_clip(server, recordings):
    tape = next(s["id"] for s in server.lines("/api/sources") if s["source"].endswith("tape.mpg"))
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        ask_for_clip(server, connection, tape)
        assert soon(lambda: clip_makers(server, "tape.mpg"))
    assert soon(lambda: not clip_makers(server, "tape.mpg"))


def test_a_clip_is_made_by_a_process_that_is_ready(index):
    server = Server(index)
    try:
        server.open_session()
        tape = next(s["id"] for s in server.lines("/api/sources") if s["source"].endswith("tape.mpg"))
        assert not clip_makers(server)
        # Who sees a picture of what browsers do not play may ask for its clip.
        assert server.ask(f"/api/sightings/{tape}-1/picture?q=EXIT")[0] == 200
        assert soon(lambda: clip_makers(server))
        ready = clip_makers(server)
        with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
            ask_for_clip(server, connection, tape)
            # It makes one clip and ends; another one is ready for the next.
            assert soon(lambda: len(clip_makers(server)) == 1 and not ready & clip_makers(server))
        left = clip_makers(server)
    finally:
        server.stop()
    assert soon(lambda: not any(is_there(process) for process in left))


def test_a_recording_that_cannot_be_decoded_is_an_answer(index, recordings, tmp_path):
    import shutil, sqlite3, os, sys
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../scripts/lib"))
    import sums
    own = tmp_path / "index"
    shutil.copytree(index, own)
    broken = tmp_path / "broken.mp4"
    broken.write_bytes((recordings / "demo.mp4").read_bytes()[:3000] + os.urandom(100000))
    stamp = broken.stat()
    catalog = sqlite3.connect(own / "catalog.db")
    catalog.execute("UPDATE source SET name = ?, size = ?, modified = ?, inode = ?, device = ? WHERE name LIKE '%demo.mp4'",
                    (str(broken), stamp.st_size, stamp.st_mtime_ns, stamp.st_ino, stamp.st_dev))
    catalog.commit()
    catalog.close()
    sums.seal(own / "catalog.db")
    server = Server(own)
    try:
        server.open_session()
        number = next(s["id"] for s in server.lines("/api/sources") if s["source"] == str(broken))
        status, _, body = server.ask(f"/api/sightings/{number}-1/picture?q=EXIT")
        assert status == 500 and json.loads(body)["message"].endswith(".")
        # How much of a clip can be decoded depends on its bytes. An answer that has begun is cut off, so that it does not pass for the whole.
        try: assert server.ask(f"/media/{number}/clip.mp4")[0] in (200, 500)
        except http.client.IncompleteRead: pass
        assert server.ask("/healthz")[0] == 200
    finally:
        server.stop()


@pytest.mark.parametrize("flags, late", [("frag_keyframe+empty_moov", 2), ("frag_keyframe", 2), ("frag_keyframe+empty_moov+delay_moov", 0)])
@pytest.mark.parametrize("distance", [250, 25])
def test_pictures_of_an_mp4_in_fragments_are_of_their_moment(tmp_path, flags, late, distance):
    """Each picture has its number in it. Where there is no edit list, the first is shown two frames late, as they are reordered."""
    count = 75
    for number in range(count):
        (tmp_path / f"{number:03}.jpg").write_bytes(draw(number, "EXIT"))
    clip = tmp_path / "clip.mp4"
    ffmpeg("-framerate", 25, "-i", tmp_path / "%03d.jpg", "-pix_fmt", "yuv420p", "-c:v", "libx264", "-bf", 3, "-b_strategy", 0, "-g", distance, "-movflags", flags, clip)
    run(FRAMEGREP, "index", "--index", str(tmp_path / "index"), str(clip))
    server = Server(tmp_path / "index")
    try:
        server.open_session()
        number = server.lines("/api/sources")[0]["id"]
        def shown(target):
            status, _, body = server.ask(target)
            assert status == 200, body
            return number_in(Image.open(io.BytesIO(body)))
        for frame in (40, 59, 12, 41, 70, 0, 43):
            assert shown(f"/media/{number}/picture?t={(frame + late) / 25 + 0.0004:.4f}&width=640") == frame
        found = server.lines("/api/search?q=EXIT")
        for sighting in found[:-1]:
            frame = round(sighting["peak"]["t"] * 25) - late
            assert shown(f"/api/sightings/{number}-{sighting['id']}/picture?q=EXIT&width=640") == frame
        # What is turned into H.264 on the way begins with the frame of its moment too.
        status, _, body = server.ask(f"/media/{number}/clip.mp4?from={(30 + late) / 25 + 0.0004:.4f}&to=2.4")
        assert status == 200
        (tmp_path / "part.mp4").write_bytes(body)
        ffmpeg("-i", tmp_path / "part.mp4", "-frames:v", 1, tmp_path / "part.png")
        assert number_in(Image.open(tmp_path / "part.png")) == 30
    finally:
        server.stop()


def test_it_stops_when_told_to(index):
    for signal in (2, 15):
        server = Server(index)
        server.open_session()
        number = server.lines("/api/sources")[0]["id"]
        server.ask(f"/media/{number}/picture?t=1")
        children = server.children()
        assert children
        # Somebody is connected and says nothing.
        silent = socket.create_connection(("127.0.0.1", server.port), timeout=5)
        status, took = server.stop(signal)
        silent.close()
        assert status == 0 and took < 5
        # They end when they notice that it has gone.
        end, left = time.monotonic() + 20, children
        while left and time.monotonic() < end:
            time.sleep(0.1)
            left = subprocess.run(["ps", "--no-headers", "-o", "pid", "-p", ",".join(children)], stdout=subprocess.PIPE, text=True).stdout.split()
        assert not left


def test_searches_take_no_memory_for_good(server):
    def load(count):
        for number in range(count):
            server.ask(f"/api/search?q=FUSES&min-score=0.{300 + number}")
    load(100)
    before = server.memory()
    load(400)
    assert server.memory() - before < 30
