"""What scripts/bench page measures; it says how."""
import argparse, http.client, io, json, os, pathlib, shutil, statistics, subprocess, tempfile, threading, time, urllib.parse
from PIL import Image, ImageDraw, ImageFont
from playwright.sync_api import sync_playwright
from camera import BACKGROUND, FONT, HEIGHT, WIDTH, Camera
from conftest import FRAMEGREP, RENDER, Server, admit

root = pathlib.Path(__file__).resolve().parent.parent.parent
PARTS = ["weight", "search", "load", "latency", "tabs", "hour"]
CLOCK_BITS = 16


def say(text):
    print(text, flush=True)


def at(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * share))]


def spread(values, unit="ms"):
    return f"median {at(values, 0.5):.0f} {unit}, 95 % within {at(values, 0.95):.0f}, slowest {max(values):.0f}"


def load():
    return f"load {os.getloadavg()[0]:.0f}"


class ClockCamera(Camera):
    """Its pictures hold the millisecond at which they were taken, as bars at the top."""

    class Pictures:
        def __init__(self, word):
            self.base = Image.new("RGB", (WIDTH, HEIGHT), BACKGROUND)
            ImageDraw.Draw(self.base).text((120, 170), word, fill=(10, 40, 120), font=ImageFont.truetype(FONT, 48))

        def __getitem__(self, _):
            picture, now = self.base.copy(), int(time.time() * 1000)
            canvas, wide = ImageDraw.Draw(picture), WIDTH // CLOCK_BITS
            for bit in range(CLOCK_BITS):
                canvas.rectangle((bit * wide, 0, bit * wide + wide - 1, 39), fill="black" if now >> bit & 1 else "white")
            file = io.BytesIO()
            picture.save(file, "JPEG", quality=85)
            return file.getvalue()

    def __init__(self, word="EXIT"):
        super().__init__(word, pictures=self.Pictures(word))


# For each frame that is drawn: how long ago it was taken, by the clock in it.
CLOCK = """
    window.late = [];
    const kind = CanvasRenderingContext2D.prototype, was = kind.drawImage;
    kind.drawImage = function (...given) {
        was.apply(this, given);
        if (!this.canvas.classList.contains('picture')) return;
        const now = Math.round(performance.timeOrigin + performance.now()) & 0xFFFF, { width, height } = this.canvas;
        const row = this.getImageData(0, Math.round(height * 20 / 360), width, 1).data;
        let taken = 0;
        for (let bit = 0; bit < 16; bit += 1) if (row[Math.round((bit + 0.5) * width / 16) * 4] < 128) taken |= 1 << bit;
        window.late.push((now - taken) & 0xFFFF);
    };
"""


