import Foundation
import Spotter
import TestSupport
import Testing
import TextMatching
import TextSpotting

@testable import framegrep

/// How sightings are printed, as values and by the program: which words are colored, in which order they come, what their files are called.
@Suite(.timeLimit(.minutes(5))) struct PrintedSightingsTests {
    private static func sighting(_ text: String, in line: String, place: Range<Int>?, start: Double = 1) -> Sighting {
        let time = FrameTime(index: 0, start: StreamTime(seconds: start + 0.5), duration: StreamTime(seconds: 0.04))
        var sighting = Sighting(
            id: 1, patternIndex: 0, pattern: text, text: text, line: line, start: StreamTime(seconds: start),
            end: StreamTime(seconds: start + 2), score: 1,
            peak: .init(time: time, quad: Quad(Rect(x: 0, y: 0, width: 10, height: 10))))
        sighting.place = place
        return sighting
    }

    /// Returns the line with the colored parts in brackets.
    private static func marked(_ sightings: [Sighting]) -> String {
        let colored = TextFormatter(isColored: true, showsNames: false)
            .format(together: sightings, of: ShownSource(name: "a.mp4", isStill: true))
        return colored.replacing("\u{1B}[01;31m", with: "[").replacing("\u{1B}[m", with: "]")
    }

    /// If a word occurs several times in a line, the occurrence that was found is colored.
    @Test func theWordsThatWereFoundAreColored() {
        let line = "> gum choose gum ana banana 가다 나가다"
        for text in ["gum", "ana", "a", "가다", "choose gum"] {
            let characters = Array(line)
            let starts = (0...(characters.count - text.count)).filter {
                String(characters[$0..<$0 + text.count]) == text
            }
            #expect(!starts.isEmpty)
            for start in starts {
                let expected =
                    String(characters[..<start]) + "[" + text + "]" + String(characters[(start + text.count)...])
                let place = start..<start + text.count
                #expect(Self.marked([Self.sighting(text, in: line, place: place)]) == expected, "\(text) at \(start)")
            }
        }
        // In a line that is printed once for several matches, each is colored.
        let several = [20..<23, 2..<5].map { Self.sighting("gum", in: "> gum choose or else gum", place: $0) }
        #expect(Self.marked(several.reversed()).hasPrefix("> [gum] choose or else ["))
        // If the place is unknown or out of date, the first occurrence is colored.
        for place in [nil, 3..<6, 900..<903] {
            #expect(Self.marked([Self.sighting("gum", in: "a gum gum", place: place)]) == "a [gum] gum")
        }
    }

    /// The matcher reports the place, and a sighting keeps it.
    @Test func theMatchersPlaceIsTheSightings() throws {
        let line = TextLine(
            quad: Quad(Rect(x: 0, y: 0, width: 240, height: 30)),
            words: ["gum", "and", "gum"].enumerated().map {
                TextWord(text: $1, quad: Quad(Rect(x: Double($0) * 80, y: 0, width: 60, height: 30)), confidence: 1)
            }, confidence: 1)
        let matches = Matcher(patterns: [try Pattern(text: "gum")]).matches(in: line)
        #expect(matches.map(\.characterRange) == [0..<3, 8..<11])
    }

    /// Pictures and clips of a sighting are named by its start as printed, because people look for them by that.
    @Test func filesAreNamedByTheStart() {
        let pictures = SightingPictures(folder: "x", source: "clips/lobby.mp4")
        for start in [0, 1.5, 59.9996, 3723.0004, 360_000.25] {
            let sighting = Self.sighting("EXIT", in: "EXIT", place: nil, start: start)
            let printed = ClockTime.text(sighting.start).replacing(":", with: ".")
            #expect(pictures.name(of: sighting) == "lobby-\(printed)-1-EXIT")
        }
    }

    // MARK: Order

    /// Renders words of which the later ones end first.
    private func nested() async throws -> String {
        try await ClipCache.shared.path(
            "nested.mp4",
            KnownClip(words: [
                KnownWord(text: "GATE", x: 40, y: 30, frames: 5..<75),
                KnownWord(text: "BUBBLES", x: 230, y: 130, frames: 20..<30),
                KnownWord(text: "EXIT 12", x: 60, y: 260, frames: 10..<45),
            ]))
    }

    private func find(_ arguments: [String]) async throws -> Framegrep.Outcome {
        try await Framegrep.run(["find", "--engine", "tesseract", "--language", "eng"] + arguments)
    }

    @Test(arguments: ["text", "jsonl", "csv"]) func resultsComeInTheOrderOfTheirStarts(format: String) async throws {
        let clip = try await nested()
        let words = ["-e", "GATE", "-e", "BUBBLES", "-e", "EXIT", clip, "--format", format]
        let usual = try await find(words)
        let sorted = try await find(words + ["--sort", "start"])
        #expect(sorted.status == 0 && sorted.stderr == "", "\(sorted)")
        #expect(sorted.lines.sorted() == usual.lines.sorted() && sorted.lines != usual.lines, "\(sorted)\n\(usual)")
        let order = sorted.lines.compactMap { line in ["GATE", "BUBBLES", "EXIT"].first { line.contains($0) } }
        #expect(order == ["GATE", "EXIT", "BUBBLES"], "\(sorted)")
        // The order is that of each input, as without the option.
        let twice = try await find(words + [clip, "--sort", "start", "-j", "2"])
        let results = sorted.lines.filter { !$0.hasPrefix("source,") }
        #expect(twice.lines.filter { !$0.hasPrefix("source,") } == results + results, "\(twice)")
    }

    @Test func anOrderThatThereIsNoneOf() async throws {
        let outcome = try await find(["GATE", "x.mp4", "--sort", "score"])
        #expect(outcome.status == 2 && outcome.stderr.contains("start"), "\(outcome)")
    }

    /// WebVTT does not allow a cue to begin before the one above it, but a paragraph may be read before another that
    /// began earlier.
    @Test(arguments: ["srt", "vtt"]) func subtitlesOfATranscriptAreInOrder(format: String) async throws {
        let clip = try await ClipCache.shared.path(
            "columns.mp4",
            KnownClip(words: [
                KnownWord(text: "Second upper", x: 40, y: 30, size: 36, frames: 18..<75),
                KnownWord(text: "First lower", x: 40, y: 260, size: 36, frames: 0..<75),
            ]))
        let outcome = try await find(["--transcript", clip, "--format", format])
        let cues = outcome.lines.filter { $0.contains(" --> ") }.map { $0.replacing(",", with: ".") }
        #expect(cues.count == 2 && cues == cues.sorted(), "\(outcome)")
        let texts = outcome.lines.filter { $0.hasPrefix("First") || $0.hasPrefix("Second") }
        #expect(texts == ["First lower", "Second upper"], "\(outcome)")
        let text = try await find(["--transcript", clip])
        #expect(text.lines.map { $0.suffix(5) } == ["lower", "upper"], "\(text)")
        #expect(
            try await find(["--transcript", clip, "--sort", "start"]).lines.map { $0.suffix(5) } == ["lower", "upper"])
    }

    // MARK: What a transcript leaves out

    @Test func whatATranscriptLeavesOutIsSaid() async throws {
        let rate = 2
        let clip = try await ClipCache.shared.path(
            "station.mp4",
            KnownClip(
                frameCount: 44, rate: rate,
                words: [
                    KnownWord(text: "ACME NEWS", x: 440, y: 6, size: 24, frames: 0..<44),
                    KnownWord(text: "Good evening", x: 40, y: 150, frames: 2..<10),
                    KnownWord(text: "Some rain tomorrow", x: 40, y: 250, size: 36, frames: 20..<30),
                ]))
        let outcome = try await find(["--transcript", clip])
        #expect(outcome.lines.count == 2 && !outcome.stdout.contains("ACME"), "\(outcome)")
        #expect(
            outcome.stderr
                == "framegrep: \(clip): left out because it stays through most of it: 'ACME NEWS'; add --all-text to print that too.\n",
            "\(outcome)")
        let whole = try await find(["--transcript", "--all-text", clip])
        #expect(whole.stdout.contains("ACME NEWS") && whole.stderr == "", "\(whole)")
        #expect(try await find(["--transcript", "-q", clip]).stderr == "")
    }

    @Test func manyTextsAreSaidInOneLine() {
        func sentence(_ count: Int) -> String? {
            SightingPrinter.sentence(
                about: (0..<count).map { Self.sighting("w\($0)", in: "line \($0)", place: nil) }, in: "a.mp4")
        }
        #expect(sentence(0) == nil)
        #expect(sentence(1)?.contains("of it: 'line 0'; add --all-text") == true)
        #expect(sentence(2)?.contains("of it: 'line 0' and 'line 1'; add") == true)
        #expect(sentence(5)?.contains("of it: 'line 0', 'line 1', 'line 2' and 2 more; add") == true)
    }
}
