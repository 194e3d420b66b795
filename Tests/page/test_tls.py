"""The page at another address than this machine's usual one: encrypted, and with a password. Over real sockets, at 127.0.0.2, which is
another address to the server and still on this machine."""
import json, os, shutil, socket, ssl, subprocess, time, urllib.error, urllib.request
import pytest
from conftest import SERVE

ADDRESS, PASSWORD = "127.0.0.2", "correct horse battery"


def free_port():
    with socket.socket() as one:
        one.bind((ADDRESS, 0))
        return one.getsockname()[1]


def certify(folder, name, *kind):
    certificate, key = folder / f"{name}.pem", folder / f"{name}.key"
    subprocess.run(
        ["openssl", "req", "-x509", *(kind or ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1")), "-nodes", "-days", "2", "-subj", "/CN=page",
         "-addext", f"subjectAltName=IP:{ADDRESS},DNS:camera.example", "-keyout", key, "-out", certificate], check=True, stderr=subprocess.DEVNULL)
    return certificate, key


@pytest.fixture(scope="module")
def papers(tmp_path_factory):
    if not shutil.which("openssl"):
        pytest.skip("openssl makes the certificate, and is not installed")
    folder = tmp_path_factory.mktemp("papers")
    certificate, key = certify(folder, "own")
    password = folder / "password"
    password.write_text(PASSWORD + "\n")
    password.chmod(0o600)
    return {"--certificate": certificate, "--key": key, "--password-file": password}


def words(papers, without=()):
    return [f"{option}={value}" for option, value in papers.items() if option not in without]


class Encrypted:
    def __init__(self, index, papers):
        self.port = free_port()
        self.base = f"https://{ADDRESS}:{self.port}"
        self.process = subprocess.Popen(
            [SERVE, "--index", str(index), "--address", ADDRESS, "--port", str(self.port), "--name", "camera.example", *words(papers)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().strip()
        self.context = ssl.create_default_context(cafile=papers["--certificate"])

    def ask(self, target, method="GET", body=None, **headers):
        request = urllib.request.Request(self.base + target, method=method, data=body, headers={name.replace("_", "-"): value for name, value in headers.items()})
        try:
            with urllib.request.urlopen(request, timeout=20, context=self.context) as answer:
                return answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.headers, error.read()

    def log_in(self, **given):
        return self.ask("/api/session", "POST", json.dumps(given).encode(), Origin=self.base, Content_Type="application/json")

    def stop(self):
        self.process.send_signal(2)
        return self.process.wait(timeout=20)


@pytest.fixture(scope="module")
def encrypted(index, papers):
    server = Encrypted(index, papers)
    yield server
    if server.process.poll() is None:
        server.stop()


def test_the_password_opens_it_and_no_other(encrypted):
    status, headers, _ = encrypted.ask("/api/sources")
    assert status == 401 and headers["Framegrep-Session"] == "password"
    for wrong in ("", "wrong", PASSWORD + "x", PASSWORD[:-1], PASSWORD.upper()):
        status, headers, body = encrypted.log_in(password=wrong)
        assert status == 403 and "Set-Cookie" not in headers, wrong
        assert PASSWORD not in body.decode()
    status, headers, _ = encrypted.log_in(password=PASSWORD)
    assert status == 204
    cookie = headers["Set-Cookie"]
    assert all(word in cookie for word in ("Secure", "HttpOnly", "SameSite=Strict", "Path=/"))
    status, _, body = encrypted.ask("/api/sources", Cookie=cookie.split(";")[0])
    assert status == 200 and len(body.splitlines()) == 4
    assert encrypted.ask("/api/sources", Cookie=cookie.split(";")[0][:-1] + "x")[0] == 401
    # From another site, and by a name that is not the page's.
    assert encrypted.ask("/api/session", "POST", b"{}", Origin="https://evil.example", Content_Type="application/json")[0] == 403
    assert encrypted.ask("/healthz", Host="evil.example")[0] == 421
    assert encrypted.ask("/healthz", Host=f"camera.example:{encrypted.port}")[0] == 200


def test_wrong_passwords_cost_time_and_lock_nobody_out(encrypted):
    began = time.monotonic()
    for _ in range(4):
        assert encrypted.log_in(password="not the password")[0] == 403
    assert time.monotonic() - began >= 2
    assert encrypted.log_in(password=PASSWORD)[0] == 204


def test_many_who_guess_do_not_keep_out_who_knows(encrypted):
    """Forty wrong ones wait for their answer; the right one is let in while they do."""
    body = json.dumps({"password": "not the password"})
    request = (f"POST /api/session HTTP/1.1\r\nHost: {ADDRESS}:{encrypted.port}\r\nOrigin: {encrypted.base}\r\nContent-Type: application/json\r\n"
               f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n{body}").encode()
    connections = []
    for _ in range(40):
        connection = encrypted.context.wrap_socket(socket.create_connection((ADDRESS, encrypted.port), timeout=60), server_hostname=ADDRESS)
        connection.sendall(request)
        connections.append(connection)
    try:
        assert encrypted.log_in(password=PASSWORD)[0] == 204
        # None of them is let in, and none is told that it should come back.
        assert all(connection.recv(1000).startswith(b"HTTP/1.1 403") for connection in connections)
    finally:
        for connection in connections:
            connection.close()


def test_browsers_are_told_to_ask_encrypted(encrypted):
    for target in ("/", "/api/sources", "/nothing"):
        assert encrypted.ask(target)[1]["Strict-Transport-Security"] == "max-age=2592000"


@pytest.mark.parametrize("kind", [(), ("-newkey", "rsa:2048")], ids=["ec", "rsa"])
def test_only_sound_suites_are_taken(papers, index, tmp_path, kind):
    """With TLS 1.2: keys of one connection (forward secrecy), and ciphers that authenticate; with either kind of certificate."""
    certificate, key = certify(tmp_path, "own", *kind)
    server = Encrypted(index, {**papers, "--certificate": certificate, "--key": key})
    def shake(suites):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        context.set_ciphers(suites)
        with socket.create_connection((ADDRESS, server.port), timeout=10) as connection:
            with context.wrap_socket(connection) as encrypted:
                return encrypted.cipher()[0]
    try:
        assert server.address
        for suites in ("ECDHE+AESGCM", "ECDHE+CHACHA20"):
            assert shake(suites).startswith("ECDHE")
        for suites in ("kRSA:@SECLEVEL=0", "AES128-SHA:AES256-SHA256:@SECLEVEL=0", "ECDHE+AES+SHA1:@SECLEVEL=0", "ECDHE+AES+SHA256:!AESGCM:@SECLEVEL=0", "AES128-GCM-SHA256"):
            with pytest.raises((ssl.SSLError, ConnectionError)):
                shake(suites)
    finally:
        server.stop()


def test_the_printed_key_opens_it_once(encrypted):
    assert encrypted.address.startswith("https://") and f":{encrypted.port}/#key=" in encrypted.address
    key = encrypted.address.partition("#key=")[2]
    assert encrypted.log_in(key=key)[0] == 204
    assert encrypted.log_in(key=key)[0] == 403


def test_what_is_not_encrypted_gets_nothing(encrypted):
    for text in (f"GET / HTTP/1.1\r\nHost: {ADDRESS}:{encrypted.port}\r\n\r\n", "NONSENSE\r\n\r\n", "\0" * 300):
        with socket.create_connection((ADDRESS, encrypted.port), timeout=10) as connection:
            connection.sendall(text.encode())
            data = b""
            try:
                while piece := connection.recv(65536):
                    data += piece
            except (ConnectionError, TimeoutError):
                pass
            assert b"HTTP/" not in data and b"html" not in data
    assert encrypted.ask("/healthz")[0] == 200


def test_a_handshake_that_does_not_come_is_not_waited_for(encrypted):
    with socket.create_connection((ADDRESS, encrypted.port), timeout=50) as connection:
        connection.sendall(b"\x16\x03\x01")
        # Sixty seconds after the last byte it would be closed anyway.
        try:
            assert connection.recv(100) == b""
        except ConnectionError:
            pass
    assert encrypted.ask("/healthz")[0] == 200


def test_old_encryption_is_refused(encrypted):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1
        context.set_ciphers("ALL:@SECLEVEL=0")
    except (ValueError, ssl.SSLError):
        pytest.skip("this Python speaks no old encryption")
    with socket.create_connection((ADDRESS, encrypted.port), timeout=10) as connection, pytest.raises((ssl.SSLError, ConnectionError)):
        context.wrap_socket(connection)
    assert encrypted.ask("/healthz")[0] == 200


def test_who_does_not_know_the_certificate_is_warned(encrypted):
    with pytest.raises(urllib.error.URLError, match="certificate verify failed"):
        urllib.request.urlopen(encrypted.base, timeout=10)


def test_only_that_address_is_listened_to(encrypted):
    listening = subprocess.run(["ss", "-Hltn"], stdout=subprocess.PIPE, text=True, check=True).stdout
    own = [line.split()[3] for line in listening.splitlines() if line.split()[3].endswith(f":{encrypted.port}")]
    assert own == [f"{ADDRESS}:{encrypted.port}"]


def test_what_is_missing_is_refused(papers, index, tmp_path):
    def refusal(*options):
        done = subprocess.run([SERVE, "--index", str(index), *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
        assert done.returncode == 2 and not done.stdout
        assert done.stderr.startswith("framegrep: ") and done.stderr.count("\n") == 1 and PASSWORD not in done.stderr
        return done.stderr
    there = ["--address", ADDRESS, "--port", str(free_port())]
    for without in (("--password-file",), ("--certificate", "--key"), tuple(papers)):
        assert "only encrypted and with a password" in refusal(*there, *words(papers, without))
    assert "belong together" in refusal(*there, *words(papers, ["--key"]))
    assert "--port" in refusal("--address", ADDRESS, "--port", "0", *words(papers))
    open_file, short = tmp_path / "open", tmp_path / "short"
    for file, text, mode in ((open_file, PASSWORD, 0o644), (short, "short", 0o600)):
        file.write_text(text)
        file.chmod(mode)
    assert "chmod 600" in refusal(*there, *words({**papers, "--password-file": open_file}))
    assert "fewer than 12" in refusal(*there, *words({**papers, "--password-file": short}))
    assert "No such file" in refusal(*there, *words({**papers, "--password-file": tmp_path / "none"}))
    _, other = certify(tmp_path, "other")
    assert "not a certificate and its key" in refusal(*there, *words({**papers, "--key": other}))
    assert "not a certificate and its key" in refusal(*there, *words({**papers, "--certificate": tmp_path / "none"}))


def test_an_address_that_is_not_this_machines_is_said(papers, index):
    for address in ("192.0.2.1", "no.such.host.invalid"):
        done = subprocess.run(
            [SERVE, "--index", str(index), "--address", address, "--port", str(free_port()), *words(papers)], stderr=subprocess.PIPE, text=True, timeout=60)
        assert done.returncode == 2 and done.stderr.startswith(f"framegrep: The page cannot be served at {address}, port ") and done.stderr.count("\n") == 1


def test_the_password_is_asked_for_on_the_page(browser, encrypted):
    context = browser.new_context(ignore_https_errors=True)
    page = context.new_page()
    page.goto(encrypted.base)
    page.wait_for_selector("#password")
    page.fill("#password", "guess of somebody")
    page.keyboard.press("Enter")
    page.get_by_text("This is not the password").wait_for()
    page.fill("#password", PASSWORD)
    page.keyboard.press("Enter")
    page.get_by_text("4 recordings").wait_for()
    page.fill("#words", "EXIT")
    page.wait_for_selector("body[data-state=found]")
    # What plays, and what live pictures need, is there too.
    page.locator("li.sighting button").first.click()
    page.wait_for_selector("body.playing")
    assert page.evaluate("isSecureContext && typeof VideoDecoder === 'function'")
    assert PASSWORD not in page.content()
    context.close()
