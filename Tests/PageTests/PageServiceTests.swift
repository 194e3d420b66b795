import Foundation
import TestSupport
import Testing
import TextIndex
import TextMatching

@testable import Page

/// The server's answers to the page.
@Suite struct PageServiceTests {
    @Test func aSearchIsAnsweredAsFindPrintsIt() async throws {
        let page = try PageFixture(["b.mp4": ["EXIT"], "a.mp4": ["GATE 12 EXIT", "none", "exit"]])
        let answer = await page.get("/api/search?q=EXIT")
        #expect(answer.status == 200)
        #expect(answer.header("Framegrep-Sightings") == "3")
        let lines = try await answer.objects()
        #expect(lines.map { $0["type"] as? String } == ["sighting", "sighting", "sighting", "coverage"])
        #expect(lines.compactMap { $0["line"] as? String } == ["GATE 12 EXIT", "exit", "EXIT"])
        #expect(lines.compactMap { $0["id"] as? Int } == [1, 2, 1])
        #expect(lines[0]["source"] as? String == page.folder.file("a.mp4"))
        #expect(lines[3]["sources"] as? Int == 2 && lines[3]["seconds"] as? Double == 8)
    }

    /// The sightings sent during a search are the same as those sent at its end.
    @Test(arguments: ["q=EXIT", "q=EXIT&limit=2", "q=EXIT&limit=0", "q=nothing", "q=EXIT&q=none&all=1", "q=GATE"])
    func linesThatComeSoonAreTheSame(query: String) async throws {
        let page = try PageFixture(["b.mp4": ["EXIT"], "a.mp4": ["GATE 12 EXIT", "none", "exit"], "c.mp4": ["x"]])
        let soon = await page.get("/api/search?soon=1&\(query)")
        #expect(soon.status == 200 && soon.header("Framegrep-Sightings") == nil)
        let lines = try await soon.text()
        #expect(try await lines == page.get("/api/search?\(query)").text())
        // Known by now.
        #expect(try await lines == page.get("/api/search?soon=1&\(query)").text())
        #expect(await page.get("/api/search?soon=1&q=(&regex=1").status == 400)
    }

    /// The page needs nothing else to show them: it does not request the list of all recordings with each search.
    @Test(arguments: ["", "&soon=1"]) func recordingsPrecedeTheirSightings(soon: String) async throws {
        let page = try PageFixture([
            "a.mp4": ["GATE 12 EXIT", "none", "exit"], "b.mp4": ["x"], "c.mp4": ["EXIT"], "d.mp4": ["EXIT"],
        ])
        // The line of a recording does not look at its file; the coverage at the end does.
        try FileManager.default.removeItem(atPath: page.folder.file("d.mp4"))
        let all = try await page.get("/api/search?q=EXIT\(soon)").text()
        for limit in ["", "&limit=3", "&limit=0"] {
            let text = try await page.get("/api/search?q=EXIT&sources=1\(limit)\(soon)").text()
            let lines = try await page.get("/api/search?q=EXIT&sources=1\(limit)\(soon)").objects()
            let names = lines.map { ($0["type"] as? String ?? "", ($0["source"] as? String ?? "").suffix(5)) }
            let wanted = [
                ("source", "a.mp4"), ("sighting", "a.mp4"), ("sighting", "a.mp4"), ("source", "c.mp4"),
                ("sighting", "c.mp4"), ("source", "d.mp4"), ("sighting", "d.mp4"),
            ]
            let count = limit.isEmpty ? 7 : limit == "&limit=3" ? 5 : 0
            #expect(names.dropLast().map { "\($0)" } == wanted.prefix(count).map { "\($0)" }, "\(limit)")
            #expect(names.last?.0 == "coverage")
            guard limit.isEmpty else { continue }
            let sightings = text.split(separator: "\n").filter { !$0.contains("\"type\":\"source\"") }
            #expect(sightings == all.split(separator: "\n"))
            var listed = try await page.get("/api/sources?id=\(try page.number("a.mp4"))").text()
            #expect(text.hasPrefix(listed))
            listed = try await page.get("/api/sources?id=\(try page.number("d.mp4"))").text()
            #expect(listed.contains("its file is gone") && !text.contains("\"trouble\""))
        }
    }

