import Errors
import Testing
import TextSpotting

@testable import GStreamerMedia

@Suite struct RedactionTests {
    /// Characters that people have in their passwords.
    static let passwords = [
        "hunter2", "pa#ss", "pa'ss", "pa\"ss", "pa ss", "pa/ss", "pa?ss", "pa@ss", "pa:ss", "pa%ss", "pa%23ss",
        "p@s/s#s?s", "50%x",
        "#lead", "/lead", "?lead", "@lead", ":lead", "trail/", "trail?", "trail@", "12/34", "8080/x", "sésame",
        "пароль", "密碼密碼",
        "a b c d", "back\\slash", "semi;colon", "amp&ersand", "eq=uals", "plus+plus", "star*star", "dollar$HOME",
        "tick`s",
        "brace{}x", "bracket[]x", "pipe|pipe", "lt<gt>x", "tilde~x", "caret^x", "bang!bang", "comma,dot.x",
        "e\u{301}combining",
        "\u{202E}over", "tab\tbed", "qu\"o'te", "“typographic”",
    ]

    @Test(arguments: passwords)
    func anAddressIsShownWithoutItsPassword(password: String) throws {
        for (host, path) in [
            ("camera.example.org", "/stream"), ("127.0.0.1:554", "/a/b?x=1"), ("camera", ""), ("[::1]:8554", "/x"),
        ] {
            let given = "rtsp://guard:\(password)@\(host)\(path)"
            let source = try SourceURI(given)
            #expect(source.redacted == "rtsp://\(host)\(path)")
            #expect("\(source)" == source.redacted)
            // GStreamer gets an address that conforms to the grammar, that contains the exact password.
            let address = try #require(WrittenAddress(source.text))
            let sent = address.password.map(WrittenAddress.unescaped)
            #expect(sent == (password == "pa%23ss" ? "pa#ss" : password))
            #expect(address.rest == "\(host)\(path)")
            #expect(source.text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
        }
    }

    @Test(arguments: passwords)
    func aPasswordThatIsKnownIsMaskedWhereverItTurnsUp(password: String) throws {
        let host = "cam\(password.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF }).example.org"
        let source = try SourceURI("rtsp://guard:\(password)@\(host)/stream")
        let address = try #require(WrittenAddress(source.given))
        let escaped = address.userInfo.map(WrittenAddress.escaped) ?? ""
        for text in [
            "Could not open \(source.given).", "Could not open “\(source.text)”: nothing there.",
            "URL: \(source.given), Redirect to: (NULL)",
            "could not set property \"location\" to \"\(source.given)\"", "user guard:\(password)@\(host) unknown",
            "\(escaped)@\(host)",
        ] {
            let shown = redacted(text)
            #expect(!shown.contains(password) && !shown.contains(escaped) && !shown.contains("guard"), "\(shown)")
            #expect(shown.contains(host), "\(shown)")
        }
        // By itself and in parts: a library that ends the password at a delimiter reports the rest as a host.
        guard password.utf8.count >= 4 else { return }
        #expect(!redacted("wrong password '\(password)'.").contains(password))
        for (index, scalar) in zip(password.unicodeScalars.indices, password.unicodeScalars)
        where "@#/?".unicodeScalars.contains(scalar) {
            let tail = String(password.unicodeScalars[password.unicodeScalars.index(after: index)...])
            guard !tail.isEmpty else { continue }
            #expect(redacted("Failed to resolve \(tail)@\(host).") == "Failed to resolve \(host).")
        }
    }

