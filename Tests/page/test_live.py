"""Cameras on the page, in a real browser: pictures that move, boxes on the very frame, words that change, sources that go and come back."""
import io, json, os, re, shutil, socket, subprocess, time
import pytest
from PIL import Image
from camera import BACKGROUND, BITS, COUNT, HEIGHT, WIDTH, Camera, number_in, place
from conftest import FRAMEGREP, SERVE, Server, admit
from test_page import until


@pytest.fixture(scope="session")
def camera():
    camera = Camera()
    yield camera
    camera.off()


@pytest.fixture(scope="session")
def watching(tmp_path_factory, camera):
    """A server that watches one camera for EXIT, and remembers what it reads."""
    index = tmp_path_factory.mktemp("watching") / "index"
    server = Server(index, options=["--program", FRAMEGREP, "--watch", "EXIT", "--remember", camera.address])
    server.open_session()
    server.index = index
    yield server
    server.stop()


@pytest.fixture
def live_context(browser, watching):
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    admit(context, watching)
    yield context
    context.close()


def shows(page, count=3, timeout=60000):
    """Waits for moving pictures with a box."""
    until(page, f"document.querySelector('.tile')?.dataset.frames > {count} && document.querySelector('.tile').dataset.boxes > 0", timeout)


def snapshot(page, number=0):
    """The picture of a tile, the box that is drawn on it and how the two are laid out, all of one moment."""
    got = page.evaluate("""(number) => {
        const [picture, boxes] = document.querySelectorAll('.tile')[number].querySelectorAll('canvas');
        const data = boxes.getContext('2d').getImageData(0, 0, boxes.width, boxes.height).data;
        let left = 1e9, top = 1e9, right = -1, bottom = -1;
        for (let y = 0; y < boxes.height; y += 1) for (let x = 0; x < boxes.width; x += 1) {
            if (data[(y * boxes.width + x) * 4 + 3] < 100) continue;
            if (x < left) left = x; if (x > right) right = x; if (y < top) top = y; if (y > bottom) bottom = y;
        }
        return { url: picture.toDataURL('image/png'), box: right < 0 ? null : [left, top, right, bottom], size: [boxes.width, boxes.height] };
    }""", number)
    import base64
    picture = Image.open(io.BytesIO(base64.b64decode(got["url"].split(",")[1])))
    return picture, got["box"], got["size"]


def box_error(picture, box, size, word="EXIT"):
    """How far the middle of the box is from the middle of the word of that very picture, in pixels of the camera; and which it was."""
    number = number_in(picture)
    left, top, right, bottom = place(number, word)
    scale = min(size[0] / WIDTH, size[1] / HEIGHT)
    inset = ((size[0] - WIDTH * scale) / 2, (size[1] - HEIGHT * scale) / 2)
    middle = [((box[0] + box[2]) / 2 - inset[0]) / scale, ((box[1] + box[3]) / 2 - inset[1]) / scale]
    return max(abs(middle[0] - (left + right) / 2), abs(middle[1] - (top + bottom) / 2)), number


@pytest.mark.parametrize("codec", ["h264", "jpeg"])
def test_the_picture_moves_with_the_box_on_its_own_word(live_context, watching, codec):
    page = live_context.new_page()
    complaints = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(f"{watching.base}/?view=live&codec={codec}")
    shows(page, 10)
    assert page.evaluate("document.querySelector('.tile').dataset.kind") == codec
    errors, numbers, late = [], set(), []
    deadline = time.monotonic() + 60
    while len(errors) < 40 and time.monotonic() < deadline:
        picture, box, size = snapshot(page)
        if box:
            error, number = box_error(picture, box, size)
            errors.append(error)
            numbers.add(number)
            late.append(float(page.evaluate("document.querySelector('.tile').dataset.late")))
        page.wait_for_timeout(60)
    own = sum(error < 8 for error in errors)
    print(f"\n{codec}: {own} of {len(errors)} boxes on their own frame, largest error {max(errors):.1f} px; from arrival to the canvas "
          f"median {sorted(late)[len(late) // 2]:.0f} ms, slowest {max(late):.0f} ms")
    assert len(errors) == 40 and len(numbers) > 5
    assert own >= 38
    assert not complaints
    page.close()


@pytest.mark.parametrize("codec", ["h264", "jpeg"])
def test_colors_are_those_of_the_camera(live_context, watching, codec):
    """The camera uses all numbers for its colors (JPEG), which H.264 for televisions does not."""
    page = live_context.new_page()
    page.goto(f"{watching.base}/?view=live&codec={codec}")
    shows(page)
    picture = snapshot(page)[0].convert("RGB")
    bars = [picture.getpixel((int((bit + 0.5) * picture.width / BITS), int(picture.height * 20 / HEIGHT))) for bit in range(BITS)]
    for got, wanted in [(picture.getpixel((12, picture.height - 12)), BACKGROUND), (max(bars), (255, 255, 255)), (min(bars), (0, 0, 0))]:
        assert max(abs(a - b) for a, b in zip(got, wanted)) <= 8, (got, wanted)
    page.close()


