"""Saying what to search for: Chromium uses a recording instead of the microphone."""
import os, pathlib, re, shutil, subprocess
import pytest
from conftest import FRAMEGREP, Server, admit
from playwright.sync_api import expect

VOICE = pathlib.Path(os.environ.get("FRAMEGREP_HOME") or pathlib.Path.home() / ".local/share/framegrep", "voice")


@pytest.fixture(scope="module")
def listening(index):
    server = Server(index, options=["--voice", str(VOICE), "--program", FRAMEGREP])
    server.open_session()
    yield server
    server.stop()


def page_that_hears(playwright, server, sound, **options):
    """A page whose microphone hears a sound file over and over."""
    browser = playwright.chromium.launch(
        executable_path=shutil.which("chromium"),
        args=["--no-sandbox", "--use-fake-device-for-media-stream", f"--use-file-for-fake-audio-capture={sound}"])
    context = browser.new_context(viewport={"width": 1280, "height": 800}, **options)
    admit(context, server)
    page = context.new_page()
    problems = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda message: problems.append(message.text) if "Content Security Policy" in message.text else None)
    page.goto(server.base)
    page.wait_for_selector("#message h2")
    return browser, page, problems


@pytest.mark.skipif(not (VOICE / "libonnxruntime.so.1").exists(), reason="'framegrep setup --voice' was not run")
@pytest.mark.skipif(not shutil.which("espeak-ng") or not shutil.which("sox"), reason="no espeak-ng or no sox")
def test_a_word_that_is_said_is_searched(playwright, listening, tmp_path):
    subprocess.run(["espeak-ng", "-w", tmp_path / "plain.wav", "cable ties"], check=True)
    subprocess.run(["sox", tmp_path / "plain.wav", "-r", "48000", tmp_path / "said.wav", "pad", "1", "3"], check=True)
    browser, page, problems = page_that_hears(playwright, listening, tmp_path / "said.wav", permissions=["microphone"])
    page.keyboard.press("Escape")
    page.locator("body").press("v")
    expect(page.locator("#words")).to_have_value(re.compile("ties", re.I), timeout=60_000)
    page.wait_for_selector("li.sighting")
    assert "Heard" in page.inner_text("#voice-status")
    # The microphone is let go.
    assert page.get_attribute("#say", "aria-pressed") == "false"
    page.screenshot(path=os.environ.get("PAGE_PICTURES", str(tmp_path)) + "/voice.png")
    assert not problems
    browser.close()


def test_escape_lets_the_microphone_go_and_silence_is_no_search(playwright, listening, tmp_path):
    subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "anullsrc=r=48000:cl=mono", "-t", "3", tmp_path / "silence.wav"], check=True)
    browser, page, problems = page_that_hears(playwright, listening, tmp_path / "silence.wav", permissions=["microphone"])
    page.click("#say")
    expect(page.locator("#voice-status")).to_contain_text("Listening", timeout=20_000)
    page.wait_for_timeout(1500)
    assert page.input_value("#words") == ""
    page.keyboard.press("Escape")
    assert page.get_attribute("#say", "aria-pressed") == "false" and page.is_hidden("#voice")
    assert not problems
    browser.close()


def test_a_browser_that_does_not_allow_it_says_so(playwright, listening, tmp_path):
    subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "anullsrc=r=48000:cl=mono", "-t", "3", tmp_path / "silence.wav"], check=True)
    browser, page, problems = page_that_hears(playwright, listening, tmp_path / "silence.wav", permissions=[])
    page.click("#say")
    expect(page.locator("#voice-status")).to_contain_text("does not let the page listen", timeout=20_000)
    assert page.get_attribute("#say", "aria-pressed") == "false"
    browser.close()


def test_a_page_without_tls_says_why_it_cannot_listen(playwright, listening, tmp_path):
    browser, page, _ = page_that_hears(playwright, listening, tmp_path / "none.wav")
    # As in a page that is reached by a name of another machine.
    page.evaluate("Object.defineProperty(navigator, 'mediaDevices', {value: undefined})")
    page.click("#say")
    assert "localhost" in page.inner_text("#voice-status") and "TLS" in page.inner_text("#voice-status")
    browser.close()


def test_a_page_without_a_recognizer_says_how_to_get_it(server):
    status, _, body = server.ask(
        "/api/voice", "POST", {"Origin": server.base, "Content-Type": "application/octet-stream"}, bytes(32_000))
    assert status == 503 and b"framegrep setup --voice" in body
