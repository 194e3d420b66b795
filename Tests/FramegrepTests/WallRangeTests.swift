import Foundation
import TestSupport
import Testing
import TextSpotting

@testable import framegrep

/// Searches of a time on the clock (`--since`, `--until`).
@Suite(.serialized, .timeLimit(.minutes(5))) struct WallRangeTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func framegrep(_ arguments: String...) async throws -> Framegrep.Outcome {
        try await Framegrep.run(
            arguments, environment: ["FRAMEGREP_INDEX": folder.file("index"), "TZ": "Asia/Seoul"])
    }

    /// A copy of the clip of cuts (3 s) with this recording time.
    private func clip(_ name: String, recorded: Date?) async throws -> String {
        var bytes = try Data(contentsOf: URL(fileURLWithPath: try await cutsClip()))
        let head = try #require(bytes.range(of: Data("mvhd".utf8)))
        // Behind a byte of a version and three of flags; in seconds since 1904.
        #expect(bytes[head.upperBound] == 0)
        var number = UInt32(recorded.map { $0.timeIntervalSince1970 + 2_082_844_800 } ?? 0).bigEndian
        bytes.replaceSubrange(
            head.upperBound + 4..<head.upperBound + 8, with: withUnsafeBytes(of: &number) { Data($0) })
        let path = folder.file(name)
        try bytes.write(to: URL(fileURLWithPath: path))
        return path
    }

    private static let noon = Date(timeIntervalSince1970: 1_590_980_400)  // 2020-06-01T12:00 in Seoul

    private func times(_ outcome: Framegrep.Outcome) -> [[Double]] {
        outcome.objects.filter { $0["type"] as? String == "sighting" }
            .map { [$0["start"] as? Double ?? -1, $0["end"] as? Double ?? -1] }.sorted { $0[0] < $1[0] }
    }

    /// By reading, from the index, and of everything: a second of it.
    @Test func aSecondOfARecordingIsSearched() async throws {
        let path = try await clip("noon.mp4", recorded: Self.noon)
        let words = ["--engine", "tesseract", "--format", "jsonl", "-e", "GATE", "-e", "EXIT"]
        let range = ["--since", "2020-06-01T12:00:01", "--until", "2020-06-01T03:00:01.8Z"]
        let environment = ["FRAMEGREP_INDEX": folder.file("index"), "TZ": "Asia/Seoul"]
        let read = try await Framegrep.run(["find"] + words + range + [path], environment: environment)
        #expect(times(read) == [[1, 1.8], [1.4, 1.8]], "\(read)")
        #expect(read.objects.first?["wall_start"] as? String == "2020-06-01T03:00:01.000Z", "\(read.stdout)")
        #expect(try await framegrep("index", "--engine", "tesseract", "-q", path).status == 0)
        for inputs in [[path], []] {
            let known = try await Framegrep.run(["find"] + words + range + inputs, environment: environment)
            #expect(times(known) == times(read), "\(known)")
            #expect(known.objects.first?["wall_start"] as? String == "2020-06-01T03:00:01.000Z")
        }
        let later = try await framegrep("find", "GATE", "--since", "2020-06-02")
        #expect(later.status == 1 && later.stderr.contains("0 recordings"), "\(later)")
        #expect(try await framegrep("find", "GATE", path, "--no-index", "--until", "2020-06-01").status == 1)
    }

    /// If only the file's date is known, that is reported.
    @Test func aFilesDateIsTakenWhereNothingIsBetter() async throws {
        let path = try await clip("copy.mp4", recorded: nil)
        try FileManager.default.setAttributes([.modificationDate: Self.noon + 3], ofItemAtPath: path)
        let found = try await framegrep("find", "GATE", path, "--engine", "tesseract", "--since", "2020-06-01T12:00")
        #expect(found.status == 0 && found.lines.count == 1 && found.stderr.contains("file's date"), "\(found)")
        let none = try await framegrep("find", "GATE", path, "--engine", "tesseract", "--since", "2020-06-01T12:00:04")
        #expect(none.status == 1, "\(none)")
        let shell = try #require(Tool("sh"))
        let pipe = try await shell.run([
            "-c", "cat \"$1\" | \"$0\" find GATE - --engine tesseract --since yesterday", Framegrep.path, path,
        ])
        #expect(pipe.status == 2 && pipe.stderr.contains("It is not known when"), "\(pipe)")
    }

    @Test(
        arguments: [
            (["--since", "soon"], "is not a date or a time of day"),
            (["--until", "2020-13-01"], "is not a date or a time of day"),
            (["--since", "2020-02-30"], "is not a date or a time of day"),
            (["--since", "25:00"], "is not a date or a time of day"),
            (["--since", "2d", "--until", "3d"], "is not before --until"),
            (["--since", ""], "is not a date or a time of day"),
        ])
    func whatIsNoTimeIsSaid(options: [String], part: String) async throws {
        let outcome = try await Framegrep.run(["find", "GATE", "lobby.mp4"] + options)
        #expect(outcome.status != 0 && outcome.stderr.contains(part), "\(outcome.stderr)")
    }

    @Test(
        arguments: [
            ("2020-05-31", -130_800.0), ("2020-06-01T12:20", 0), ("2020-06-01 12:20:30.5", 30.5),
            ("2020-06-01T03:20Z", 0), ("2020-06-01T05:20:00+02:00", 0), ("2020-06-01T05:20:00+0200", 0),
            ("12:19", -60), ("1:00:30", -40_770), ("today", -44_400), ("yesterday", -130_800), ("now", 0),
            ("2h ago", -7200), ("90m", -5400), ("1h30m", -5400), ("3d", -259_200), ("1w 1d ago", -691_200),
            ("45s ago", -45), (" 2h ", -7200),
        ])
    func momentsAreUnderstood(text: String, seconds: Double) throws {
        let now = Self.noon + 1200
        let zone = try #require(TimeZone(identifier: "Asia/Seoul"))
        let moment = try #require(WallMoment(text, now: now, in: zone))
        #expect(abs(moment.date.timeIntervalSince(now) - seconds) < 0.001)
    }

    @Test(arguments: [
        "ago", "5", "5x", "m", "1m2h", "2020-6-1", "2020-06-01T", "12:60", "24:00", "2020-06-01T12", "-2h",
    ])
    func othersAreNot(text: String) { #expect(WallMoment(text, now: Self.noon) == nil) }

    /// Returns the part in a range of a recording that begins at noon and lasts ten seconds.
    @Test func partsOfRecordings() {
        func part(_ since: Double?, _ until: Double?, to: Double? = nil) -> [Double?]? {
            WallRange(since: since.map { Self.noon + $0 }, until: until.map { Self.noon + $0 })
                .part(
                    from: Self.noon, length: StreamTime(seconds: 10), of: (nil, to.map { StreamTime(seconds: $0) })
                ).map { [$0.from?.seconds, $0.to?.seconds] }
        }
        #expect(part(-5, 20) == [nil, nil])
        #expect(part(2, 5) == [2, 5])
        #expect(part(2, nil) == [2, nil])
        #expect(part(nil, 5, to: 3) == [nil, 3])
        #expect(part(10, nil) == nil && part(nil, 0) == nil && part(4, nil, to: 3) == nil)
    }
}
