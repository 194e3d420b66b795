"""The page as people use it: scrolled, enlarged, at any width, with the address pasted into it, by keys, and signed out of."""
import pytest
from PIL import Image, ImageDraw, ImageFont
from conftest import FRAMEGREP, Server, admit, draw_text, ffmpeg, run
from test_page import until

FONT = "/usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf"
MANY = 30
# Turns what follows around, for whoever only sees it.
TURNED = "invoice\u202egpj.png"
LONG = "PASSENGERS WITH TICKETS FOR THE SECOND CLASS PLEASE WALK TO THE NORTHERN PLATFORM"


@pytest.fixture(scope="module")
def gallery(tmp_path_factory):
    """A recording in which EXIT is seen thirty times, and pictures in which it is seen once."""
    folder = tmp_path_factory.mktemp("gallery")
    for number in range(1, MANY + 1):
        for part, text in enumerate((f"EXIT {number}", "")):
            picture = Image.new("RGB", (640, 360), "white")
            ImageDraw.Draw(picture).text((60 + 9 * number, 60 + 7 * number), text, fill="black", font=ImageFont.truetype(FONT, 48))
            picture.save(folder / f"{2 * number + part:03}.jpg", quality=90)
    ffmpeg("-framerate", "0.6", "-start_number", "2", "-i", folder / "%03d.jpg", "-r", "10", "-pix_fmt", "yuv420p", "-c:v", "libx264", folder / "many.mp4")
    for name in ("a.png", "b.png", "c.png", TURNED):
        draw_text(folder / name, "EXIT LEFT")
    draw_text(folder / "long.png", "")
    picture = Image.open(folder / "long.png")
    picture = picture.resize((1920, 360))
    ImageDraw.Draw(picture).text((20, 140), LONG, fill="black", font=ImageFont.truetype("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf", 34))
    picture.save(folder / "long.png")
    files = [str(folder / name) for name in ("many.mp4", "a.png", "b.png", "c.png", "long.png", TURNED)]
    run(FRAMEGREP, "index", "--index", str(folder / "index"), *files)
    server = Server(folder / "index")
    server.open_session()
    server.folder = folder
    yield server
    server.stop()


def show(browser, server, width, height, **options):
    context = browser.new_context(viewport={"width": width, "height": height}, **options)
    admit(context, server)
    page = context.new_page()
    page.set_default_timeout(20000)
    return page


def find(page, server, query="q=EXIT"):
    page.goto(f"{server.base}/?{query}")
    page.wait_for_selector("body[data-state=found]")
    page.wait_for_selector("#recordings[data-done], #status:not(:empty)")


def rectangle(page, what):
    return page.evaluate(f"(() => {{ const r = document.querySelector('{what}').getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom]; }})()")


SIZES = [(320, 640), (640, 400), (640, 900), (1000, 700), (1280, 800), (1920, 1080)]


