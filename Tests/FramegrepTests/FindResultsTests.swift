import Foundation
import TestSupport
import Testing
import TextSpotting

/// The results of `find` in a clip whose words, places and times are known.
@Suite(.serialized, .timeLimit(.minutes(5))) struct FindResultsTests {
    private let clip = KnownClip.cuts
    private let frame = 1.0 / 25

    private func find(_ arguments: String..., in path: String) async throws -> Framegrep.Outcome {
        try await Framegrep.run(["find", "--engine", "tesseract"] + arguments + [path])
    }

    @Test(arguments: ["GATE", "BUBBLES", "EXIT", "12", "EXIT 12", "kitchen"])
    func aWordIsFoundWhereAndWhenItIs(word: String) async throws {
        let outcome = try await find("-e", word, "--format", "jsonl", in: try await cutsClip())
        #expect(outcome.status == 0)
        #expect(outcome.stderr == "")
        #expect(outcome.objects.count == 1)
        let sighting = try #require(outcome.objects.first)
        let text = clip.words.map(\.text).first { $0.localizedCaseInsensitiveContains(word) } ?? ""
        let part = text.localizedCaseInsensitiveContains(word) && word == "kitchen" ? "Kitchen" : word
        let frames = try #require(clip.frames(of: part))
        let (start, end) = (try #require(sighting["start"] as? Double), try #require(sighting["end"] as? Double))
        #expect(abs(start - Double(frames.lowerBound) * frame) <= frame + 0.001)
        #expect(abs(end - Double(frames.upperBound) * frame) <= frame + 0.001)
        let peak = try #require(sighting["peak"] as? [String: Any])
        let time = try #require(peak["t"] as? Double)
        #expect(time >= start && time < end)
        let box = try #require(rect(peak["quad"]))
        let truth = try #require(try clip.place(of: part, inFrame: Int((time / frame).rounded())))
        #expect(box.overlap(truth) >= 0.6, "\(box) \(truth)")
    }

    @Test func hardCutsAreExactToTheFrame() async throws {
        let outcome = try await find("-e", "BUBBLES", "-e", "EXIT", "--format", "jsonl", in: try await cutsClip())
        let times = outcome.objects.map { [$0["start"], $0["end"]].compactMap { $0 as? Double } }
        #expect(times.contains { abs($0[0] - 0.8) < 0.001 && abs($0[1] - 2.0) < 0.001 })
        #expect(times.contains { abs($0[0] - 1.4) < 0.001 && abs($0[1] - 3.0) < 0.001 })
    }

    @Test func everyWordOfAPageIsFoundAndNoAbsentOne() async throws {
        let words = [
            "STATION", "PLATFORM", "Departure", "ARRIVAL", "Ticket", "KIOSK", "Platform", "Coffee", "WEEKEND",
            "Northern",
        ]
        let page = KnownClip(
            frameCount: 50,
            words: words.enumerated().map {
                KnownWord(text: $1, x: $0 % 2 == 0 ? 30 : 350, y: Double(15 + $0 / 2 * 68), size: 38, frames: 0..<50)
            })
        let path = try await ClipCache.shared.path("page.mp4", page)
        let patterns = Set(words.map { $0.lowercased() })
        let found = try await Framegrep.run(
            ["find", "--engine", "tesseract", "--format", "jsonl"] + patterns.sorted().flatMap { ["-e", $0] } + [path])
        #expect(found.status == 0)
        #expect(Set(found.objects.compactMap { $0["pattern"] as? String }) == patterns)
        let absent = ["elevator", "Bahnhof", "zebra", "statiom", "departed", "xq", "kiosks", "99"]
        let missed = try await Framegrep.run(
            ["find", "--engine", "tesseract", "--format", "jsonl"] + absent.flatMap { ["-e", $0] } + [path])
        #expect(missed.status == 1)
        #expect(missed.stdout == "" && missed.stderr == "")
    }

    @Test func movingTextIsOneSightingAndItsBoxesFollow() async throws {
        let pan = KnownClip(words: [KnownWord(text: "MOVING", x: 20, y: 150, frames: 0..<75, speed: 4)])
        let path = try await ClipCache.shared.path("pan.mp4", pan)
        let folder = try TemporaryFolder()
        let outcome = try await find("-e", "MOVING", "--format", "jsonl", "--boxes", folder.file("boxes"), in: path)
        #expect(outcome.objects.count == 1)
        let text = try String(contentsOfFile: folder.file("boxes"), encoding: .utf8)
        let boxes = text.split(separator: "\n").compactMap {
            try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }
        #expect(boxes.count >= 73)
        for box in boxes {
            #expect(box["type"] as? String == "box" && box["id"] as? Int == 1)
            let time = try #require(box["t"] as? Double)
            let truth = try #require(try pan.place(of: "MOVING", inFrame: Int((time / frame).rounded())))
            #expect(try #require(rect(box["quad"])).overlap(truth) >= 0.5)
        }
    }

    @Test func twoRunsAreTheSameToTheByteAlsoWithOtherThreadsAndUnderLoad() async throws {
        let path = try await cutsClip()
        let arguments = [
            "find", "-e", "E", "-e", "BUBBLES", "--all-text", "--format", "jsonl", "--engine", "tesseract", path,
        ]
        let first = try await Framegrep.run(arguments)
        #expect(first.status == 0 && !first.stdout.isEmpty)
        for extra in [[], ["--threads", "1"], ["--threads", "2"], ["--threads", "4"]] {
            #expect(try await Framegrep.run(arguments + extra).stdout == first.stdout)
        }
        // Three runs at a time compete with each other.
        let outputs = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<3 { group.addTask { try await Framegrep.run(arguments).stdout } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(outputs == [first.stdout])
    }

    @Test(arguments: [
        ("cuts.mkv", "x264enc bframes=2 speed-preset=veryfast quantizer=18 pass=qual ! matroskamux"),
        ("cuts-b.mp4", "x264enc bframes=3 speed-preset=veryfast quantizer=18 pass=qual ! mp4mux"),
        ("cuts.webm", "vp8enc deadline=1 target-bitrate=4000000 ! webmmux"),
        ("cuts.avi", "jpegenc quality=90 ! avimux"),
        ("cuts.mov", "jpegenc quality=90 ! qtmux"),
        ("cuts-10bit.mkv", "video/x-raw,format=I420_10LE ! avenc_ffv1 ! matroskamux"),
        ("cuts-422.mp4", "video/x-raw,format=Y42B ! x264enc speed-preset=veryfast quantizer=18 pass=qual ! mp4mux"),
        ("cuts-411.mkv", "video/x-raw,format=Y41B ! avenc_ffv1 ! matroskamux"),
        ("cuts-alpha.mkv", "video/x-raw,format=A420 ! avenc_ffv1 ! matroskamux"),
        ("cuts-444.mp4", "video/x-raw,format=Y444 ! x264enc speed-preset=veryfast quantizer=18 pass=qual ! mp4mux"),
    ])
    func containersAndFormatsGiveTheSameTimes(name: String, encoding: String) async throws {
        var clip = clip
        clip.encoding = encoding
        let path = try await ClipCache.shared.path(name, clip)
        let outcome = try await find("BUBBLES", "--format", "jsonl", in: path)
        #expect(outcome.status == 0, "\(outcome.stderr)")
        let sighting = try #require(outcome.objects.first)
        #expect(abs(try #require(sighting["start"] as? Double) - 0.8) <= frame + 0.001)
        #expect(abs(try #require(sighting["end"] as? Double) - 2.0) <= frame + 0.001)
    }

    private func rect(_ quad: Any?) -> Rect? { boundsOf(quad) }
}

/// Returns the bounds of a quad in JSON.
func boundsOf(_ quad: Any?) -> Rect? {
    guard let corners = quad as? [[Double]], corners.count == 4, corners.allSatisfy({ $0.count == 2 }) else {
        return nil
    }
    let points = corners.map { Point($0[0], $0[1]) }
    return Quad(topLeft: points[0], topRight: points[1], bottomRight: points[2], bottomLeft: points[3]).bounds
}
