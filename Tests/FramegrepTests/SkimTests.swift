import Foundation
import TestSupport
import Testing

/// Key frames only: text that represents their interval is found, and every output states the interval.
@Suite(.serialized, .timeLimit(.minutes(5))) struct SkimTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func framegrep(_ arguments: String...) async throws -> Framegrep.Outcome {
        try await Framegrep.run(
            arguments, environment: ["FRAMEGREP_INDEX": folder.file("index"), "TZ": "Asia/Seoul"])
    }

    /// Nine seconds: one word throughout, two for a little more than three seconds, and one for half a second between
    /// key frames.
    private func clip(_ encoding: String) -> KnownClip {
        KnownClip(
            frameCount: 225,
            words: [
                KnownWord(text: "GATE", x: 40, y: 30, frames: 0..<225),
                KnownWord(text: "BUBBLES", x: 230, y: 130, frames: 30..<110),
                KnownWord(text: "KITCHEN", x: 60, y: 260, frames: 120..<200),
                KnownWord(text: "FLASH", x: 380, y: 260, frames: 80..<92),
            ], encoding: encoding)
    }

    private static let encodings = [
        ("skim-keys.mp4", "x264enc bframes=0 speed-preset=veryfast quantizer=18 pass=qual key-int-max=25 ! mp4mux"),
        (
            "skim-one.mp4",
            "x264enc speed-preset=veryfast quantizer=18 pass=qual key-int-max=1000 option-string=scenecut=0 ! mp4mux"
        ),
        ("skim-all.avi", "jpegenc quality=90 ! avimux"),
    ]

    @Test(arguments: encodings)
    func whatStandsForAnIntervalIsFound(name: String, encoding: String) async throws {
        let path = try await ClipCache.shared.path(name, clip(encoding))
        let words = ["-e", "GATE", "-e", "BUBBLES", "-e", "KITCHEN", "-e", "elevator"]
        let found = try await Framegrep.run(
            ["find", "--engine", "tesseract", "--skim", "--format", "jsonl", "--no-index"] + words + [path])
        #expect(found.status == 0 && found.stderr.contains("3.0 s"), "\(found)")
        try expectWords(found)
    }

    /// Checks that each word is found once, late by no more than the interval, and never early.
    private func expectWords(_ found: Framegrep.Outcome) throws {
        let sightings = found.objects.filter { $0["type"] as? String == "sighting" }
        let truth = ["GATE": (0.0, 9.0), "BUBBLES": (1.2, 4.4), "KITCHEN": (4.8, 8.0)]
        #expect(sightings.count == 3, "\(found.stdout)")
        for sighting in sightings {
            let (start, end) = try #require(truth[sighting["pattern"] as? String ?? ""])
            let slack = try #require(sighting["slack"] as? Double)
            #expect(slack > 2 && slack < 3.1)
            let (first, last) = (sighting["start"] as? Double ?? -1, sighting["end"] as? Double ?? -1)
            #expect(first - slack <= start && start <= first + 0.05, "\(sighting)")
            #expect(last - slack <= end && end <= last + 0.05, "\(sighting)")
        }
    }

    @Test func anIndexSaysWhatWasSkimmedUntilAllIsRead() async throws {
        let path = try await ClipCache.shared.path(Self.encodings[0].0, clip(Self.encodings[0].1))
        let skimmed = try await framegrep("index", "--engine", "tesseract", "--skim", path)
        #expect(skimmed.status == 0 && skimmed.stderr.contains("key frames every 3.0 s"), "\(skimmed)")
        let status = try await framegrep("index", "status").stdout
        #expect(status.contains("skimmed: 1 of these (9 s), pictures up to 3.0 s apart"), "\(status)")
        #expect(try await framegrep("index", "sources").stdout.contains("skim; pictures up to 3.0 s apart"))
        let found = try await framegrep(
            "find", "--format", "jsonl", "-e", "GATE", "-e", "BUBBLES", "-e", "KITCHEN")
        try expectWords(found)
        #expect(found.stderr.contains("all of it skimmed, pictures up to 3.0 s apart"), "\(found.stderr)")
        #expect(found.objects.last?["skimmed_seconds"] as? Double == 9)
        // A search of a named input uses it only if requested.
        let named = try await framegrep("find", "-v", "--skim", "--engine", "tesseract", "GATE", path)
        #expect(named.stderr.contains("from the index"))
        let other = try await framegrep("find", "-v", "--engine", "tesseract", "GATE", path)
        #expect(!other.stderr.contains("from the index"))
        #expect(try await framegrep("index", "--engine", "tesseract", "--skim", path).stderr.contains("1 unchanged"))
        // A complete reading replaces it.
        #expect(try await framegrep("index", "--engine", "tesseract", path).stderr.contains("1 read"))
        let all = try await framegrep("find", "--format", "jsonl", "BUBBLES")
        #expect(all.objects.first?["slack"] == nil && all.objects.first?["start"] as? Double == 1.2, "\(all.stdout)")
        #expect(all.objects.last?["skimmed_seconds"] == nil && all.objects.last?["sources"] as? Int == 1)
        #expect(try await framegrep("index", "sources").stdout.split(separator: "\n").count == 1)
        #expect(try await framegrep("index", "--engine", "tesseract", "--skim", path).stderr.contains("1 unchanged"))
    }
}
