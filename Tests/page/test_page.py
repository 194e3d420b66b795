"""The page in a real browser: search, play, boxes, keys, sizes."""
import io, re, subprocess, time
import pytest
from PIL import Image, ImageChops
from conftest import FRAMEGREP, HOSTILE, Server, admit


def until(page, expression, timeout=10000):
    """Waits for what Playwright's own wait_for_function cannot see, as the page lets nobody make code of text."""
    deadline = time.monotonic() + timeout / 1000
    while not page.evaluate(f"Boolean({expression})"):
        assert time.monotonic() < deadline, (expression, shown(page))
        page.wait_for_timeout(20)


def search(page, server, query="q=EXIT"):
    page.goto(f"{server.base}/?{query}")
    page.wait_for_selector("body[data-state=found]")


def choose(page, name):
    """Plays the first sighting in a recording."""
    page.locator("li.recording", has_text=name).locator("li.sighting button").first.click()
    until(page, "document.getElementById('boxes').dataset.boxes > 0", timeout=15000)


def places(truth, text, frame):
    return next(place["quad"] for each in truth["texts"] if each["text"] == text
                for place in each["places"] if place["frame"] == frame)


def shown(page):
    return page.evaluate("""() => { const c = document.getElementById('boxes'), v = document.getElementById('video');
        return { boxes: Number(c.dataset.boxes), time: Number(c.dataset.time), paused: v.paused, now: v.currentTime } }""")


def box_bounds(page):
    """The bounds of what the boxes change in the picture, and the picture's width."""
    def take():
        page.wait_for_timeout(150)
        return Image.open(io.BytesIO(page.locator("#screen").screenshot())).convert("L")
    page.locator("#title").click()
    page.mouse.move(5, 5)
    with_boxes = take()
    page.keyboard.press("b")
    without = take()
    page.keyboard.press("b")
    changed = ImageChops.difference(with_boxes, without).point(lambda value: 255 if value > 40 else 0)
    assert changed.getbbox()
    return changed.getbbox(), with_boxes.width


def test_the_key_opens_the_page_once(browser, index):
    server = Server(index)
    try:
        context = browser.new_context()
        page = context.new_page()
        page.goto(server.base)
        page.wait_for_selector("body[data-state=locked]")
        page.goto("about:blank")
        page.goto(server.address)
        page.wait_for_selector("body[data-state=begin]")
        page.get_by_text("4 recordings").wait_for()
        assert page.url == server.base + "/" and not page.evaluate("document.cookie")
        other = browser.new_context().new_page()
        other.goto(server.address)
        other.wait_for_selector("body[data-state=locked]")
    finally:
        server.stop()


def test_what_is_typed_is_found(page, server):
    page.goto(server.base)
    page.wait_for_selector("body[data-state=begin]")
    page.locator("#found").focus()
    page.keyboard.press("/")
    page.keyboard.type("exit")
    page.wait_for_selector("body[data-state=found]")
    assert "3 sightings in 3 recordings" in page.locator("#status").inner_text()
    assert page.locator("mark").first.inner_text() == "EXIT"
    assert "q=exit" in page.url
    # The small pictures come, and show something.
    until(page, "[...document.querySelectorAll('.thumb img')].every((each) => each.complete && each.naturalWidth > 100)", timeout=15000)
    page.fill("#words", "zebra")
    page.wait_for_selector("body[data-state=nothing]")
    assert "Nothing found" in page.locator("#message").inner_text()
    page.fill("#words", "")
    page.wait_for_selector("body[data-state=begin]")


def test_results_are_shown_while_the_search_goes_on(page, server):
    """What the server has sent is on the page; the rest is held back here until the test has seen it."""
    page.add_init_script("""
        const was = window.fetch;
        window.fetch = async (path, options) => {
            const answer = await was(path, options);
            if (!String(path).includes('/api/search')) return answer;
            const text = await answer.text(), encoder = new TextEncoder();
            // The first recording and its first sighting.
            const end = text.indexOf('\\n', text.indexOf('\\n') + 1) + 1;
            const body = new ReadableStream({ async start(to) {
                to.enqueue(encoder.encode(text.slice(0, end)));
                await new Promise((go) => { window.release = go; });
                to.enqueue(encoder.encode(text.slice(end)));
                to.close();
            } });
            return new Response(body, { status: answer.status, headers: answer.headers });
        };
    """)
    search(page, server)
    assert page.locator("li.sighting").count() == 1
    assert "1 sighting so far" in page.locator("#status").inner_text()
    # One of them is played already.
    page.locator("li.sighting button").first.click()
    page.wait_for_selector("body.playing")
    page.evaluate("release()")
    page.get_by_text("3 sightings in 3 recordings").wait_for()
    assert page.locator("li.sighting").count() == 3
    assert page.locator("li.sighting.chosen").count() == 1 and page.locator("#timeline .row").count() >= 1