    @Test(arguments: [
        ("q=EXIT", 2), ("q=exit", 2), ("q=exit&case=1", 0), ("q=EXI&words=1", 0), ("q=EXIT&q=nothing", 3),
        ("q=EXIT&q=GATE&all=1", 2), ("q=EX.T&regex=1", 2), ("q=EX.T&exact=1", 0), ("q=%45XIT", 2), ("q=GATE+12", 1),
        ("q=EXIT&limit=1", 1), ("q=EXIT&limit=0", 0), ("q=EXIT&min-score=0.5", 2), ("q=EXIT&case=0", 2),
    ])
    func optionsMeanWhatTheyMeanInFind(query: String, count: Int) async throws {
        let answer = await PageFixture.asked("/api/search?" + query)
        #expect(try await answer.objects().filter { $0["type"] as? String == "sighting" }.count == count)
    }

    @Test(arguments: [
        "", "q=", "q=%", "q=%zz", "q=%ff", "q=a%00b", "q=(&regex=1", "q=EXIT&regex=1&exact=1", "q=EXIT&nonsense=1",
        "q=EXIT&case=2", "q=EXIT&limit=-1", "q=EXIT&limit=1e9", "q=EXIT&min-score=2", "q=EXIT&min-score=nan",
        "q=" + String(repeating: "x", count: 3000), String(repeating: "q=a&", count: 100),
        String(repeating: "q=a&", count: 1000), "q=:nosuchkind", "q=way+out&meaning=1&exact=1",
        "q=way+out&meaning=1&regex=1",
        // Search by meaning is not set up here.
        "q=way+out&meaning=1", "q=~+way+out",
    ])
    func whatIsNotUnderstoodIsSaid(query: String) async throws {
        let answer = await PageFixture.asked("/api/search?" + query)
        #expect(answer.status == 400)
        let problem = try await answer.objects().first
        #expect(problem?["type"] as? String == "error")
        #expect((problem?["message"] as? String)?.hasSuffix(".") ?? false)
    }

    /// The switch has the same effect as the notation.
    @Test func meaningsAreAskedForByASwitchOrByTheirMark() throws {
        for query in ["q=way+out&meaning=1", "q=~+way+out", "meaning=1&q=~+way+out"] {
            #expect(try SearchQuestion(QueryItems(query)).patterns == ["~ way out"], "\(query)")
        }
        #expect(try SearchQuestion(QueryItems("q=way+out&meaning=0")).patterns == ["way out"])
        #expect(SearchQuestion.meant(["~ way out", "~ fire"]) == ["way out", "fire"])
        #expect(SearchQuestion.meant(["~ way out", "fire"]) == nil && SearchQuestion.meant([]) == nil)
    }

    @Test func whatMeansItIsFoundAndMarked() async throws {
        let page = try PageFixture(meaning: MeaningSource { WaysOut() })
        for query in ["q=way+out&meaning=1", "q=~+way+out"] {
            let found = try await page.get("/api/search?" + query).objects().filter {
                $0["type"] as? String == "sighting"
            }
            #expect(found.map { $0["line"] as? String } == ["GATE 12 EXIT", "EXIT"], "\(query)")
            #expect(found.allSatisfy { $0["kind"] as? String == "meaning" })
        }
        let number = try page.number()
        let boxes = try await page.get("/api/sightings/\(number)-2/boxes?q=way+out&meaning=1").objects()
        #expect(boxes.map { $0["t"] as? Double } == [4])
        let words = try await page.get("/api/search?q=EXIT").objects().filter { $0["type"] as? String == "sighting" }
        #expect(words.count == 2 && words.allSatisfy { $0["kind"] == nil })
        #expect(await page.get("/api/search?q=polar+bears&meaning=1").header("Framegrep-Sightings") == "0")
        // Recordings indexed without it are reported, and not counted as searched.
        let other = try PageFixture(["a.mp4": ["EXIT"]])
        let late = PageService(
            index: try IndexFolder(other.folder.file("index")), hosts: HostList(port: PageFixture.port),
            keys: other.keys,
            decoder: "/bin/false", meaning: MeaningSource { WaysOut() })
        let answer = await late.answer(
            PageRequest(
                method: "GET", path: "/api/search", query: "q=~+way+out",
                headers: [
                    ("Host", "127.0.0.1:8437"), ("Cookie", other.cookie), ("Sec-Fetch-Site", "same-origin"),
                ], body: []))
        let coverage = try await answer.objects().last { $0["type"] as? String == "coverage" }
        let missing = coverage?["missing"] as? [[String: String]]
        #expect(missing?.map { $0["reason"] } == ["it cannot be searched by meaning yet"])
    }