@pytest.mark.parametrize("width, height", SIZES)
def test_the_last_of_many_plays_in_view(browser, gallery, width, height):
    page = show(browser, gallery, width, height)
    find(page, gallery)
    rows = page.locator("li.recording", has_text="many.mp4").locator("li.sighting")
    until(page, f"document.querySelectorAll('li.sighting').length >= {MANY}")
    for number in (MANY - 1, 0, MANY // 2):
        rows.nth(number).locator("button").click()
        until(page, "document.getElementById('boxes').dataset.boxes > 0", timeout=20000)
        def is_seen():
            left, top, right, bottom = rectangle(page, "#screen")
            return top >= -1 and left >= -1 and bottom <= height + 1 and right <= width + 1 and bottom - top > 80
        until_true(page, is_seen, lambda: (number, rectangle(page, "#screen")))
        # What was clicked is in view too, and nothing lies on it.
        until_true(page, lambda: page.evaluate("""() => {
            const r = document.querySelector('li.chosen button').getBoundingClientRect();
            const top = document.elementFromPoint((r.left + r.right) / 2, (r.top + r.bottom) / 2);
            return Boolean(top?.closest('li.chosen'));
        }"""), lambda: (number, rectangle(page, "li.chosen"), rectangle(page, "#screen")))
    page.context.close()


def until_true(page, holds, what):
    for _ in range(100):
        if holds():
            return
        page.wait_for_timeout(100)
    raise AssertionError(what())


@pytest.mark.parametrize("width, height, scale", [(640, 400, 2), (640, 480, 1), (320, 640, 2), (427, 267, 3)])
def test_enlarged_there_is_room_for_results(browser, gallery, width, height, scale):
    """A window of 1280 by 800 pixels at 200 % and 300 %, and small screens."""
    page = show(browser, gallery, width, height, device_scale_factor=scale)
    find(page, gallery)
    page.locator("li.recording", has_text="many.mp4").locator("li.sighting button").nth(12).click()
    until(page, "document.getElementById('boxes').dataset.boxes > 0", timeout=20000)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    if height < 300:
        # One below the other: whoever scrolls on has the whole page for the results.
        page.locator("li.sighting").last.scroll_into_view_if_needed()
        page.wait_for_timeout(300)
    room = page.evaluate("""() => {
        const { left, right } = document.querySelector('li.sighting').getBoundingClientRect();
        let room = 0;
        for (let y = 0; y < innerHeight; y += 1) if (document.elementFromPoint((left + right) / 2, y)?.closest('#found')) room += 1;
        return room;
    }""")
    assert room >= 150, room
    page.context.close()


def test_recordings_of_one_result_share_a_row(browser, gallery):
    page = show(browser, gallery, 1280, 800)
    find(page, gallery)
    until(page, f"document.querySelectorAll('li.sighting').length >= {MANY + 4}")
    tops = page.evaluate("[...document.querySelectorAll('li.recording[data-cards=\"1\"]')].map((each) => Math.round(each.getBoundingClientRect().top))")
    assert len(tops) == 4 and len(set(tops)) < len(tops), tops
    page.context.close()


@pytest.mark.parametrize("width, height", [(320, 640), (360, 740), (640, 900), (1280, 800)])
def test_what_matched_is_on_its_card(browser, gallery, width, height):
    page = show(browser, gallery, width, height)
    find(page, gallery, "q=NORTHERN")
    def is_seen():
        mark, text = rectangle(page, "li.sighting mark"), rectangle(page, "li.sighting .text")
        assert text[1] <= mark[1] and mark[3] <= text[3] + 1 and mark[2] <= text[2] + 1, (mark, text)
    is_seen()
    # Beside the player too, where cards are narrow again.
    page.locator("li.sighting button").click()
    until(page, "!document.getElementById('stage').hidden")
    is_seen()
    # And the picture is shown whole.
    until(page, "document.querySelector('.thumb img').naturalWidth > 100")
    assert page.evaluate("getComputedStyle(document.querySelector('.thumb img')).objectFit") == "contain"
    page.context.close()


@pytest.mark.parametrize("width", [320, 360, 620, 1280])
def test_each_way_to_search_can_be_reached(browser, gallery, width):
    page = show(browser, gallery, width, 740)
    page.goto(gallery.base)
    page.wait_for_selector("body[data-state=begin]")
    ways = page.evaluate("""() => [...document.querySelectorAll('.chips label')].map((each) => {
        const { left, right, top, bottom } = each.getBoundingClientRect();
        return left >= 0 && right <= innerWidth && document.elementFromPoint((left + right) / 2, (top + bottom) / 2)?.closest('label') === each;
    })""")
    assert ways == [True] * 6, ways
    page.context.close()


def test_the_slash_leads_to_the_field_and_is_typed_in_it(browser, gallery):
    page = show(browser, gallery, 1280, 800)
    page.goto(gallery.base)
    # The page has put the cursor there already: the key that is printed beside the field is meant, and no slash.
    until(page, "document.activeElement.id === 'words'")
    page.keyboard.press("/")
    assert page.input_value("#words") == ""
    page.keyboard.type("/usr")
    assert page.input_value("#words") == "/usr"
    page.fill("#words", "")
    page.locator("#found").focus()
    page.keyboard.press("/")
    page.keyboard.type("/etc")
    assert page.input_value("#words") == "/etc"
    # Who has clicked into it types.
    page.goto("about:blank")
    page.goto(gallery.base)
    until(page, "document.activeElement.id === 'words'")
    page.locator("#words").click()
    page.keyboard.press("/")
    assert page.input_value("#words") == "/"
    page.context.close()


def test_a_name_that_turns_around_is_shown_as_it_is(browser, gallery):
    page = show(browser, gallery, 1280, 800)
    find(page, gallery)
    row = page.locator("li.recording", has_text="U+202E")
    assert row.locator("h2").inner_text() == "invoice⟨U+202E⟩gpj.png"
    row.locator("li.sighting button").click()
    until(page, "!document.getElementById('stage').hidden")
    row.locator("summary").click()
    row.get_by_text("Forget this recording").click()
    assert "\u202e" not in page.evaluate("document.body.innerText + document.title + document.body.outerHTML")
    assert "⟨U+202E⟩" in page.locator("#forget-text").inner_text()
    page.get_by_role("button", name="Keep it").click()
    page.context.close()


def test_forgetting_does_not_stand_first(browser, gallery):
    page = show(browser, gallery, 1280, 800)
    find(page, gallery)
    assert page.locator("button.forget").first.is_hidden()
    summary = page.locator("li.recording summary").first
    summary.click()
    assert page.locator("button.forget").first.is_visible()
    page.keyboard.press("Escape")
    assert page.locator("button.forget").first.is_hidden()
    summary.click()
    page.locator("#status").click()
    assert page.locator("button.forget").first.is_hidden()
    page.context.close()


def test_more_are_added_where_one_reads(browser, gallery):
    page = show(browser, gallery, 1280, 800)
    # As if the first answer had room for twenty.
    page.route("**/api/search?*", lambda route: route.continue_(url=route.request.url.replace("limit=600&", "limit=20&")))
    find(page, gallery)
    page.get_by_text(f"{MANY + 4} sightings in 5 recordings").wait_for()
    assert page.locator("li.sighting").count() == 20
    page.locator("#more").scroll_into_view_if_needed()
    page.wait_for_timeout(300)
    before, first = page.evaluate("scrollY"), page.locator("li.sighting").first.element_handle()
    assert before > 200
    page.locator("#more").click()
    until(page, f"document.querySelectorAll('li.sighting').length === {MANY + 4}")
    page.wait_for_timeout(300)
    assert abs(page.evaluate("scrollY") - before) < 60
    # The same rows, and none of them twice.
    assert first.evaluate("(row) => row.isConnected")
    keys = page.evaluate("[...document.querySelectorAll('li.sighting')].map((row) => row.dataset.key)")
    assert len(set(keys)) == MANY + 4
    assert page.locator("#more").is_hidden()
    page.context.close()


def test_after_enter_keys_are_keys(browser, gallery):
    page = show(browser, gallery, 1280, 800)
    page.goto(gallery.base)
    page.wait_for_selector("body[data-state=begin]")
    # There is a keyboard: one types at once.
    until(page, "document.activeElement.id === 'words'")
    page.keyboard.type("EXIT")
    page.keyboard.press("Enter")
    page.wait_for_selector("body[data-state=found]")
    until(page, "document.activeElement.id === 'found'")
    page.keyboard.press("j")
    until(page, "document.querySelector('li.chosen')")
    assert page.input_value("#words") == "EXIT"
    page.context.close()


def test_help_begins_with_its_first_line(browser, gallery):
    page = show(browser, gallery, 320, 640)
    page.goto(gallery.base)
    page.wait_for_selector("body[data-state=begin]")
    page.locator("#help").click()
    assert rectangle(page, "#keys-title")[1] >= 0
    page.keyboard.press("Escape")
    assert page.locator("dialog#keys").is_hidden()
    page.context.close()


def test_text_is_selected_and_copied(browser, gallery):
    page = show(browser, gallery, 1280, 800, permissions=["clipboard-read", "clipboard-write"])
    find(page, gallery)
    box = page.locator("li.sighting .text").first.bounding_box()
    y = box["y"] + 19
    page.mouse.move(box["x"] + 13, y)
    page.mouse.down()
    page.mouse.move(box["x"] + 60, y, steps=5)
    page.mouse.up()
    assert page.evaluate("getSelection().toString().trim().length") >= 3
    assert page.locator("#stage").is_hidden()
    page.evaluate("getSelection().removeAllRanges()")
    page.locator("li.sighting .text").first.click()
    page.wait_for_selector("body.playing")
    page.keyboard.press("c")
    page.get_by_text("Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == page.locator("li.chosen .text").inner_text()
    page.context.close()


def test_the_first_page_has_recordings_and_last_searches(browser, gallery):
    page = show(browser, gallery, 1280, 800)
    page.goto(gallery.base)
    page.wait_for_selector(".library li")
    assert page.locator(".library li").count() == 6
    until(page, "[...document.querySelectorAll('.library img')].every((each) => each.complete && each.naturalWidth > 100)", timeout=30000)
    assert page.locator(".last").count() == 0
    page.fill("#words", "EXIT 1")
    page.keyboard.press("Enter")
    page.wait_for_selector("body[data-state=found]")
    # What was only typed on the way is none of them.
    page.goto(gallery.base)
    page.locator(".last button", has_text="EXIT 1").click()
    page.wait_for_selector("body[data-state=found]")
    assert "q=EXIT+1" in page.url
    page.goto(gallery.base)
    page.get_by_role("button", name="Clear").click()
    page.reload()
    page.wait_for_selector(".library li")
    assert page.locator(".last").count() == 0
    page.locator(".library button", has_text="many.mp4").click()
    until(page, "document.getElementById('video').readyState >= 2 && document.getElementById('screen').getBoundingClientRect().top >= 0")
    # The address leads there again.
    again = page.context.new_page()
    again.goto(page.url)
    until(again, "document.getElementById('video').readyState >= 2")
    page.context.close()


def test_the_address_is_pasted_where_the_page_is_open(browser, gallery):
    server = Server(gallery.folder / "index")
    try:
        page = browser.new_context().new_page()
        page.goto(server.base)
        page.wait_for_selector("body[data-state=locked]")
        # Only what stands behind # is another: no new page is loaded.
        page.goto(server.address)
        page.wait_for_selector("body[data-state=begin]")
        until(page, "location.hash === ''")
        assert page.url == server.base + "/"
        # Once more, used and where the page is open: it stays open, and the key does not stay in sight.
        page.goto(server.address)
        until(page, "location.hash === ''")
        page.wait_for_timeout(300)
        assert page.evaluate("document.body.dataset.state") == "begin"
        other = browser.new_context().new_page()
        other.goto(server.base)
        other.wait_for_selector("body[data-state=locked]")
        other.goto(server.address)
        other.get_by_text("This address was used before").wait_for()
        assert "#" not in other.url
    finally:
        server.stop()


def test_the_address_is_pasted_into_the_locked_page(browser, gallery):
    server = Server(gallery.folder / "index")
    try:
        page = browser.new_context().new_page()
        page.goto(f"{server.base}/?q=EXIT")
        page.wait_for_selector("body[data-state=locked]")
        page.fill("#address", server.address[:-5])
        page.keyboard.press("Enter")
        page.get_by_text("This is not the whole address").wait_for()
        page.fill("#address", server.address)
        page.keyboard.press("Enter")
        # What was wanted is shown at once.
        page.wait_for_selector("body[data-state=found]")
    finally:
        server.stop()


def test_signing_out_ends_it_in_all_windows(browser, gallery):
    server = Server(gallery.folder / "index")
    try:
        context = browser.new_context()
        page = context.new_page()
        page.goto(server.address)
        page.wait_for_selector("body[data-state=begin]")
        cookie = next(each for each in context.cookies() if each["name"].startswith("framegrep"))
        other = context.new_page()
        other.goto(f"{server.base}/?q=EXIT")
        other.wait_for_selector("body[data-state=found]")
        page.locator("#help").click()
        page.locator("#sign-out").click()
        page.wait_for_selector("body[data-state=locked]")
        other.wait_for_selector("body[data-state=locked]")
        assert other.locator("li.sighting").count() == 0
        assert not [each for each in context.cookies() if each["name"].startswith("framegrep")]
        # Whoever has kept the cookie has nothing.
        assert server.ask("/api/sources", headers={"Cookie": f"{cookie['name']}={cookie['value']}"})[0] == 401
    finally:
        server.stop()