def test_no_list_of_all_recordings_is_requested(page, server):
    """With ten thousand of them it is 2.4 MB, which would come with each search."""
    asked = []
    page.on("request", lambda request: asked.append(request.url.removeprefix(server.base)))
    search(page, server)
    page.get_by_text("3 sightings in 3 recordings").wait_for()
    assert not any(path.startswith("/api/sources") for path in asked), asked
    number = server.lines("/api/sources")[0]["id"]
    page.goto(f"{server.base}/?q=ZEBRA&at={number}-0&t=1.00")
    page.wait_for_selector("body.playing")
    assert [path for path in asked if path.startswith("/api/sources")] == [f"/api/sources?id={number}"]
    asked.clear()
    page.goto(f"{server.base}/?q=ZEBRA&at=1-0&t=1.00")
    page.wait_for_selector("body[data-state=nothing]")
    page.goto(server.base)
    page.wait_for_selector("ul.library li")
    assert [path for path in asked if path.startswith("/api/sources")] == ["/api/sources?id=1", "/api/sources?file=1&limit=61"]


def test_a_search_that_breaks_off_is_said(page, server):
    page.add_init_script("""
        const was = window.fetch;
        window.fetch = async (path, options) => {
            const answer = await was(path, options);
            if (!String(path).includes('/api/search')) return answer;
            const text = await answer.text(), line = text.slice(0, text.indexOf('\\n') + 1);
            return new Response(line + (location.search.includes('all=1') ? '{"type":"error","message":"The search was ended."}\\n' : ''));
        };
    """)
    page.goto(f"{server.base}/?q=EXIT")
    page.wait_for_selector("body[data-state=trouble]")
    assert "still running" in page.locator("#message").inner_text()
    page.goto(f"{server.base}/?q=EXIT&all=1")
    page.wait_for_selector("body[data-state=trouble]")
    assert "The search was ended." in page.locator("#message").inner_text()


def test_a_pattern_that_is_wrong_is_explained(page, server):
    page.goto(f"{server.base}/?q=(&regex=1")
    page.wait_for_selector("body[data-state=trouble]")
    assert "cannot be searched for" in page.locator("#message").inner_text()
    # The browser itself notes the status.
    assert all("400" in each for each in page.complaints)
    page.complaints.clear()


def test_the_box_is_on_the_word(page, server, truth):
    search(page, server)
    choose(page, "demo.mp4")
    page.keyboard.press(" ")
    page.mouse.move(640, 790)
    for frame in (135, 150, 200, 235):
        page.fill("#time", f"{frame / 30 + 0.01:.3f}")
        page.press("#time", "Enter")
        until(page, f"Math.abs(document.getElementById('boxes').dataset.time - {frame / 30}) < 0.01")
        (left, top, right, bottom), width = box_bounds(page)
        scale = width / truth["width"]
        corners = places(truth, "EXIT", frame)
        xs, ys = [x * scale for x, _ in corners], [y * scale for _, y in corners]
        # The box stands a little around the word, as it was read.
        for value, wanted in ((left, min(xs)), (top, min(ys)), (right, max(xs)), (bottom, max(ys))):
            assert abs(value - wanted) < 12, (frame, (left, top, right, bottom), (xs, ys))


def test_boxes_are_on_their_own_frames_while_it_plays(page, server, truth):
    page.add_init_script("""
        window.drawn = []; let points = [];
        const kind = CanvasRenderingContext2D.prototype;
        for (const name of ['moveTo', 'lineTo']) { const was = kind[name]; kind[name] = function (x, y) { if (this.canvas.id === 'boxes') points.push([x, y]); return was.call(this, x, y); }; }
        const videos = HTMLVideoElement.prototype, ask = videos.requestVideoFrameCallback;
        videos.requestVideoFrameCallback = function (body) { return ask.call(this, (now, frame) => { points = []; body(now, frame);
            if (points.length) drawn.push({ time: frame.mediaTime, points, width: document.getElementById('boxes').width }); }); };
    """)
    search(page, server)
    choose(page, "demo.mp4")
    page.evaluate("drawn.length = 0")
    page.wait_for_timeout(2500)
    drawn = page.evaluate("drawn")
    assert len(drawn) > 20
    right = 0
    for each in drawn:
        scale = each["width"] / truth["width"]
        center = sum(x for x, _ in each["points"]) / len(each["points"]) / scale
        def off(frame):
            try:
                corners = places(truth, "EXIT", frame)
            except StopIteration:
                return 1e9
            return abs(sum(x for x, _ in corners) / 4 - center)
        frame = round(each["time"] * 30)
        right += off(frame) < 6
    print(f"{right} of {len(drawn)} boxes on their own frames")
    assert right >= 0.99 * len(drawn)