    @Test func oneSightingHasItsBoxes() async throws {
        let page = try PageFixture.shared.get()
        let number = try page.number()
        let sighting = try await page.get("/api/sightings/\(number)-2?q=EXIT").objects().first
        #expect(sighting?["id"] as? Int == 2 && sighting?["start"] as? Double == 4)
        let boxes = try await page.get("/api/sightings/\(number)-2/boxes?q=EXIT").objects()
        #expect(boxes.map { $0["type"] as? String } == ["box"])
        #expect(boxes[0]["t"] as? Double == 4)
        #expect(await page.get("/api/sightings/\(number)-3?q=EXIT").status == 404)
        #expect(await page.get("/api/sightings/\(number)-3/boxes?q=EXIT").status == 404)
        #expect(await page.get("/api/sightings/\(number)-1/other?q=EXIT").status == 404)
        #expect(await page.get("/api/sightings/1-1?q=EXIT").status == 404)
        #expect(await page.get("/api/search?q=EXIT&source=\(number)").status == 200)
        #expect(await page.get("/api/search?q=EXIT&source=1").status == 404)
    }

    @Test func theTimelineCountsWhatIsInView() async throws {
        let page = try PageFixture.shared.get()
        let timeline = try await page.get("/api/timeline?q=EXIT&bins=6").objects().first
        let rows = timeline?["rows"] as? [[String: any Sendable]]
        #expect(rows?.count == 1)
        #expect(rows?.first?["counts"] as? [Int] == [1, 0, 0, 0, 1, 0])
        #expect(rows?.first?["sightings"] as? Int == 2)
        #expect(timeline?["sightings"] as? Int == 2 && timeline?["recordings"] as? Int == 1)
        let none = try await page.get("/api/timeline?q=EXIT&rows=0").objects().first
        #expect((none?["rows"] as? [[String: any Sendable]])?.isEmpty ?? false)
        #expect(none?["sightings"] as? Int == 2 && none?["recordings"] as? Int == 1)
        #expect(await page.get("/api/timeline?q=EXIT&bins=0").status == 400)
    }

    @Test func whatHasChangedIsSaid() async throws {
        let page = try PageFixture(["a.mp4": ["EXIT"], "b.mp4": ["EXIT"], "c.mp4": ["EXIT"]])
        _ = try page.folder.write("other", to: "a.mp4")
        try FileManager.default.removeItem(atPath: page.folder.file("b.mp4"))
        let coverage = try await page.get("/api/coverage").objects().first
        let missing = coverage?["missing"] as? [[String: String]]
        #expect(missing?.compactMap { $0["reason"] } == ["its file has changed", "its file is gone"])
        let sources = try await page.get("/api/sources").objects()
        #expect(sources.map { $0["trouble"] as? String } == ["its file has changed", "its file is gone", nil])
        #expect(sources.map { $0["media"] as? String } == ["video/mp4", "video/mp4", "video/mp4"])
        // Their text is still found.
        #expect(await page.get("/api/search?q=EXIT").header("Framegrep-Sightings") == "3")
        #expect(await page.get("/media/\(try page.number("a.mp4"))").status == 409)
    }

