"""What the tests of the page share: recordings, an index of them, the server, and a headless Chromium."""
import json, os, pathlib, re, shutil, subprocess, time, urllib.request
import pytest
from playwright.sync_api import sync_playwright

FRAMEGREP, SERVE, RENDER = (os.environ[name] for name in ("FRAMEGREP", "FRAMEGREP_SERVE", "RENDER_CLIPS"))
HOSTILE = "<img src=x onerror=alert(1)> HARMLESS"


def run(*words):
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True).stdout


def ffmpeg(*words):
    run("ffmpeg", "-v", "error", "-y", *map(str, words))


def draw_text(path, text):
    from PIL import Image, ImageDraw, ImageFont
    picture = Image.new("RGB", (1280, 360), "white")
    font = ImageFont.truetype("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf", 44)
    ImageDraw.Draw(picture).text((40, 140), text, fill="black", font=font)
    picture.save(path)


@pytest.fixture(scope="session")
def recordings(tmp_path_factory):
    """The demo clip as it is, as what browsers do not play, and a picture of hostile text."""
    folder = tmp_path_factory.mktemp("recordings")
    run(RENDER, "demo", "--output", str(folder))
    demo = folder / "demo.mp4"
    ffmpeg("-i", demo, "-c:v", "mpeg2video", "-q:v", "3", folder / "tape.mpg")
    ffmpeg("-i", demo, "-c:v", "mpeg4", "-q:v", "3", folder / "old.avi")
    draw_text(folder / "note.png", HOSTILE)
    return folder


@pytest.fixture(scope="session")
def index(recordings):
    folder = recordings / "index"
    files = [str(recordings / name) for name in ("demo.mp4", "tape.mpg", "old.avi", "note.png")]
    run(FRAMEGREP, "index", "--index", str(folder), *files)
    return folder


@pytest.fixture(scope="session")
def truth(recordings):
    return json.loads((recordings / "demo.truth.json").read_text())


class Server:
    """A server of the page; its address with a fresh key is the last that it printed."""

    def __init__(self, index, port=0, options=()):
        self.process = subprocess.Popen(
            [SERVE, "--index", str(index), "--port", str(port), *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().strip()
        self.base, _, self.key = self.address.partition("/#key=")
        self.port = int(self.base.rsplit(":", 1)[1])
        self.host = f"127.0.0.1:{self.port}"
        self.cookie = None

    def ask(self, target, method="GET", headers=(), body=None):
        """Status, headers and bytes."""
        all_headers = dict(headers)
        if self.cookie and "Cookie" not in all_headers:
            all_headers["Cookie"] = self.cookie
        request = urllib.request.Request(self.base + target, method=method, data=body, headers=all_headers)
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                return answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.headers, error.read()

    def open_session(self):
        status, headers, _ = self.ask(
            "/api/session", "POST", {"Origin": self.base, "Content-Type": "application/json"},
            json.dumps({"key": self.key}).encode())
        assert status == 204
        self.cookie = headers["Set-Cookie"].split(";")[0]

    def lines(self, target):
        status, _, body = self.ask(target)
        assert status == 200, body
        return [json.loads(line) for line in body.decode().splitlines()]

    def memory(self):
        """In MiB."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) / 1024

    def children(self):
        return subprocess.run(["ps", "--no-headers", "-o", "pid", "--ppid", str(self.process.pid)], stdout=subprocess.PIPE, text=True).stdout.split()

    def stop(self, signal=2):
        began = time.monotonic()
        self.process.send_signal(signal)
        status = self.process.wait(timeout=10)
        return status, time.monotonic() - began


@pytest.fixture(scope="session")
def server(index):
    server = Server(index)
    server.open_session()
    yield server
    if server.process.poll() is None:
        server.stop()


@pytest.fixture(scope="session")
def playwright():
    """One for all tests: a second one beside it is refused."""
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="session")
def browser(playwright):
    browser = playwright.chromium.launch(
        executable_path=shutil.which("chromium"),
        # Chromium's own sandbox needs what containers do not give.
        args=["--no-sandbox", "--autoplay-policy=no-user-gesture-required"])
    yield browser
    browser.close()


def from_disk(context):
    """Takes the page's files from the checkout where PAGE_ASSETS names their folder, so that a change of them needs no build."""
    folder = os.environ.get("PAGE_ASSETS")
    def answer(path, kind):
        return lambda route: route.fulfill(path=path, content_type=kind)
    types = {".js": "text/javascript", ".css": "text/css"}
    for name in os.listdir(folder) if folder else ():
        kind = types.get(pathlib.Path(name).suffix)
        if kind:
            context.route(f"**/{name}", answer(f"{folder}/{name}", kind))
    if folder:
        # With the headers that the server sends, which say what the page may do.
        context.route(re.compile(r"^https?://[^/]+/([?#].*)?$"), lambda route: route.fulfill(
            response=route.fetch(), body=pathlib.Path(folder, "index.html").read_text()))


def admit(context, server):
    """Lets a browser window see the server's page."""
    from_disk(context)
    name, value = server.cookie.split("=")
    context.add_cookies([{"name": name, "value": value, "url": server.base}])


@pytest.fixture
def context(browser, server):
    """A browser window in which the page is open, and which fails the test where the page complains."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    admit(context, server)
    yield context
    context.close()


@pytest.fixture
def page(context):
    page = context.new_page()
    complaints = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("dialog", lambda dialog: complaints.append("dialog: " + dialog.message))
    page.complaints = complaints
    yield page
    assert not complaints