@pytest.mark.parametrize("name", ["tape.mpg", "old.avi"])
def test_what_the_browser_does_not_play_is_played(page, server, truth, name):
    search(page, server)
    began = time.monotonic()
    choose(page, name)
    print(f"{name}: {time.monotonic() - began:.2f} s from the click to the first box")
    page.keyboard.press(" ")
    page.complaints.clear()
    before = shown(page)["time"]
    # On to a place that is not there yet, and back.
    for frame in (230, 140):
        page.fill("#time", f"{frame / 30 + 0.01:.3f}")
        page.press("#time", "Enter")
        until(page, f"Math.abs(document.getElementById('boxes').dataset.time - {frame / 30}) < 0.05 && document.getElementById('boxes').dataset.boxes == 1", timeout=15000)
        page.wait_for_timeout(300)
        (left, _, right, _), width = box_bounds(page)
        xs = [x * width / truth["width"] for x, _ in places(truth, "EXIT", frame)]
        assert abs((left + right) / 2 - sum(xs) / 4) < 12
    page.complaints.clear()


def test_keys(page, server):
    search(page, server, "q=FUSES&q=EXIT")
    page.locator("#found").focus()
    page.keyboard.press("j")
    page.wait_for_selector("#stage:not([hidden])")
    first = page.locator("li.chosen").get_attribute("data-key")
    page.keyboard.press("j")
    assert page.locator("li.chosen").get_attribute("data-key") != first
    page.keyboard.press("k")
    assert page.locator("li.chosen").get_attribute("data-key") == first
    assert f"at={first}" in page.url
    until(page, "document.getElementById('video').readyState >= 2 && !document.getElementById('video').seeking")
    assert shown(page)["paused"]
    page.keyboard.press("Enter")
    until(page, "!document.getElementById('video').paused")
    page.keyboard.press(" ")
    until(page, "document.getElementById('video').paused")
    page.keyboard.press("]")
    until(page, f"document.querySelector('li.chosen').dataset.key !== '{first}'")
    page.wait_for_timeout(600)
    before = shown(page)["time"]
    page.keyboard.press(".")
    until(page, f"Math.abs(document.getElementById('boxes').dataset.time - {before} - 1 / 30) < 0.005")
    page.keyboard.press(",")
    until(page, f"Math.abs(document.getElementById('boxes').dataset.time - {before}) < 0.005")
    page.keyboard.press("b")
    assert shown(page)["boxes"] == 0
    page.keyboard.press("?")
    assert page.locator("dialog#keys").is_visible()
    page.keyboard.press("Escape")
    assert not page.locator("dialog#keys").is_visible() and page.locator("#stage").is_visible()
    page.keyboard.press("Escape")
    assert page.locator("#stage").is_hidden()


def test_the_address_holds_the_search_and_the_moment(page, context, server):
    search(page, server)
    choose(page, "demo.mp4")
    page.keyboard.press(" ")
    page.fill("#time", "0:06.5")
    page.press("#time", "Enter")
    until(page, "location.search.includes('t=6.50')")
    other = context.new_page()
    other.goto(page.url)
    until(other, "Math.abs(document.getElementById('boxes').dataset.time - 6.5) < 0.05")
    assert other.input_value("#words") == "EXIT"
    page.go_back()
    until(page, "document.getElementById('stage').hidden")


def test_text_from_a_picture_stays_text(page, server):
    search(page, server, "q=HARMLESS")
    line = page.locator("li.sighting .text").first.inner_text()
    print(f"painted: {HOSTILE}, read: {line}")
    assert "onerror" in line and "<" in line
    assert page.locator("li.sighting .text img").count() == 0
    page.locator("li.sighting button").first.click()
    until(page, "document.getElementById('still').naturalWidth > 500")
    page.wait_for_timeout(300)


def test_markup_in_the_address_stays_text(page, server):
    page.goto(f"{server.base}/?q=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E&at=%3Cscript%3E&t=%3Cb%3E")
    until(page, "['nothing', 'found'].includes(document.body.dataset.state)")
    assert page.locator("main img[src=x]").count() == 0


