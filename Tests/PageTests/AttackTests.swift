import Foundation
import TestSupport
import Testing
import TextIndex

@testable import Page

/// Attacks by other sites, other users of the machine and hostile names, and the answers to them.
@Suite struct AttackTests {
    private static let secret = [
        "/api/search?q=EXIT", "/api/coverage", "/api/sources", "/api/timeline?q=EXIT", "/media/1",
    ]

    // MARK: DNS rebinding

    @Test(arguments: [
        "evil.example", "evil.example:8437", "127.0.0.1", "127.0.0.1:80", "127.0.0.1:84370",
        "127.0.0.1.evil.example:8437",
        "localhost", "0.0.0.0:8437", "[::]:8437", "192.168.1.5:8437", "127.0.0.1:8437@evil.example", "",
        " 127.0.0.1:8437",
    ])
    func otherNamesAreNotAnswered(host: String) async throws {
        let page = try PageFixture.shared.get()
        for target in Self.secret + ["/", "/app.js", "/healthz", "/metrics"] {
            let answer = await page.ask(target, headers: [("Host", host), ("Cookie", page.cookie)])
            #expect(answer.status == 421, "\(target)")
            #expect(try await !answer.text().contains("GATE"))
        }
    }

    @Test func withoutANameOrWithTwoNothingIsAnswered() async throws {
        let page = try PageFixture.shared.get()
        #expect(await page.ask("/", headers: [("Cookie", page.cookie)]).status == 421)
        let both = [("Host", "127.0.0.1:8437"), ("Host", "evil.example"), ("Cookie", page.cookie)]
        #expect(await page.ask("/api/sources", headers: both).status == 421)
    }

    @Test(arguments: ["127.0.0.1:8437", "localhost:8437", "LocalHost:8437", "[::1]:8437"])
    func itsOwnNamesAre(host: String) async throws {
        let page = try PageFixture.shared.get()
        #expect(await page.ask("/api/sources", headers: [("Host", host), ("Cookie", page.cookie)]).status == 200)
    }

    // MARK: Other sites in the same browser

