import Foundation
import TestSupport
import Testing

/// Where sources may lead: lists and redirections from a malicious server, all on the loopback interface.
@Suite(.serialized, .timeLimit(.minutes(5))) struct SourceGuardTests {
    private let find = ["find", "--engine", "tesseract", "--language", "eng", "BUBBLES"]
    private let server: PageServer
    private let folder: TemporaryFolder
    /// A segment of a stream with the word in it: on the server, and in a private file.
    private let piece: Data

    init() async throws {
        var clip = KnownClip.cuts
        clip.encoding = "x264enc bframes=0 speed-preset=veryfast key-int-max=25 ! mpegtsmux"
        piece = try Data(contentsOf: URL(fileURLWithPath: try await ClipCache.shared.path("piece.ts", clip)))
        server = try PageServer()
        folder = try TemporaryFolder()
        server.put(.data(piece, type: "video/mp2t"), at: "/piece.ts")
    }

    private func list(_ addresses: String...) -> String {
        "#EXT-X-TARGETDURATION:4\n#EXT-X-MEDIA-SEQUENCE:0\n"
            + addresses.map { "#EXTINF:3.0,\n\($0)" }.joined(separator: "\n") + "\n#EXT-X-ENDLIST"
    }

    /// Runs it and checks that nothing was found, and the reason.
    private func refused(
        _ arguments: [String], mentions words: String..., sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let outcome = try await Framegrep.run(arguments, timeout: 60)
        #expect(
            outcome.status == 2 && outcome.stdout == "" && !outcome.timedOut, "\(outcome)",
            sourceLocation: sourceLocation)
        for word in words {
            #expect(outcome.stderr.contains(word), "\(outcome.stderr)", sourceLocation: sourceLocation)
        }
        #expect(
            outcome.lines.isEmpty && outcome.stderr.split(separator: "\n").count == 1, "\(outcome.stderr)",
            sourceLocation: sourceLocation)
    }

    private func found(_ arguments: [String], sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let outcome = try await Framegrep.run(arguments, timeout: 60)
        #expect(outcome.status == 0 && outcome.stdout.contains("BUBBLES"), "\(outcome)", sourceLocation: sourceLocation)
    }

    @Test func aListOnTheNetworkLeadsToHTTP() async throws {
        server.put(list: list("piece.ts"), at: "/good.m3u8")
        try await found(find + [server.address("/good.m3u8")])
        server.put(.redirect("/good.m3u8"), at: "/moved.m3u8")
        try await found(find + [server.address("/moved.m3u8")])
    }

    @Test func aListOnTheNetworkDoesNotLeadToFiles() async throws {
        let secret = try folder.write(piece, to: "secret.ts")
        server.put(list: list("file://\(secret)"), at: "/list.m3u8")
        try await refused(find + [server.address("/list.m3u8")], mentions: "file://", "--allow file")
        try await refused(
            ["live", "--headless"] + find.dropFirst() + [server.address("/list.m3u8"), "--reconnect", "never"],
            mentions: "--allow file")
        // The list of lists, and a list inside of it that is a file.
        let inner = try folder.write("#EXTM3U\n" + list(server.address("/piece.ts")), to: "inner.m3u8")
        server.put(list: "#EXT-X-STREAM-INF:BANDWIDTH=100000\nfile://\(inner)", at: "/master.m3u8")
        try await refused(find + [server.address("/master.m3u8")], mentions: "--allow file")
        #expect(!server.asked.contains("/piece.ts"))
        try await found(find + [server.address("/list.m3u8"), "--allow", "file"])
    }

    @Test func aListOnTheNetworkLeadsToNoOtherKindOfAddress() async throws {
        let addresses = [
            "udp://127.0.0.1:5004", "fd://0", "appsrc://", "dvd://", "tcp://127.0.0.1:1", "rtsp://127.0.0.1:1/x",
        ]
        var paths: [String] = []
        for (number, address) in addresses.enumerated() {
            paths += ["/list\(number).m3u8", "/master\(number).m3u8"]
            server.put(list: list(address), at: "/list\(number).m3u8")
            server.put(list: "#EXT-X-STREAM-INF:BANDWIDTH=100000\n\(address)", at: "/master\(number).m3u8")
        }
        try await sideBySide(paths, width: 6) { path in
            let outcome = try await Framegrep.run(find + [server.address(path)], timeout: 60)
            #expect(outcome.status == 2 && outcome.stdout == "" && !outcome.timedOut, "\(outcome)")
        }
    }

    @Test func aDASHListOnTheNetworkDoesNotLeadToFiles() async throws {
        let secret = try folder.write(piece, to: "secret.ts")
        let text = """
            <?xml version="1.0"?>
            <MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT3S" profiles="urn:mpeg:dash:profile:mp2t-simple:2011" minBufferTime="PT1S">
            <Period duration="PT3S"><AdaptationSet mimeType="video/mp2t" segmentAlignment="true"><Representation id="1" bandwidth="100000" width="640" height="360">
            <BaseURL>file://\(secret)</BaseURL><SegmentList duration="3"><SegmentURL media="file://\(secret)"/></SegmentList>
            </Representation></AdaptationSet></Period></MPD>
            <!-- \(String(repeating: "long enough for GStreamer to know it by its beginning ", count: 100)) -->
            """
        server.put(.data(Data(text.utf8), type: "application/dash+xml"), at: "/list.mpd")
        let outcome = try await Framegrep.run(find + [server.address("/list.mpd")], timeout: 60)
        #expect(outcome.status == 2 && outcome.stdout == "" && !outcome.timedOut, "\(outcome)")
        #expect(outcome.stderr.contains("--allow file"), "\(outcome.stderr)")
    }

    @Test func aFileThatIsAListLeadsToFilesOnly() async throws {
        _ = try folder.write(piece, to: "piece.ts")
        try await found(find + [try folder.write("#EXTM3U\n" + list("piece.ts"), to: "list.m3u8")])
        let path = try folder.write("#EXTM3U\n" + list(server.address("/piece.ts")), to: "video.mp4")
        try await refused(find + [path], mentions: "video.mp4", "--allow http")
        #expect(server.asked.isEmpty)
        try await found(find + [path, "--allow", "http", "--allow", "private"])
        // A file may not lead to the machine itself without permission either.
        let before = server.asked.count
        try await refused(find + [path, "--allow", "http"], mentions: "127.0.0.1", "--allow private")
        #expect(server.asked.count == before)
    }

    @Test func redirectionsDoNotLeadToFilesAndThePasswordStaysSecret() async throws {
        let secret = try folder.write(piece, to: "secret.ts")
        server.put(.redirect("file://\(secret)"), at: "/moved.ts")
        let address = server.address("/moved.ts").replacingOccurrences(of: "http://", with: "http://guard:hunter2@")
        let outcome = try await Framegrep.run(find + [address], timeout: 60)
        #expect(outcome.status == 2 && outcome.stdout == "" && !outcome.stderr.contains("hunter2"), "\(outcome)")
    }

    @Test(arguments: [
        "fd://0", "appsrc://", "udp://127.0.0.1:5004", "dvd:///x", "tcp://127.0.0.1:9", "rtmp://127.0.0.1/x",
        "srt://127.0.0.1:9", "cdda://1", "multifile:///tmp/%d.png", "nosuch://x", "FD://0", "data://x",
    ])
    func otherKindsOfAddressesAreRefused(address: String) async throws {
        let scheme = address.prefix { $0 != ":" }.lowercased()
        try await refused(find + [address], mentions: "--allow \(scheme)")
        try await refused(["live", "--headless"] + find.dropFirst() + [address], mentions: "--allow \(scheme)")
    }

    @Test func whatIsNoKindOfAddressCannotBeAllowed() async throws {
        for kind in ["a:b", "", "1x", "a b"] {
            let outcome = try await Framegrep.run(find + ["x.mp4", "--allow", kind])
            #expect(outcome.status == 2 && outcome.stderr.contains("--allow takes"), "\(outcome)")
        }
    }

    /// Runs a script with two more addresses on this machine: 10.1.2.3, inside a private network, and 203.0.113.5,
    /// which is reserved for documentation.
    private func inItsOwnNetwork(_ script: String) async throws -> Framegrep.Outcome {
        let addresses = "ip link set lo up; ip address add 203.0.113.5/32 dev lo; ip address add 10.1.2.3/32 dev lo\n"
        let unshare = try #require(Tool("unshare"))
        let running = try Running(
            unshare.path, ["-n", "bash", "-c", addresses + script, Framegrep.path], folder: folder.path)
        return await running.end(within: 120)
    }

    @Test(.enabled(if: getuid() == 0 && Tool.exists("unshare", "ip", "python3", "bash")))
    func whatIsOutsideDoesNotLeadInside() async throws {
        _ = try folder.write(piece, to: "piece.ts")
        for (name, host) in [("inside", "10.1.2.3"), ("name", "localhost"), ("outside", "203.0.113.5")] {
            _ = try folder.write("#EXTM3U\n" + list("http://\(host):8000/piece.ts"), to: "\(name).m3u8")
        }
        _ = try folder.write(Self.redirectingServer, to: "server.py")
        let script = """
            python3 server.py & server=$!
            for try in $(seq 100); do (exec 3<>/dev/tcp/127.0.0.1/8000) 2>/dev/null && break; sleep 0.1; done
            search() { "$@"; echo "status $?"; }
            for page in outside.m3u8 inside.m3u8 name.m3u8 'moved?http://10.1.2.3:8000/piece.ts' 'moved?http://203.0.113.5:8000/piece.ts'; do
                echo "page $page"; search "$0" \(find.joined(separator: " ")) "http://203.0.113.5:8000/$page" 2>&1
            done
            echo "page from inside"; search "$0" \(find.joined(separator: " ")) http://127.0.0.1:8000/inside.m3u8 2>&1
            echo "page allowed"; search "$0" \(find.joined(separator: " ")) http://203.0.113.5:8000/inside.m3u8 --allow private 2>&1
            # A test's program begins with most signals blocked, and so does what it starts.
            kill -KILL $server
            """
        let outcome = try await inItsOwnNetwork(script)
        let pages = outcome.stdout.components(separatedBy: "page ").dropFirst()
        #expect(pages.count == 7, "\(outcome)")
        for page in pages {
            let isInside = page.hasPrefix("inside") || page.hasPrefix("name") || page.hasPrefix("moved?http://10.")
            #expect(page.contains(isInside ? "status 2" : "status 0"), "\(page)")
            #expect(page.contains("--allow private") == isInside || page.hasPrefix("allowed"), "\(page)")
        }
    }

    /// An RTSP server that redirects every client to another address, and the requests received there.
    @Test(.enabled(if: getuid() == 0 && Tool.exists("unshare", "ip", "python3", "bash")))
    func anRTSPServerOutsideDoesNotLeadInside() async throws {
        _ = try folder.write(Self.rtspServers, to: "server.py")
        let script = """
            python3 server.py & server=$!
            for try in $(seq 100); do (exec 3<>/dev/tcp/127.0.0.1/9000) 2>/dev/null && break; sleep 0.1; done
            search() { echo "page $1"; shift; "$@" 2>&1; echo "status $?"; sort -u heard; rm -f heard; }
            search inside "$0" \(find.joined(separator: " ")) rtsp://203.0.113.5:8001/x
            search tunnel "$0" \(find.joined(separator: " ")) rtsp://203.0.113.5:8002/x
            search outside "$0" \(find.joined(separator: " ")) rtsp://203.0.113.5:8003/x
            search allowed "$0" \(find.joined(separator: " ")) rtsp://203.0.113.5:8001/x --allow private
            search home "$0" \(find.joined(separator: " ")) rtsp://127.0.0.1:8001/x
            kill -KILL $server
            """
        let outcome = try await inItsOwnNetwork(script)
        let pages = outcome.stdout.components(separatedBy: "page ").dropFirst()
        #expect(pages.count == 5, "\(outcome)")
        for page in pages {
            let isRefused = page.hasPrefix("inside") || page.hasPrefix("tunnel")
            #expect(page.contains("status 2") && page.contains("--allow private") == isRefused, "\(page)")
            // An allowed redirection is followed, to a server that has nothing.
            #expect(page.contains("heard") == !isRefused, "\(page)")
        }
    }

    private static let rtspServers = """
        import socketserver, threading
        INSIDE, OUTSIDE = "10.1.2.3", "203.0.113.5"
        def server(port, answer):
            class Handler(socketserver.StreamRequestHandler):
                def handle(self):
                    while True:
                        lines = []
                        while line := self.rfile.readline().strip().decode(): lines.append(line)
                        if not lines: return
                        number = next((line for line in lines if line.lower().startswith("cseq")), "CSeq: 1")
                        self.wfile.write(answer(lines[0], number).encode())
            socketserver.ThreadingTCPServer.allow_reuse_address = True
            server = socketserver.ThreadingTCPServer(("0.0.0.0", port), Handler)
            threading.Thread(target=server.serve_forever).start()
        def moved(address):
            return lambda request, number: f"RTSP/1.0 302 Moved\\r\\n{number}\\r\\nLocation: {address}\\r\\n\\r\\n"
        def heard(request, number):
            with open("heard", "a") as file: file.write(f"heard {request.split()[0]}\\n")
            return f"RTSP/1.0 404 Not Found\\r\\n{number}\\r\\n\\r\\n"
        server(8001, moved(f"rtsp://{INSIDE}:9000/x"))
        server(8002, moved(f"rtsph://{INSIDE}:9000/x"))
        server(8003, moved(f"rtsp://{OUTSIDE}:9000/x"))
        server(9000, heard)
        """

    private static let redirectingServer = """
        import http.server
        class Handler(http.server.SimpleHTTPRequestHandler):
            def do_GET(self):
                if self.path.startswith("/moved?"):
                    self.send_response(302)
                    self.send_header("Location", self.path[7:])
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                else:
                    super().do_GET()
            def log_message(self, *words): pass
        http.server.ThreadingHTTPServer(("0.0.0.0", 8000), Handler).serve_forever()
        """
}