@pytest.mark.parametrize("width, height", [(360, 740), (768, 1024), (1280, 800), (2560, 1300)])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_and_axe_finds_nothing(browser, server, width, height, scheme):
    from axe_playwright_python.sync_playwright import Axe
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, bypass_csp=True)
    admit(context, server)
    page = context.new_page()
    def look(what):
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), what
        found = Axe().run(page)
        assert found.violations_count == 0, f"{what}: {found.generate_report()}"
    page.goto(server.base)
    page.get_by_text("4 recordings").wait_for()
    look("begin")
    search(page, server, "q=EXIT&q=FUSES")
    look("list")
    choose(page, "demo.mp4")
    page.keyboard.press(" ")
    page.wait_for_selector(".track")
    look("player")
    context.close()


def test_a_click_shows_its_picture_soon(page, server):
    search(page, server, "q=FUSES&q=EXIT")
    page.evaluate("""() => { window.shown = 0;
        const video = document.getElementById('video'), each = () => { window.shown = performance.now(); video.requestVideoFrameCallback(each); };
        video.requestVideoFrameCallback(each); }""")
    times = []
    rows = page.locator("li.recording", has_text="demo.mp4").locator("li.sighting button")
    for number in range(12):
        took = page.evaluate("""async (number) => {
            const rows = [...document.querySelectorAll('li.recording')].find((each) => each.textContent.includes('demo.mp4')).querySelectorAll('li.sighting button');
            document.getElementById('close').click();
            await new Promise((done) => setTimeout(done, 200));
            const began = performance.now();
            rows[number % rows.length].click();
            while (window.shown < began) await new Promise((done) => setTimeout(done, 4));
            return window.shown - began;
        }""", number)
        times.append(took)
    times.sort()
    print(f"click to picture: median {times[6]:.0f} ms, slowest of 12 {times[-1]:.0f} ms")
    assert times[10] < 1500


def test_twenty_tabs(context, server):
    pages = [context.new_page() for _ in range(20)]
    for page in pages:
        page.goto(f"{server.base}/?q=EXIT")
    for page in pages:
        page.wait_for_selector("body[data-state=found]", timeout=20000)
    before = server.memory()
    for page in pages:
        page.locator("li.recording", has_text="demo.mp4").locator("li.sighting button").first.click()
    for page in pages[-3:]:
        page.bring_to_front()
        until(page, "document.getElementById('video').readyState >= 2", timeout=20000)
    print(f"memory: {before:.0f} MiB with 20 lists, {server.memory():.0f} MiB with 20 players")
    assert server.memory() < 600


def test_what_is_found_is_hidden_in_a_copy(browser, index, tmp_path):
    """The boxes as they would be hidden, one taken out and put back by clicks and by keys, and the clean copy."""
    server = Server(index, options=["--program", FRAMEGREP])
    server.open_session()
    try:
        context = browser.new_context(viewport={"width": 1280, "height": 900})
        admit(context, server)
        page = context.new_page()
        search(page, server)
        choose(page, "demo.mp4")
        page.locator("#hide").click()
        page.wait_for_selector("#hiding-list button", timeout=300000)
        things = page.locator("#hiding-list button")
        assert "would be hidden" in page.locator("#hiding-status").inner_text() and "EXIT" not in page.locator("#hiding").inner_text()
        until(page, "document.getElementById('boxes').dataset.boxes > 0")
        for left in ("false", "true"):
            things.first.click()
            assert things.first.get_attribute("aria-pressed") == left
        things.last.focus()
        for left in ("false", "true"):
            page.keyboard.press("Space")
            assert things.last.get_attribute("aria-pressed") == left
            assert page.evaluate("document.activeElement === document.querySelector('#hiding-list li:last-child button')")
        with page.expect_download(timeout=300000) as download: page.locator("#hiding-write").click()
        assert download.value.suggested_filename == "demo-clean.mp4"
        assert "Searched again" in page.locator("#hiding-status").inner_text()
        download.value.save_as(tmp_path / "clean.mp4")
        assert subprocess.run([FRAMEGREP, "find", "-q", "EXIT", str(tmp_path / "clean.mp4")]).returncode == 1
        page.locator("#hiding-end").click()
        until(page, "document.getElementById('hiding').hidden")
        context.close()
    finally:
        server.stop()


def test_the_server_may_go_and_come(browser, index):
    server = Server(index)
    context = browser.new_context()
    page = context.new_page()
    page.goto(server.address)
    page.get_by_text("4 recordings").wait_for()
    server.stop()
    page.fill("#words", "EXIT")
    page.wait_for_selector("body[data-state=trouble]")
    assert "still running" in page.locator("#message").inner_text()
    again = Server(index, server.port)
    try:
        page.get_by_role("button", name="Try again").click()
        page.wait_for_selector("body[data-state=locked]")
        page.goto("about:blank")
        page.goto(again.address)
        page.get_by_text("4 recordings").wait_for()
        search(page, again)
    finally:
        again.stop()