    @Test func someOfTheRecordingsAreListed() async throws {
        let page = try PageFixture(["a.mp4": ["EXIT"], "b.mp4": ["EXIT"], "c.mp4": ["EXIT"]])
        func names(_ query: String) async throws -> [String] {
            try await page.get("/api/sources?" + query).objects().map { ($0["source"] as? String ?? "").suffix(5) }.map(
                String.init)
        }
        let (a, c) = (try page.number("a.mp4"), try page.number("c.mp4"))
        #expect(try await names("") == ["a.mp4", "b.mp4", "c.mp4"])
        #expect(try await names("id=\(c)") == ["c.mp4"])
        #expect(try await names("id=\(c)&id=\(a)") == ["a.mp4", "c.mp4"])
        #expect(try await names("file=1&limit=2") == ["a.mp4", "b.mp4"])
        for query in ["limit=0", "id=1"] { #expect(try await names(query) == []) }
        for query in ["id=x", "id="] { #expect(await page.get("/api/sources?" + query).status == 404) }
        for query in ["limit=x", "file=2"] { #expect(await page.get("/api/sources?" + query).status == 400) }
    }

    /// The index changes while the page is open.
    @Test func whatIsIndexedMeanwhileIsFound() async throws {
        let page = try PageFixture()
        #expect(await page.get("/api/search?q=EXIT").header("Framegrep-Sightings") == "2")
        let index = try TextIndex.forWriting(try IndexFolder(page.folder.file("index")))
        let known = try index.sources()
        #expect(try index.forget(Set(known.map(\.id))) == 1)
        #expect(await page.get("/api/search?q=EXIT").header("Framegrep-Sightings") == "0")
    }

    @Test func withoutAnIndexNothingIsFound() async throws {
        let folder = try TemporaryFolder()
        let keys = SessionKeys(port: 1)
        let service = PageService(
            index: try IndexFolder(folder.file("none")), hosts: HostList(port: 1), keys: keys, decoder: "/bin/false")
        let cookie = String(try #require(keys.open(with: keys.key)).prefix { $0 != ";" })
        let answer = await service.answer(
            PageRequest(path: "/api/coverage", headers: [("Host", "localhost:1"), ("Cookie", cookie)]))
        #expect(try await answer.objects().first?["sources"] as? Int == 0)
    }

    // MARK: Recordings

    @Test func aRecordingIsHandedOutInParts() async throws {
        let page = try PageFixture.shared.get()
        let target = "/media/\(try page.number())"
        let whole = await page.get(target)
        let bytes = try await whole.bytes()
        #expect(bytes.count == 900 && whole.header("Accept-Ranges") == "bytes")
        #expect(whole.header("Content-Type") == "video/mp4")
        let part = await page.get(target, headers: [("Range", "bytes=10-19")])
        #expect(part.status == 206 && part.header("Content-Range") == "bytes 10-19/900")
        #expect(try await part.bytes() == Array(bytes[10...19]))
        let end = await page.get(target, headers: [("Range", "bytes=-5")])
        #expect(end.header("Content-Range") == "bytes 895-899/900")
        #expect(try await end.bytes() == Array(bytes.suffix(5)))
        let none = await page.get(target, headers: [("Range", "bytes=900-")])
        #expect(none.status == 416 && none.header("Content-Range") == "bytes */900")
    }

    @Test func aPartOfAnotherStateIsNotHandedOut() async throws {
        let page = try PageFixture.shared.get()
        let target = "/media/\(try page.number())"
        let whole = await page.get(target)
        let (tag, date) = (try #require(whole.header("ETag")), try #require(whole.header("Last-Modified")))
        #expect(date.hasSuffix(" GMT") && date.count == 29)
        for (value, status) in [
            (tag, 206), (date, 206), ("\"other\"", 200), ("W/" + tag, 200), ("Sun, 01 Jan 2023 00:00:00 GMT", 200),
        ] {
            #expect(
                await page.get(target, headers: [("Range", "bytes=0-1"), ("If-Range", value)]).status == status,
                "\(value)")
        }
        for (value, status) in [(tag, 304), ("W/" + tag, 304), ("\"a\", " + tag, 304), ("*", 304), ("\"other\"", 200)] {
            #expect(await page.get(target, headers: [("If-None-Match", value)]).status == status, "\(value)")
        }
        // A range means something for GET only.
        #expect(await page.get(target, headers: [("Range", "bytes=0-1")], method: "HEAD").status == 200)
    }

    /// A process that cannot decode, or crashes, results in an error and does not end the server.
    @Test func aDecoderThatDiesIsAnAnswer() async throws {
        let page = try PageFixture.shared.get()
        let number = try page.number()
        #expect(await page.get("/media/\(number)/picture?t=1").status == 500)
        #expect(await page.get("/api/sightings/\(number)-1/picture?q=EXIT").status == 500)
        #expect(await page.get("/media/\(number)/picture?t=-1").status == 400)
        #expect(await page.get("/media/\(number)/picture?t=inf").status == 400)
        #expect(await page.get("/media/\(number)/picture?width=5").status == 400)
        #expect(await page.get("/media/\(number)/clip.mp4?from=5&to=4").status == 400)
        #expect(await page.get("/healthz").status == 200)
    }

    // MARK: The page itself

    @Test func thePageIsSmallAndWhole() async throws {
        #expect(PageAssets.weight < 150_000)
        let page = try PageFixture.shared.get()
        let markup = try await page.get("/").text()
        for path in PageAssets.paths {
            let answer = await page.get(path)
            #expect(answer.status == 200)
            let tag = try #require(answer.header("ETag"))
            #expect(await page.get(path, headers: [("If-None-Match", tag)]).status == 304)
            let text = try await answer.text()
            // Everything that is referenced exists.
            for match in (markup + text).matches(of: /(?:from|href=|src=)\s*"(\/[a-z]+\.[a-z]+)"/) {
                #expect(PageAssets.paths.contains(String(match.1)), "\(match.1)")
            }
        }
    }
}

extension PageFixture {
    /// Returns the answer to one request with the usual index.
    static func asked(_ target: String) async -> PageResponse {
        guard let page = try? shared.get() else { return PageResponse(status: 0) }
        return await page.get(target)
    }
}