    /// A page on another port of this machine is "same-site", and the cookie is sent with its requests.
    @Test(arguments: ["cross-site", "same-site", "nonsense", ""])
    func whatOtherSitesStartIsRefused(site: String) async throws {
        let page = try PageFixture.shared.get()
        let headers = [("Host", "127.0.0.1:8437"), ("Cookie", page.cookie), ("Sec-Fetch-Site", site)]
        for target in Self.secret + ["/app.js", "/healthz"] {
            #expect(await page.ask(target, headers: headers).status == 403, "\(target)")
        }
        // Tries it in a frame, as the source of a script, and as a submitted form.
        for mode in [("navigate", "iframe"), ("no-cors", "script"), ("cors", "empty")] {
            let all = headers + [("Sec-Fetch-Mode", mode.0), ("Sec-Fetch-Dest", mode.1)]
            #expect(await page.ask("/", headers: all).status == 403)
        }
        // A link may lead to the page.
        let link = headers + [("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "document")]
        #expect(await page.ask("/", headers: link).status == 200)
        #expect(await page.ask("/api/sources", headers: link).status == 403)
    }

    @Test(arguments: [
        nil, "null", "http://evil.example", "https://127.0.0.1:8437", "http://127.0.0.1", "http://127.0.0.1:8438",
        "http://localhost:8437", "http://127.0.0.1:8437.evil.example", "http://127.0.0.1:8437/",
    ])
    func nothingIsTakenFromOtherOrigins(origin: String?) async throws {
        let page = try PageFixture.shared.get()
        let headers =
            [("Host", "127.0.0.1:8437"), ("Content-Type", "application/json")] + (origin.map { [("Origin", $0)] } ?? [])
        let answer = await page.ask(
            "/api/session", method: "POST", headers: headers, body: "{\"key\":\"\(page.keys.key)\"}")
        #expect(answer.status == 403)
        #expect(answer.header("Set-Cookie") == nil)
    }

    /// A form can send these without a preflight request.
    @Test(arguments: [nil, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
    func formsAreNotTaken(type: String?) async throws {
        let page = try PageFixture.shared.get()
        let headers =
            [("Host", "127.0.0.1:8437"), ("Origin", "http://127.0.0.1:8437")]
            + (type.map { [("Content-Type", $0)] } ?? [])
        let body = "{\"key\":\"\(page.keys.key)\"}"
        #expect(await page.ask("/api/session", method: "POST", headers: headers, body: body).status == 415)
    }

    @Test(arguments: ["PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "get", ""])
    func otherMethodsAreNotKnown(method: String) async throws {
        let page = try PageFixture.shared.get()
        let answer = await page.get("/api/sources", method: method)
        #expect(answer.status == 405)
        #expect(answer.header("Access-Control-Allow-Origin") == nil)
    }

    @Test func nothingElseCanBeSent() async throws {
        let page = try PageFixture.shared.get()
        let headers = [
            ("Host", "127.0.0.1:8437"), ("Origin", "http://127.0.0.1:8437"), ("Content-Type", "application/json"),
            ("Cookie", page.cookie),
        ]
        for target in Self.secret + ["/"] {
            #expect(await page.ask(target, method: "POST", headers: headers, body: "{}").status == 405)
        }
        let long = String(repeating: "x", count: 5000)
        #expect(await page.ask("/api/session", method: "POST", headers: headers, body: long).status == 413)
        #expect(await page.ask("/api/sources", headers: headers, body: "x").status == 400)
    }

    // MARK: Other users of the machine

    @Test func withoutASessionNothingIsSeen() async throws {
        let page = try PageFixture.shared.get()
        let value = String(page.cookie.split(separator: "=")[1])
        let cookies = [
            nil, "framegrep-8437=", "framegrep-8437=0", "framegrep-8437=" + String(value.dropLast()),
            "framegrep-8438=" + value, "other=" + value, "framegrep-8437=" + page.keys.key,
        ]
        for cookie in cookies {
            let headers = [("Host", "127.0.0.1:8437")] + (cookie.map { [("Cookie", $0)] } ?? [])
            for target in Self.secret {
                let answer = await page.ask(target, headers: headers)
                #expect(answer.status == 401, "\(target) \(cookie ?? "")")
                #expect(try await !answer.text().contains("lobby"))
            }
        }
        let among = [("Host", "127.0.0.1:8437"), ("Cookie", "a=b; \(page.cookie); c=d")]
        #expect(await page.ask("/api/sources", headers: among).status == 200)
    }

    @Test func aKeyOpensOneSession() async throws {
        let page = try PageFixture()
        let key = page.keys.key
        func open(_ key: String) async -> PageResponse {
            await page.ask(
                "/api/session", method: "POST",
                headers: [
                    ("Host", "127.0.0.1:8437"), ("Origin", "http://127.0.0.1:8437"),
                    ("Content-Type", "application/json; charset=utf-8"), ("Sec-Fetch-Site", "same-origin"),
                ], body: "{\"key\":\"\(key)\"}")
        }
        let answer = await open(key)
        #expect(answer.status == 204)
        let cookie = try #require(answer.header("Set-Cookie"))
        #expect(cookie.contains("; HttpOnly; SameSite=Strict; Path=/"))
        #expect(!cookie.contains(key))
        #expect(await open(key).status == 403)
        #expect(await open("").status == 403)
        #expect(page.keys.key != key)
        #expect(await open(page.keys.key).status == 204)
    }

    /// Public routes reveal nothing that was read.
    @Test func whatIsOpenHasNoNamesInIt() async throws {
        let page = try PageFixture()
        _ = await page.get("/api/search?q=EXIT")
        let host = [("Host", "127.0.0.1:8437")]
        #expect(try await page.ask("/healthz", headers: host).text() == "ok\n")
        let metrics = try await page.ask("/metrics", headers: host).text()
        #expect(metrics.contains("framegrep_searches_total 1\n"))
        #expect(metrics.contains("framegrep_answers_total{status=\"200\"} 2\n"))
        #expect(!metrics.contains("EXIT") && !metrics.contains("lobby") && !metrics.contains(page.folder.path))
    }

    // MARK: Other files

    @Test(arguments: [
        "/../../../../etc/passwd", "/..%2f..%2fetc/passwd", "/media/..%2f..%2f..%2fetc%2fpasswd", "/media//etc/passwd",
        "/media/%2fetc%2fpasswd", "/media/file:///etc/passwd", "/media/-1", "/media/+1", "/media/0x10", "/media/1/../2",
        "/media/99999999999999999999", "/media/", "/media", "/api/", "/api", "/api/sightings/1", "/api/sightings/1-",
        "/api/sightings/-1-1", "/api/sightings/1-1/boxes/x", "/app.js/", "/./app.js", "//app.js", "/%61pp.js",
        "http://127.0.0.1:8437/app.js", "/index.html", "/Assets/app.js", "",
    ])
    func onlyWhatHasANameIsThere(target: String) async throws {
        let page = try PageFixture.shared.get()
        let answer = await page.get(target)
        #expect(answer.status == 404, "\(target)")
        #expect(try await !answer.text().contains("root:"))
    }

    /// Another user may replace a recording with a link after it was read.
    @Test func aLinkInARecordingsPlaceLeadsNowhere() async throws {
        let page = try PageFixture()
        let path = page.folder.file("lobby.mp4")
        let number = try page.number()
        #expect(await page.get("/media/\(number)").status == 200)
        try FileManager.default.removeItem(atPath: path)
        #expect(await page.get("/media/\(number)").status == 404)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/etc/passwd")
        let answer = await page.get("/media/\(number)")
        #expect(answer.status == 409)
        #expect(try await !answer.text().contains("root:"))
        try FileManager.default.removeItem(atPath: path)
        #expect(mkfifo(path, 0o600) == 0)
        #expect(await page.get("/media/\(number)").status == 409)
    }

    /// A file that was read as a recording never becomes a page with this page's rights.
    @Test(arguments: ["x.html", "x.svg", "x.js", "x.xhtml", "x", "x.mp4.html", "x.", "x.pdf"])
    func filesAreNoPages(name: String) async throws {
        let page = try PageFixture([name: ["EXIT"]])
        let answer = await page.get("/media/\(try page.number(name))")
        #expect(answer.status == 200)
        #expect(answer.header("Content-Type") == "application/octet-stream")
        #expect(answer.header("X-Content-Type-Options") == "nosniff")
    }

    // MARK: Text from pictures

    /// Text from pictures is sent as data, and the page has no way to turn it into markup or script.
    @Test func readTextIsData() async throws {
        let text = #"EXIT<script>alert(1)</script>"#
        let page = try PageFixture(["<img src=x onerror=alert(1)>.mp4": [text]])
        let answer = await page.get("/api/search?q=EXIT")
        #expect(answer.header("Content-Type") == "application/x-ndjson")
        let found = try await answer.objects().first
        #expect(found?["line"] as? String == text)
        let problem = await page.get("/api/search?q=EXIT&%3Cscript%3Ealert(1)%3C/script%3E=1")
        #expect(problem.status == 400 && problem.header("Content-Type") == "application/json")
    }

    @Test func thePageMakesNoMarkup() async throws {
        let page = try PageFixture.shared.get()
        for path in PageAssets.paths where path.hasSuffix(".js") {
            let code = try await page.get(path).text()
            for word in [
                "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(", "srcdoc",
            ] {
                #expect(!code.contains(word), "\(path): \(word)")
            }
        }
        let markup = try await page.get("/").text()
        #expect(!markup.contains("style=") && !markup.contains("onclick") && !markup.contains("<script>"))
        #expect(!markup.contains("http://") && !markup.contains("https://"))
    }

    // MARK: Every answer

    @Test func everyAnswerHasTheHeaders() async throws {
        let page = try PageFixture.shared.get()
        let number = try page.number()
        let answers = [
            await page.get("/"), await page.get("/nothing"), await page.get("/api/search?q=EXIT"),
            await page.get("/api/search"), await page.get("/media/\(number)"),
            await page.get("/api/sources", method: "PUT"),
            await page.get("/media/\(number)", headers: [("Range", "bytes=900000-")]),
            await page.ask("/", headers: []), await page.ask("/api/sources", headers: [("Host", "localhost:8437")]),
        ]
        #expect(answers.map(\.status) == [200, 404, 200, 400, 200, 405, 416, 421, 401])
        for answer in answers {
            let policy = try #require(answer.header("Content-Security-Policy"))
            #expect(policy.hasPrefix("default-src 'none'; script-src 'self';"))
            #expect(policy.contains("require-trusted-types-for 'script'; trusted-types 'none'"))
            #expect(!policy.contains("unsafe") && !policy.contains("*") && !policy.contains("data:"))
            #expect(answer.header("Cross-Origin-Resource-Policy") == "same-origin")
            #expect(answer.header("X-Content-Type-Options") == "nosniff")
            #expect(answer.header("Referrer-Policy") == "no-referrer")
            #expect(answer.header("Cache-Control") != nil)
            #expect(Set(answer.headers.map { $0.name.lowercased() }).count == answer.headers.count)
        }
        #expect(answers[2].header("Cache-Control") == "no-store")
        // Without encryption the header would mean nothing; with it, every response has it.
        #expect(answers.allSatisfy { $0.header("Strict-Transport-Security") == nil })
        var headers: [(name: String, value: String)] = []
        SecurityHeaders.complete(&headers, isEncrypted: true)
        #expect(headers.contains { $0.name == "Strict-Transport-Security" && $0.value == "max-age=2592000" })
    }
}
