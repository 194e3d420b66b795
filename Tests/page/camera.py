"""A camera for the tests: pictures without end over HTTP (multipart/x-mixed-replace), as many network cameras send them.

A word goes to and fro; the number of each picture stands in it as bars at the top, so that whoever sees a picture knows where the word is
in it."""
import http.server, io, math, threading, time
from PIL import Image, ImageDraw, ImageFont

WIDTH, HEIGHT, RATE, COUNT, BITS = 640, 360, 15, 240, 8
BACKGROUND = (226, 228, 232)
FONT = "/usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf"


def place(number, word="EXIT"):
    """The bounds of the word in a picture."""
    x = 120 + 110 * (1 + math.sin(2 * math.pi * number / COUNT))
    left, top, right, bottom = ImageFont.truetype(FONT, 48).getbbox(word)
    return x + left, 170 + top, x + right, 170 + bottom


def draw(number, word):
    picture = Image.new("RGB", (WIDTH, HEIGHT), BACKGROUND)
    canvas = ImageDraw.Draw(picture)
    for bit in range(BITS):
        color = "black" if number >> bit & 1 else "white"
        canvas.rectangle((bit * 80, 0, bit * 80 + 79, 39), fill=color)
    canvas.text((120 + 110 * (1 + math.sin(2 * math.pi * number / COUNT)), 170), word, fill=(10, 40, 120), font=ImageFont.truetype(FONT, 48))
    file = io.BytesIO()
    picture.save(file, "JPEG", quality=85)
    return file.getvalue()


def number_in(picture):
    """Which picture it is, from its bars; any size of it."""
    picture = picture.convert("L")
    width, height = picture.size
    return sum((picture.getpixel((int((bit + 0.5) * width / BITS), int(height * 20 / HEIGHT))) < 128) << bit for bit in range(BITS))


class Camera:
    """Serves pictures at an address of its own; can be switched off and on again."""

    def __init__(self, word="EXIT", password=None, pictures=None):
        self.pictures = pictures or [draw(number, word) for number in range(COUNT)]
        self.password = password
        self.port = 0
        self.on()

    def on(self):
        camera = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                if camera.password and not self.headers.get("Authorization"):
                    self.send_response(401)
                    self.send_header("WWW-Authenticate", 'Basic realm="camera"')
                    self.send_header("Content-Length", "0")
                    return self.end_headers()
                self.send_response(200)
                self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=next")
                self.send_header("Connection", "close")
                self.end_headers()
                try:
                    while camera.server is self.server:
                        # The clock says which picture it is, whoever asks.
                        picture = camera.pictures[int(time.time() * RATE) % COUNT]
                        self.wfile.write(b"--next\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n" % len(picture) + picture + b"\r\n")
                        time.sleep(1 / RATE - time.time() % (1 / RATE))
                except OSError:
                    pass
                return None

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True).start()

    def off(self):
        server, self.server = self.server, None
        server.shutdown()
        server.server_close()

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}/camera"
