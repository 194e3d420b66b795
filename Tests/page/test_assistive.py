"""What a screen reader and a keyboard meet: Chromium's accessibility tree, and the tab key, at 200 % zoom of a window of 1280 x 800."""
import pytest
from axe_playwright_python.sync_playwright import Axe
from conftest import admit
from test_page import choose, search, until

# Whether what has the focus can be seen: inside the window, not behind anything, and with a ring or a ground of its own.
FOCUSED = """() => {
    const one = document.activeElement;
    if (one === document.body) return null;
    const { left, top, right, bottom } = one.getBoundingClientRect(), style = getComputedStyle(one);
    const [x, y] = [(Math.max(left, 0) + Math.min(right, innerWidth)) / 2, (Math.max(top, 0) + Math.min(bottom, innerHeight)) / 2];
    const label = one.closest('label'), seen = document.elementFromPoint(x, y);
    const ring = [one, ...(label ? label.querySelectorAll('*') : [])].some((each) => {
        const its = getComputedStyle(each);
        return its.outlineStyle !== 'none' && parseFloat(its.outlineWidth) > 0 || its.boxShadow !== 'none';
    });
    one.dataset.reached = 'yes';
    return { html: one.outerHTML.slice(0, 160), isSeen: right > 0 && bottom > 0 && left < innerWidth && top < innerHeight
        && Boolean(seen) && (one.contains(seen) || seen.contains(one) || Boolean(label && label.contains(seen))), ring };
}"""

# What is shown, can be used, and was not reached.
MISSED = """() => [...document.querySelectorAll('a[href], button, input, select, summary, textarea, video[controls], [tabindex]')]
    .filter((each) => each.checkVisibility() && !each.disabled && each.tabIndex >= 0 && !each.dataset.reached)
    .filter((each) => !document.querySelector('dialog[open]') || each.closest('dialog[open]')).map((each) => each.outerHTML.slice(0, 160))"""

USED = {"button", "link", "textbox", "searchbox", "checkbox", "slider", "switch", "combobox", "dialog", "DisclosureTriangle", "region", "meter"}


class Reader:
    """What a screen reader is given of a page."""

    def __init__(self, page):
        self.page, self.client = page, page.context.new_cdp_session(page)
        self.client.send("Accessibility.enable")

    def nodes(self):
        """Role and name of all that is not passed over."""
        nodes = self.client.send("Accessibility.getFullAXTree")["nodes"]
        return [(node["role"]["value"], node.get("name", {}).get("value", "").strip()) for node in nodes if not node.get("ignored")]

    def names(self, role): return [name for own, name in self.nodes() if own == role]

    def walk(self):
        """Tabs once through all that is shown; returns what is wrong."""
        wrong, seen = [], 0
        self.page.evaluate("document.querySelectorAll('[data-reached]').forEach((each) => delete each.dataset.reached)")
        for _ in range(400):
            self.page.keyboard.press("Tab")
            now = self.page.evaluate(FOCUSED)
            seen += now is not None
            if now and not now["isSeen"]: wrong.append(f"focus that cannot be seen: {now['html']}")
            if now and not now["ring"]: wrong.append(f"focus without a ring: {now['html']}")
            missed = self.page.evaluate(MISSED)
            if not missed: break
        return wrong + [f"not reached: {html}" for html in missed] + ([] if seen else ["nothing has the focus"])

    def look(self, what):
        unnamed = [role for role, name in self.nodes() if role in USED and not name]
        assert not unnamed, f"{what}: {unnamed}"
        found = Axe().run(self.page)
        assert found.violations_count == 0, f"{what}: {found.generate_report()}"
        wrong = self.walk()
        assert not wrong, f"{what}: {wrong}"


@pytest.fixture
def reader(browser, server):
    # Zoom makes the window's pixels fewer and larger. The page's own rules would keep out what axe is.
    context = browser.new_context(viewport={"width": 640, "height": 400}, device_scale_factor=2, bypass_csp=True)
    admit(context, server)
    yield Reader(context.new_page())
    context.close()


def test_results_and_player_are_reached_and_named(reader, server):
    page = reader.page
    page.goto(server.base)
    page.get_by_text("4 recordings").wait_for()
    reader.look("begin")
    search(page, server)
    count = page.locator("li.sighting").count()
    results = [name for name in reader.names("button") if "EXIT" in name and "0:" in name]
    assert count and len(results) == count, (count, reader.nodes())
    assert any(name for name in reader.names("status") + reader.names("StaticText") if "EXIT" in name or "sighting" in name)
    reader.look("results")
    choose(page, "demo.mp4")
    page.keyboard.press(" ")
    page.wait_for_selector(".track")
    assert "Player" in reader.names("region")
    reader.look("player")


@pytest.mark.parametrize("what, steps, back", [
    ("Keys, and more", ["#help"], "#help"),
    ("Forget this recording?", [".menu > summary", ".menu[open] .forget"], ".menu > summary"),
])
def test_dialogs_take_the_focus_and_give_it_back(reader, server, what, steps, back):
    page = reader.page
    search(page, server)
    for step in steps:
        page.locator(step).first.focus()
        page.keyboard.press("Enter")
    until(page, "document.activeElement.closest('dialog[open]')")
    assert what in reader.names("dialog")
    reader.look(what)
    page.keyboard.press("Escape")
    until(page, "!document.querySelector('dialog[open]')")
    assert page.evaluate("(opener) => document.activeElement.matches(opener)", back), page.evaluate("document.activeElement.outerHTML.slice(0, 200)")