def test_three_cameras_at_once(browser, tmp_path):
    """Each tile has its own moving picture and the box of its own word; one that is lost takes no other along."""
    cameras = {word: Camera(word) for word in ("EXIT", "GATE", "DOOR")}
    words = [f"--watch={word}" for word in cameras]
    server = Server(tmp_path / "index", options=["--program", FRAMEGREP, *words, *(camera.address for camera in cameras.values())])
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    try:
        server.open_session()
        admit(context, server)
        page = context.new_page()
        page.goto(server.base)
        tiles = "[...document.querySelectorAll('.tile')]"
        until(page, f"{tiles}.length === 3 && {tiles}.every((each) => each.dataset.frames > 10 && each.dataset.boxes > 0)", 180000)
        for number, word in enumerate(cameras):
            until(page, f"[...document.querySelectorAll('#events li')].some((each) => each.textContent.includes('{word}'))", 60000)
            until(page, f"[...document.querySelectorAll('#events li')].some((each) => each.textContent.includes('{word}') && each.querySelector('canvas'))", 60000)
            errors = []
            while len(errors) < 5:
                picture, box, size = snapshot(page, number)
                if box:
                    errors.append(box_error(picture, box, size, word)[0])
            assert sorted(errors)[2] < 8, (word, errors)
        list(cameras.values())[1].off()
        until(page, f"{tiles}[1].dataset.state !== 'running'", 60000)
        before = page.evaluate(f"{tiles}.map((each) => Number(each.dataset.frames))")
        until(page, f"[0, 2].every((each) => {tiles}[each].dataset.frames > [{before[0]}, 0, {before[2]}][each] + 15)", 60000)
        assert page.evaluate(f"{tiles}.map((each) => each.dataset.state)")[::2] == ["running", "running"]
    finally:
        context.close()
        server.stop()
        for camera in cameras.values():
            if camera.server:
                camera.off()


def test_words_are_changed_on_the_page(live_context, watching):
    page = live_context.new_page()
    page.goto(f"{watching.base}/?view=live")
    shows(page)
    assert page.locator("#words").input_value() == "EXIT"
    page.locator("#words").fill("NOTHING")
    page.keyboard.press("Enter")
    until(page, "document.querySelector('.tile').dataset.boxes === '0'", 30000)
    # Somebody else who looks is told.
    other = live_context.new_page()
    other.goto(f"{watching.base}/?view=live")
    until(other, "document.querySelector('#words').value === 'NOTHING'", 30000)
    other.close()
    page.locator("#words").fill("EXIT")
    page.keyboard.press("Enter")
    shows(page)
    assert page.locator("#events li").count() >= 1
    # What cannot be searched for is said.
    page.locator("label", has_text="Regular").click()
    page.locator("#words").fill("(")
    page.keyboard.press("Enter")
    until(page, "document.querySelector('#told.bad')", 20000)
    page.locator("label", has_text="Regular").click()
    page.locator("#words").fill("EXIT")
    page.keyboard.press("Enter")
    # What was wrong is said no more.
    until(page, "!document.querySelector('#told.bad') && document.querySelector('#told').textContent.includes('sighting')", 20000)
    shows(page)
    page.close()


def test_keys_change_nothing_that_is_watched(live_context, watching):
    """What is typed without Enter is of no consequence to others, and the keys of the page are no letters in a field."""
    page = live_context.new_page()
    page.goto(f"{watching.base}/?view=live")
    shows(page)
    assert page.evaluate("document.activeElement.id") != "words"
    page.keyboard.press("?")
    assert page.locator("dialog#keys").is_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    until(page, "document.activeElement.id === 'words'")
    page.keyboard.type("NOTHING")
    page.wait_for_timeout(1500)
    assert watching.lines("/api/watches")[0]["q"] == ["EXIT"]
    page.keyboard.press("Escape")
    assert page.locator("#words").input_value() == "EXIT"
    page.keyboard.press("/")
    page.keyboard.type("EXIT")
    page.keyboard.press("Enter")
    until(page, "document.activeElement.id !== 'words'")
    assert watching.lines("/api/watches")[0]["q"] == ["EXIT"]
    page.close()