    @Test(arguments: passwords)
    func aDescriptionIsShownWithoutThem(password: String) {
        func quoted(_ text: String, _ quote: String) -> String {
            let escaped = text.unicodeScalars.map { "\\\"'".unicodeScalars.contains($0) ? "\\\($0)" : "\($0)" }.joined()
            return quote + escaped + quote
        }
        let backslashed = password.unicodeScalars.map { $0.properties.isAlphabetic ? "\($0)" : "\\\($0)" }.joined()
        for value in [quoted(password, "\""), quoted(password, "'"), backslashed] {
            for assignment in ["user-pw=", "user-pw = ", "user-pw\t=\n"] {
                let description =
                    "rtspsrc location=rtsp://camera/ \(assignment)\(value) latency=200 ! decodebin ! appsink name=frames"
                #expect(
                    redacted(description: description)
                        == "rtspsrc location=rtsp://camera/ \(assignment)*** latency=200 ! decodebin ! appsink name=frames"
                )
            }
        }
    }

    @Test(arguments: [
        ("user-pw=secret1", "user-pw=***"), ("user-pw = secret1", "user-pw = ***"),
        (#"user-pw=se\ cret1"#, "user-pw=***"),
        ("user_password=secret1", "user_password=***"), ("auth_token=secret1", "auth_token=***"),
        ("psw=secret1", "psw=***"),
        ("sig=secret1", "sig=***"), ("user-id=guard", "user-id=***"),
        ("source::user-pw=secret1", "source::user-pw=***"),
        ("passphrase=secret1", "passphrase=***"), (#"extra-headers="h,Authorization=secret1""#, "extra-headers=***"),
        ("uri=rtsp://guard:secret1@host/", "uri=rtsp://host/"),
        ("uri=\"http://host/x?token=secret1&y=2\"", "uri=http://host/x?token=***&y=2"),
        ("key-int-max=60", "key-int-max=60"), ("author=x", "author=x"),
        ("keyframe-max-dist=60", "keyframe-max-dist=60"),
        ("location=token=abc.mp4", "location=token=abc.mp4"), ("name=password", "name=password"),
    ])
    func propertiesAreMaskedByTheirNames(written: String, shown: String) {
        #expect(
            redacted(description: "nosuchsrc \(written) ! appsink name=frames")
                == "nosuchsrc \(shown) ! appsink name=frames")
    }

    @Test func aPropertyThatIsNoTextIsNoSecret() {
        // Whatever its name is: the encoder's pass, a muxer's, a source's.
        for description in [
            "x264enc pass=qual quantizer=20 ! fakesink", "x264enc pass=4", "rtspsrc do-rtsp-keep-alive=true ! fakesink",
        ] where MediaRuntime.hasElement("x264enc") {
            #expect(redacted(description: description) == description)
        }
    }

    @Test(arguments: [
        "'token=abc.mp4' cannot be opened: there is no such file.", "password=secret is a file", "pass=qual", "a://b",
        "://", "x://",
        "http://host:8080/path", "http://127.0.0.1:8080/a@b/c.mp4", "http://www.example.org:8080/@name/a.mp4",
        "https://host/@name/x?y=1#z",
        "file:///home/me@home/token=1?.mp4", "The size is 1:2//3@4.", "",
    ])
    func whatIsNoSecretStays(text: String) { #expect(redacted(text) == text) }

    @Test func filesAreCalledAsThePersonDid() throws {
        let source = try SourceURI("some clip-7f3a.mp4")
        let path = try #require(source.path)
        #expect(redacted("'\(source.text)' is damaged.") == "'some clip-7f3a.mp4' is damaged.")
        #expect(redacted("'\(path)' and \(path).") == "'some clip-7f3a.mp4' and some clip-7f3a.mp4.")
        #expect(redacted("\(path).part /x\(path) \(path)/y") == "\(path).part /x\(path) \(path)/y")
        // A description that is to be run again is not.
        #expect(redacted(description: "filesrc location=\"\(path)\"") == "filesrc location=\"\(path)\"")
    }

    @Test func sourcesOfADescriptionHaveNames() {
        for (description, name) in [
            ("filesrc location=\"a b.mp4\" ! decodebin ! appsink name=frames", "a b.mp4"),
            (
                "uridecodebin uri=rtsp://a:b1234@host/x ! appsink name=frames appsrc name=overlay ! filesink location=o.mp4",
                "rtsp://host/x"
            ),
            ("v4l2src device=/dev/video2 ! appsink name=frames", "/dev/video2"),
            ("videotestsrc ! appsink name=frames", nil),
            ("filesrc location=a ! m. filesrc location=b ! m.", nil),
        ] as [(String, String?)] {
            #expect(sourceName(inDescription: description) == name)
        }
    }

    @Test func messagesHaveNoPlacesInSourceCode() {
        let text = """
            Failed to download: ../ext/soup/gstsouphttpsrc.c(1628): gst_soup_http_src_parse_status (): \
            /GstPipeline:pipeline0/GstURIDecodeBin:uridecodebin0/GstSoupHTTPSrc:source:
            Not Found (404), URL: http://host/a.ts, Redirect to: (NULL)
            """
        #expect(sentence(text) == "Failed to download Not Found (404), URL: http://host/a.ts, Redirect to: (NULL).")
        #expect(sentence("'clip.c(1): x' is a file") == "'clip.c(1): x' is a file.")
    }

    @Test func passwordsDoNotReachMessages() async throws {
        let uri = "rtsp://someone:s3cret@127.0.0.1:1/stream"
        let pipeline = try Pipeline(parsing: "rtspsrc location=\(uri) ! decodebin ! appsink name=frames")
        let error = await framegrepError {
            _ = try await pipeline.prepare()
            try await pipeline.play()
            for await message in pipeline.bus.messages {
                if case .error(let report) = message {
                    #expect(!report.debug.contains("s3cret"))
                    throw report.error
                }
            }
        }
        await pipeline.stop()
        #expect(error?.code == .sourceUnavailable)
        #expect(error?.message.contains("s3cret") == false && error?.message.contains("someone") == false)
        #expect(error?.message.contains("127.0.0.1") == true)
    }

    @Test func parseErrorsKeepPasswords() async {
        let error = await framegrepError {
            _ = try Pipeline(
                parsing: "rtspsrc location=rtsp://a:s3cret@host/ user-pw=hunter2 nosuch=1 ! appsink name=frames")
        }
        #expect(error?.message.contains("s3cret") == false && error?.message.contains("hunter2") == false)
    }

    @Test func sourcesAreShownWithoutPasswords() throws {
        let source = try SourceURI("https://user:pa55@example.org/a.mp4?token=abc&x=1")
        #expect(source.redacted == "https://example.org/a.mp4?token=***&x=1")
        #expect("\(source)" == source.redacted)
        #expect(source.text == "https://user:pa55@example.org/a.mp4?token=abc&x=1")
    }
}
