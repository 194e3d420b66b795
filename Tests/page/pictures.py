"""The pictures of the page in docs/images, of rendered clips; scripts/pictures page says how."""
import argparse, pathlib, shutil, tempfile, time
from PIL import Image
from playwright.sync_api import sync_playwright
from conftest import FRAMEGREP, RENDER, Server, admit, ffmpeg, run

SIZES = [(360, 740), (768, 1024), (1280, 720), (2560, 1300)]
# Clips as cameras, and what is watched for.
CAMERAS, WORDS = ["demo", "static-cuts", "dark-on-light", "covered"], ["LED", "FRAMEGREP", "INVOICE", "MUSEUM"]


def save(page, path):
    page.screenshot(path=path)
    # As small as the pages of a document want it.
    Image.open(path).convert("RGB").quantize(256, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE).save(path, optimize=True)


def wait(page, expression, seconds):
    end = time.monotonic() + seconds
    while not page.evaluate(f"Boolean({expression})"):
        if time.monotonic() > end:
            raise SystemExit(f"pictures page: {expression} is never so.")
        page.wait_for_timeout(100)


def open_page(browser, server, size, scheme):
    context = browser.new_context(viewport={"width": size[0], "height": size[1]}, color_scheme=scheme)
    admit(context, server)
    return context.new_page()


def live(browser, clips, index, size, scheme, path):
    """What the cameras see at a moment at which something was found in each."""
    words = [f"--watch={word}" for word in WORDS]
    server = Server(index, options=["--program", FRAMEGREP, *words, *(str(clips / f"{name}-camera.mp4") for name in CAMERAS)])
    try:
        server.open_session()
        page = open_page(browser, server, size, scheme)
        page.goto(f"{server.base}/?view=live")
        tiles = "[...document.querySelectorAll('.tile')]"
        wait(page, f"{tiles}.length === {len(CAMERAS)} && {tiles}.every((each) => each.dataset.boxes > 0)", 150)
        save(page, path)
        page.context.close()
    finally:
        server.stop()


def found(browser, clips, index, size, scheme, path):
    server = Server(index)
    try:
        server.open_session()
        page = open_page(browser, server, size, scheme)
        page.goto(f"{server.base}/?q=EXIT&q=FUSES")
        page.wait_for_selector("body[data-state=found]")
        wait(page, "[...document.querySelectorAll('.thumb img')].every((each) => each.complete && each.naturalWidth > 100)", 60)
        page.locator("li.sighting button").first.click()
        wait(page, "document.getElementById('boxes').dataset.boxes > 0", 60)
        page.keyboard.press(" ")
        page.wait_for_timeout(500)
        save(page, path)
        page.context.close()
    finally:
        server.stop()


def main():
    parser = argparse.ArgumentParser(prog="scripts/pictures page")
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent.parent / "docs/images")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--only", choices=["live", "found"])
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    kinds = {"live": live, "found": found}
    with tempfile.TemporaryDirectory(prefix="framegrep-pictures-") as folder, sync_playwright() as playwright:
        folder = pathlib.Path(folder)
        run(RENDER, "clips", *CAMERAS, "--output", str(folder))
        for name in CAMERAS:
            # Long enough for a machine that does other things as well.
            ffmpeg("-stream_loop", 20, "-i", folder / f"{name}.mp4", "-c", "copy", folder / f"{name}-camera.mp4")
        run(FRAMEGREP, "index", "--index", str(folder / "index"), *(str(folder / f"{name}.mp4") for name in CAMERAS))
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for kind, make in kinds.items():
            if options.only not in (None, kind):
                continue
            if not options.all:
                make(browser, folder, folder / "index", (1280, 720), "light", options.output / ("page-live.png" if kind == "live" else "page.png"))
                continue
            for size in SIZES:
                for scheme in ("light", "dark"):
                    make(browser, folder, folder / "index", size, scheme, options.output / f"{kind}-{size[0]}-{scheme}.png")
        browser.close()


if __name__ == "__main__":
    main()