def test_what_cannot_be_watched_takes_little_room(browser, tmp_path):
    server = Server(tmp_path / "index", options=["--program", FRAMEGREP, "--watch", "EXIT", str(tmp_path / "none.mp4")])
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    try:
        server.open_session()
        admit(context, server)
        page = context.new_page()
        page.goto(server.base)
        until(page, "document.querySelector('.tile')?.dataset.state === 'failed'", 60000)
        assert page.locator(".tile .why").inner_text()
        assert page.evaluate("document.querySelector('.tile').getBoundingClientRect().height") < 160
    finally:
        context.close()
        server.stop()


def test_the_stream_ends_with_its_session(watching):
    """Who has signed out sees no more of what is live."""
    own = Server.__new__(Server)
    own.__dict__.update(watching.__dict__, cookie=None)
    # Another session than the one that the other tests have.
    line = ""
    while "#key=" not in line:
        line = watching.process.stderr.readline()
    own.key = line.strip().rpartition("#key=")[2]
    own.open_session()
    with socket.create_connection(("127.0.0.1", own.port), timeout=20) as connection:
        connection.sendall(f"GET /api/stream?codec=jpeg HTTP/1.1\r\nHost: {own.host}\r\nCookie: {own.cookie}\r\nConnection: close\r\n\r\n".encode())
        assert b"200 OK" in connection.recv(1000)
        status, headers, _ = own.ask("/api/session/end", "POST", {"Origin": own.base, "Content-Type": "application/json"}, b"{}")
        assert status == 204 and "Max-Age=0" in headers["Set-Cookie"]
        while connection.recv(1 << 16):
            pass
    assert own.ask("/api/watches")[0] == 401
    assert watching.ask("/api/watches")[0] == 200


def test_what_appeared_is_found_at_once(live_context, watching):
    page = live_context.new_page()
    page.goto(f"{watching.base}/?view=live")
    shows(page)
    until(page, "document.querySelectorAll('#events li').length > 0", 30000)
    page.locator("#events li button").first.click()
    page.wait_for_selector("body[data-state=found]", timeout=30000)
    assert page.locator("li.sighting").count() >= 1
    assert "EXIT" in page.locator("li.sighting .text").first.inner_text()
    page.keyboard.press("Escape")
    page.locator("#to-live").click()
    shows(page)
    page.close()


def test_a_recording_is_forgotten(live_context, watching):
    page = live_context.new_page()
    page.goto(f"{watching.base}/?q=EXIT")
    page.wait_for_selector("body[data-state=found]", timeout=30000)
    before = len(watching.lines("/api/sources"))
    def ask():
        page.locator("li.recording summary").first.click()
        page.locator("button.forget").first.click()
    ask()
    page.get_by_role("button", name="Keep it").click()
    assert len(watching.lines("/api/sources")) == before
    ask()
    page.get_by_role("button", name="Forget it").click()
    deadline = time.monotonic() + 20
    # A camera's hour that goes on comes back with what is read next.
    while len(watching.lines("/api/sources")) >= before and time.monotonic() < deadline:
        page.wait_for_timeout(50)
    page.close()


def test_a_camera_goes_and_comes_back(browser, tmp_path):
    camera = Camera()
    server = Server(tmp_path / "index", options=["--program", FRAMEGREP, "--watch", "EXIT", camera.address])
    context = browser.new_context()
    try:
        server.open_session()
        admit(context, server)
        page = context.new_page()
        page.goto(server.base)
        shows(page)
        camera.off()
        until(page, "document.querySelector('.tile').dataset.state !== 'running'", 60000)
        until(page, "document.querySelector('.tile').dataset.boxes === '0'", 10000)
        assert page.locator(".tile .sign").inner_text() != "Live"
        camera.on()
        until(page, "document.querySelector('.tile').dataset.state === 'running'", 90000)
        shows(page)
        # The server ends and comes back at its place; the page goes on by itself once it may.
        port = server.port
        status, took = server.stop()
        assert status == 0 and took < 12
        until(page, "document.querySelector('#trouble-live h2')", 20000)
        again = Server(tmp_path / "index", port=port, options=["--program", FRAMEGREP, "--watch", "EXIT", camera.address])
        try:
            # Sessions end with their server.
            until(page, "document.querySelector('#trouble-live').textContent.includes('key')", 30000)
            page.goto("about:blank")
            page.goto(again.address)
            shows(page)
        finally:
            again.stop()
    finally:
        context.close()
        camera.off()


