"""An HTTP server of one folder for measurements: answers ranges as object stores do, and counts what it sends.

    with RangeServer(folder, user="name", password="word") as server:      # or keys=(access key, secret key), as a store that speaks S3 asks
        ... server.url("clip.mp4") ...
        server.sent()      # bytes of bodies that were handed to the connections since the last question

Beyond what a client took this counts what lies in the buffers of the connection, so that no byte that crossed the network is left out.
"""
import base64, datetime, hashlib, hmac, http.server, os, re, socket, threading, urllib.parse, sys


def signature_holds(method, target, host, keys):
    """Whether a request is signed in its query by who has these keys, and not too old (AWS Signature Version 4)."""
    path, _, query = target.partition("?")
    fields = urllib.parse.parse_qsl(query, keep_blank_values=True)
    known = dict(fields)
    try:
        access, day, region, service, end = known["X-Amz-Credential"].split("/")
        stamp, lasts, told = known["X-Amz-Date"], int(known["X-Amz-Expires"]), known["X-Amz-Signature"]
    except (KeyError, ValueError):
        return False
    begun = datetime.datetime.strptime(stamp, "%Y%m%dT%H%M%SZ").replace(tzinfo=datetime.timezone.utc)
    age = (datetime.datetime.now(datetime.timezone.utc) - begun).total_seconds()
    if access != keys[0] or end != "aws4_request" or known.get("X-Amz-SignedHeaders") != "host" or not -60 < age < lasts <= 604800: return False
    signed = sorted((urllib.parse.quote(name, safe=""), urllib.parse.quote(value, safe="")) for name, value in fields if name != "X-Amz-Signature")
    place = urllib.parse.quote(urllib.parse.unquote(path), safe="/")
    request = "\n".join([method, place, "&".join(map("=".join, signed)), "host:" + host, "", "host", "UNSIGNED-PAYLOAD"])
    text = "\n".join(["AWS4-HMAC-SHA256", stamp, f"{day}/{region}/{service}/{end}", hashlib.sha256(request.encode()).hexdigest()])
    key = ("AWS4" + keys[1]).encode()
    for piece in [day, region, service, end]: key = hmac.new(key, piece.encode(), hashlib.sha256).digest()
    return hmac.compare_digest(hmac.new(key, text.encode(), hashlib.sha256).hexdigest(), told)


class QuietServer(http.server.ThreadingHTTPServer):
    """Says nothing of who hangs up, which is how a reader ends that has enough."""

    def handle_error(self, request, address):
        if not isinstance(sys.exc_info()[1], ConnectionError): super().handle_error(request, address)


class RangeServer:
    def __init__(self, folder, user=None, password=None, keys=None):
        self.folder, self.expected, self.keys = folder, None, keys
        if user: self.expected = "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()
        self.lock, self.count, self.requests = threading.Lock(), 0, []
        self.server = QuietServer(("127.0.0.1", 0), self.handler())
        self.server.daemon_threads = True
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def url(self, name):
        return f"http://127.0.0.1:{self.server.server_address[1]}/{name}"

    def sent(self):
        """Bytes and requests since this was asked before."""
        with self.lock:
            result = self.count, self.requests
            self.count, self.requests = 0, []
        return result

    def handler(outer):
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_): pass

            def do_HEAD(self): self.answer(False)
            def do_GET(self): self.answer(True)

            def answer(self, with_body):
                if outer.expected and self.headers.get("Authorization") != outer.expected:
                    self.send_response(401)
                    self.send_header("WWW-Authenticate", 'Basic realm="archive"')
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                    return
                if outer.keys and not signature_holds(self.command, self.path, self.headers.get("Host", ""), outer.keys):
                    self.send_error(403)
                    return
                path = os.path.join(outer.folder, os.path.basename(urllib.parse.unquote(self.path.split("?")[0])))
                if not os.path.isfile(path):
                    self.send_error(404)
                    return
                size = os.path.getsize(path)
                first, last, status = 0, size - 1, 200
                asked = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
                if asked:
                    first, status = int(asked[1]), 206
                    if asked[2]: last = min(last, int(asked[2]))
                    if first >= size:
                        self.send_response(416)
                        self.send_header("Content-Range", f"bytes */{size}")
                        self.send_header("Content-Length", "0")
                        self.end_headers()
                        return
                with outer.lock: outer.requests.append((self.command, first, last))
                self.send_response(status)
                self.send_header("Accept-Ranges", "bytes")
                self.send_header("Content-Type", "application/octet-stream")
                self.send_header("Content-Length", str(last - first + 1))
                if status == 206: self.send_header("Content-Range", f"bytes {first}-{last}/{size}")
                self.end_headers()
                if not with_body: return
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 65536)
                try:
                    with open(path, "rb") as file:
                        file.seek(first)
                        left = last - first + 1
                        while left > 0:
                            piece = file.read(min(16384, left))
                            if not piece: break
                            self.connection.sendall(piece)
                            with outer.lock: outer.count += len(piece)
                            left -= len(piece)
                except OSError:
                    # The client has enough.
                    self.close_connection = True

        return Handler