class Bench:
    def __init__(self, options, browser, folder):
        self.options, self.browser, self.folder = options, browser, folder

    def context(self, server):
        context = self.browser.new_context(viewport={"width": 1280, "height": 800})
        admit(context, server)
        return context

    def serve(self, index, cameras=(), *options):
        words = ["--program", FRAMEGREP, "--watch", "EXIT", *options] if cameras else []
        server = Server(index, options=[*words, *(camera.address for camera in cameras)])
        server.open_session()
        return server

    def large_index(self):
        """An index of many made-up lines, and words that are in it."""
        folder = pathlib.Path(self.options.index or self.folder / "large")
        words = self.folder / "words"
        listed = subprocess.run(["git", "ls-files", "Sources/*.swift"], stdout=subprocess.PIPE, text=True, check=True, cwd=root).stdout.split()
        words.write_text("\n".join((root / path).read_text() for path in ["README.md", *sorted(map(str, root.glob("docs/*.md"))), *listed]))
        report = self.folder / "report"
        program = pathlib.Path(FRAMEGREP).with_name("measure-index")
        subprocess.run([program, "--words", words, "--folder", folder, "--lines", str(self.options.lines), "--queries", "80", "--report", report],
                       check=True, stdout=subprocess.DEVNULL)
        return folder, [line.split("\t")[0] for line in report.read_text().splitlines()]

    # MARK: What is measured

    def weight(self):
        server = self.serve(self.folder / "none")
        try:
            context = self.context(server)
            page = context.new_page()
            page.goto(server.base, wait_until="networkidle")
            files = page.evaluate("performance.getEntries().filter((each) => each.transferSize && !each.name.includes('/api/')).map((each) => [each.name, each.transferSize])")
            context.close()
            say(f"weight: {sum(size for _, size in files) / 1000:.1f} kB in {len(files)} files, with the heads of HTTP")
        finally:
            server.stop()

    def search(self):
        index, words = self.large_index()
        server = self.serve(index)
        try:
            first, whole, shown, counts = [], [], [], []
            server.ask("/api/search?q=warm")
            for word in words:
                began = time.monotonic()
                connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=70)
                connection.request("GET", f"/api/search?q={urllib.parse.quote(word)}&limit=600&soon=1", headers={"Cookie": server.cookie})
                answer = connection.getresponse()
                answer.readline()
                first.append(1000 * (time.monotonic() - began))
                counts.append(answer.read().count(b"\n"))
                whole.append(1000 * (time.monotonic() - began))
                connection.close()
            server.stop()
            server = self.serve(index)
            server.ask("/api/search?q=warm")
            context = self.context(server)
            page = context.new_page()
            page.goto(server.base)
            page.wait_for_selector("body[data-state=begin]")
            for word in words:
                shown.append(page.evaluate("""async (word) => {
                    const began = performance.now(), field = document.getElementById('words');
                    field.value = word;
                    document.getElementById('search').requestSubmit();
                    const old = document.querySelector('li.sighting');
                    for (;;) {
                        await new Promise(requestAnimationFrame);
                        const now = document.querySelector('li.sighting'), state = document.body.dataset.state;
                        if (now && now !== old || state === 'nothing') return performance.now() - began;
                    }
                }""", word))
            context.close()
            say(f"search of {self.options.lines} lines for {len(words)} words ({load()}): first line {spread(first)}; all {spread(whole)}; first result on the page {spread(shown)}")
        finally:
            server.stop()

    def load(self):
        index, words = self.large_index()
        camera = ClockCamera()
        own = self.folder / "own"
        shutil.copytree(index, own)
        server = self.serve(own, [camera], "--remember")
        try:
            context = self.context(server)
            page = context.new_page()
            page.goto(f"{server.base}/?view=live")
            self.wait(page, 1)
            before, times, failures, end = self.metrics(server, "lost")[0], [], [], time.monotonic() + 60
            def ask():
                number = 0
                while time.monotonic() < end:
                    began, number = time.monotonic(), number + 1
                    status, _, _ = server.ask(f"/api/search?q={urllib.parse.quote(words[number % len(words)])}&limit=100&min-score=0.3{number % 90 + 10}")
                    (times if status == 200 else failures).append(1000 * (time.monotonic() - began))
            threads = [threading.Thread(target=ask) for _ in range(8)]
            for thread in threads:
                thread.start()
            rates = []
            while time.monotonic() < end:
                page.wait_for_timeout(1000)
                rates += self.metrics(server, "frames_per_second")
            for thread in threads:
                thread.join()
            context.close()
            say(f"search load of 8 at once for 60 s beside a live job ({load()}): {len(times)} answers, {spread(times)}, {len(failures)} refused; "
                f"frames lost by the job: {self.metrics(server, 'lost')[0] - before:.0f}; frames a second that came: median {statistics.median(rates):.1f}")
        finally:
            server.stop()
            camera.off()

    def latency(self):
        camera = ClockCamera()
        for codec in ("h264", "jpeg"):
            server = self.serve(self.folder / f"latency-{codec}", [camera])
            try:
                context = self.context(server)
                page = context.new_page()
                page.add_init_script(CLOCK)
                page.goto(f"{server.base}/?view=live&codec={codec}")
                self.wait(page, 1)
                page.wait_for_timeout(3000)
                page.evaluate("late.length = 0")
                page.wait_for_timeout(20000)
                late = page.evaluate("late")
                context.close()
                say(f"from the camera's shutter to the canvas, {codec} ({load()}): {spread(late)} ({len(late)} frames)")
            finally:
                server.stop()
        camera.off()

    def tabs(self):
        cameras = [ClockCamera(word) for word in ("EXIT", "GATE", "DOOR", "LIFT")]
        server = self.serve(self.folder / "tabs", cameras, *(f"--watch={word}" for word in ("GATE", "DOOR", "LIFT")))
        try:
            context = self.context(server)
            pages = [context.new_page() for _ in range(20)]
            for page in pages:
                page.goto(f"{server.base}/?view=live", wait_until="commit")
            self.wait(pages[0], 4)
            before, rates = self.metrics(server, "lost"), []
            for _ in range(30):
                pages[0].wait_for_timeout(1000)
                rates += self.metrics(server, "frames_per_second")
            lost = [after - was for was, after in zip(before, self.metrics(server, "lost"))]
            say(f"20 tabs and 4 cameras for 30 s ({load()}): frames lost by the jobs {[int(each) for each in lost]}; frames a second that came: median "
                f"{statistics.median(rates):.1f}; server {server.memory():.0f} MiB")
            context.close()
        finally:
            server.stop()
            for camera in cameras:
                camera.off()

    def hour(self):
        subprocess.run([RENDER, "demo", "--output", self.folder], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([FRAMEGREP, "index", "--index", self.folder / "hour", self.folder / "demo.mp4"], check=True, stderr=subprocess.DEVNULL)
        cameras = [ClockCamera(), ClockCamera()]
        server = self.serve(self.folder / "hour", cameras, "--remember")
        try:
            context = self.context(server)
            page = context.new_page()
            page.add_init_script(CLOCK)
            page.goto(f"{server.base}/?view=live")
            self.wait(page, 2)
            for minute in range(self.options.minutes + 1):
                page.evaluate("late.length = 0")
                page.wait_for_timeout(60000 if minute else 10000)
                jobs = " ".join(f"{self.memory(child):.0f}" for child in server.children())
                say(f"minute {minute}: server {server.memory():.1f} MiB, jobs {jobs}; shutter to canvas {spread(page.evaluate('late'))}; lost {self.metrics(server, 'lost')} ({load()})")
            context.close()
        finally:
            server.stop()
            for camera in cameras:
                camera.off()

    # MARK: Parts

    @staticmethod
    def memory(process):
        status = pathlib.Path(f"/proc/{process}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) / 1024

    @staticmethod
    def metrics(server, name):
        """For each camera."""
        text = server.ask("/metrics")[2].decode()
        return [float(line.split()[-1]) for line in text.splitlines() if line.startswith(f"framegrep_live_{name}{{")]

    @staticmethod
    def wait(page, count):
        end = time.monotonic() + 300
        ready = f"[...document.querySelectorAll('.tile')].filter((each) => each.dataset.frames > 10 && each.dataset.boxes > 0).length === {count}"
        while not page.evaluate(ready):
            if time.monotonic() > end:
                raise SystemExit("bench page: no pictures come.")
            page.wait_for_timeout(200)


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench page")
    parser.add_argument("--minutes", type=int, default=0)
    parser.add_argument("--only", choices=PARTS)
    parser.add_argument("--index")
    parser.add_argument("--lines", type=int, default=1_000_000)
    options = parser.parse_args()
    parts = [options.only] if options.only else [part for part in PARTS if part != "hour" or options.minutes]
    with tempfile.TemporaryDirectory(prefix="framegrep-page-") as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        bench = Bench(options, browser, pathlib.Path(folder))
        for part in parts:
            getattr(bench, part)()
        browser.close()


if __name__ == "__main__":
    main()