def test_a_cameras_password_stays_on_the_server(tmp_path):
    camera = Camera(password="s3cretword")
    secret = camera.address.replace("http://", "http://user:s3cretword@")
    file = tmp_path / "cameras"
    file.write_text(secret + "\n")
    file.chmod(0o600)
    server = Server(tmp_path / "index", options=["--program", FRAMEGREP, "--watch", "EXIT", "--sources-from", str(file)])
    try:
        server.open_session()
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and server.lines("/api/watches")[1]["state"] != "running":
            time.sleep(0.3)
        watched = server.lines("/api/watches")
        assert watched[1]["state"] == "running", watched
        assert "s3cretword" not in json.dumps(watched)
        stream = read_stream(server, 3)
        assert b"s3cretword" not in stream and len(stream) > 1000
        for process in [server.process.pid, *server.children()]:
            assert b"s3cretword" not in open(f"/proc/{process}/cmdline", "rb").read()
        assert b"s3cretword" not in server.ask("/metrics")[2]
    finally:
        server.stop()
        camera.off()
    file.chmod(0o644)
    refused = subprocess.run([SERVE, "--sources-from", str(file)], stderr=subprocess.PIPE, text=True)
    assert refused.returncode == 2 and "chmod 600" in refused.stderr


def read_stream(server, seconds, query="codec=jpeg", host=None):
    """What comes of the stream meanwhile."""
    data = b""
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        connection.sendall(f"GET /api/stream?{query} HTTP/1.1\r\nHost: {server.host}\r\nCookie: {server.cookie}\r\n\r\n".encode())
        end = time.monotonic() + seconds
        connection.settimeout(1)
        while time.monotonic() < end:
            try:
                data += connection.recv(1 << 16)
            except TimeoutError:
                pass
    return data


def metric(server, name):
    text = server.ask("/metrics")[2].decode()
    found = re.search(rf"^framegrep_{name}(?:{{[^}}]*}})? ([0-9.]+)$", text, re.M)
    return float(found[1])


def test_nothing_is_encoded_while_nobody_looks(watching):
    deadline = time.monotonic() + 20
    while metric(watching, "live_viewers") > 0 and time.monotonic() < deadline:
        time.sleep(0.3)
    assert metric(watching, "live_viewers") == 0
    before = metric(watching, "live_frames_sent_total")
    time.sleep(2)
    assert metric(watching, "live_frames_sent_total") == before
    read_stream(watching, 3)
    assert metric(watching, "live_frames_sent_total") > before


def test_who_takes_nothing_slows_nobody(watching):
    """Ten that ask and never read: the job reads on, and others see all."""
    silent = []
    for _ in range(10):
        connection = socket.create_connection(("127.0.0.1", watching.port), timeout=10)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.sendall(f"GET /api/stream?codec=h264 HTTP/1.1\r\nHost: {watching.host}\r\nCookie: {watching.cookie}\r\n\r\n".encode())
        silent.append(connection)
    try:
        memory = watching.memory()
        time.sleep(6)
        assert metric(watching, "live_frames_per_second") > 10
        assert len(read_stream(watching, 4)) > 20_000
        assert watching.memory() - memory < 60
    finally:
        for connection in silent:
            connection.close()


def test_twenty_tabs_lose_no_frame_of_the_job(live_context, watching):
    pages = [live_context.new_page() for _ in range(20)]
    try:
        for page in pages:
            page.goto(f"{watching.base}/?view=live", wait_until="commit")
        shows(pages[0], timeout=120000)
        # Each of them shows the camera, or says where it is shown; and all can still search.
        for page in pages:
            until(page, "document.querySelector('.tile')?.dataset.frames > 0 || document.querySelector('#trouble-live h2')", 60000)
        pages[-1].goto(f"{watching.base}/?q=EXIT")
        pages[-1].wait_for_selector("body[data-state=found], body[data-state=nothing]", timeout=60000)
        rates = []
        for _ in range(5):
            time.sleep(1)
            rates.append(metric(watching, "live_frames_per_second"))
        print(f"\n20 tabs: {metric(watching, 'live_viewers'):.0f} look; frames a second that come to the job: {rates}; server {watching.memory():.0f} MiB")
        assert sorted(rates)[2] > 13
    finally:
        for page in pages:
            page.close()


def test_it_is_accessible_and_fits(browser, watching):
    from axe_playwright_python.sync_playwright import Axe
    context = browser.new_context(bypass_csp=True)
    admit(context, watching)
    page = context.new_page()
    folder = os.environ.get("PAGE_SCREENSHOTS")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        for width in (360, 768, 1280, 2560):
            page.set_viewport_size({"width": width, "height": 800 if width < 2000 else 1300})
            page.goto(f"{watching.base}/?view=live")
            shows(page)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            if folder:
                page.screenshot(path=f"{folder}/live-{scheme}-{width}.png")
        page.set_viewport_size({"width": 1280, "height": 800})
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()
    context.close()
