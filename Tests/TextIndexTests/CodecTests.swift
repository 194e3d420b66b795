import Foundation
import Testing
import TextMatching
import TextSpotting

@testable import TextIndex

/// Written values are read back the same as far as a search can tell.
@Suite struct CodecTests {
    private func roundTrip(_ line: TextLine, path: LinePath = LinePath()) throws -> RecordedLine {
        let recorded = RecordedLine(
            line: line, steps: 3..<9,
            words: line.words.indices.map {
                .init(id: 5 + $0, start: StreamTime(seconds: 1.25), end: StreamTime(seconds: 7.5 + Double($0)))
            }, path: path)
        let bytes = LineCodec.encode(recorded)
        let back = try LineCodec.decode(bytes, text: LineCodec.text(of: line))
        #expect(back.steps == recorded.steps && back.words == recorded.words && back.path == recorded.path)
        return back
    }

    @Test(arguments: ["EXIT", "← EXIT 12", "東京 駅", "Straße e\u{301}a", "नमस्ते 42"])
    func aLineComesBack(text: String) throws {
        let line = Lines.line(text)
        let back = try roundTrip(line).line
        #expect(back.text == line.text)
        for (a, b) in zip(line.words, back.words) {
            #expect(zip(a.quad.corners, b.quad.corners).allSatisfy { ($0 - $1).length < 0.5 })
            #expect(zip(a.characters, b.characters).allSatisfy { abs($0.confidence - $1.confidence) < 0.01 })
            #expect(zip(a.characters, b.characters).allSatisfy { abs($0.start - $1.start) < 0.005 })
        }
    }

    /// A mark that joins the letter before it turns the text into other letters than were read.
    @Test func aLineThatWouldComeBackAsAnotherIsNotKept() {
        var line = Lines.line("GATE 12")
        #expect(LineCodec.canBeKept(line))
        line.words[1].characters[1].character = "\u{301}"
        #expect(!LineCodec.canBeKept(line))
    }

    @Test func aTurnedWordKeepsItsCorners() throws {
        var line = Lines.line("GATE 7")
        line.words[1].quad = Quad(
            topLeft: Point(90, 200.25), topRight: Point(110, 190), bottomRight: Point(118, 207),
            bottomLeft: Point(98, 217))
        let back = try roundTrip(line).line
        #expect(back.words[1].quad == line.words[1].quad)
    }

    /// Scores of misread, correctly read and absent texts are those of the evidence itself.
    @Test func scoresComeBack() throws {
        let line = Lines.line("GALE BUBBLES EX1T", others: [2: ("T", 0.3), 14: ("I", 0.45)])
        let back = try roundTrip(line).line
        for word in ["GATE", "GALE", "BUBBLES", "EXIT", "BUBBLED", "GAME"] {
            let matcher = Matcher(patterns: [try Pattern(text: word)])
            let (before, after) = (matcher.matches(in: line), matcher.matches(in: back))
            #expect(before.count == after.count, "\(word)")
            for (a, b) in zip(before, after) {
                #expect(abs(a.score - b.score) < 0.02, "\(word): \(a.score) \(b.score)")
                #expect(zip(a.quad.corners, b.quad.corners).allSatisfy { ($0 - $1).length < 1 })
            }
        }
    }

    /// A line without a doubtful letter takes few bytes besides its text.
    @Test func aSureLineIsSmall() throws {
        let recorded = RecordedLine(
            line: Lines.line("the quick brown fox jumps over the lazy dog"), steps: 0..<1,
            words: (0..<9).map { _ in .init(id: 1, start: .zero, end: StreamTime(seconds: 1)) })
        #expect(LineCodec.encode(recorded).count < 170)
    }

    /// The bytes of a damaged file are rejected, whatever they contain; none makes the program fail.
    @Test func damagedBytesAreRefusedOrRead() throws {
        let line = Lines.line("GATE 12 EXIT", others: [1: ("4", 0.2)])
        let knots = (0..<5).map { LinePath.Knot(frame: 4 * $0, x: Int32(80 * $0), y: 160, width: 160, height: 80) }
        let recorded = RecordedLine(
            line: line, steps: 0..<4,
            words: line.words.map { _ in .init(id: 1, start: .zero, end: StreamTime(seconds: 1)) },
            path: LinePath(base: knots[0], knots: knots))
        let bytes = LineCodec.encode(recorded)
        for length in bytes.indices {
            #expect(throws: ByteReader.Damage.self) {
                try LineCodec.decode(Array(bytes[..<length]), text: "GATE 12 EXIT")
            }
        }
        var random = SystemRandomNumberGenerator()
        for _ in 0..<3_000 {
            var wrong = bytes
            for _ in 0..<3 { wrong[Int.random(in: wrong.indices, using: &random)] = UInt8.random(in: 0...255) }
            guard let line = try? LineCodec.decode(wrong, text: "GATE 12 EXIT") else { continue }
            // Whatever it contains now, it can be searched.
            _ = Matcher(patterns: [try Pattern(text: "GATE")]).matches(in: line.line)
            _ = line.placed(in: 7)
        }
    }

    @Test func timesOfEvenFramesTakeOneRun() {
        var times = FrameTimes()
        // 29.97 frames a second, as containers round it.
        for index in 0..<10_000 {
            let (start, end) = (Int64(index) * 1_001_000_000 / 30, Int64(index + 1) * 1_001_000_000 / 30)
            times.append(
                FrameTime(
                    index: index, start: StreamTime(nanoseconds: start), duration: StreamTime(nanoseconds: end - start))
            )
        }
        #expect(times.runs.count == 1)
        let last = Int64(9_999) * 1_001_000_000 / 30
        #expect(abs((times.time(of: 9_999)?.start.nanoseconds ?? 0) - last) < 1_000)
        #expect(times.time(of: 10_000) == nil)
        #expect(times.frames(in: StreamTime(seconds: 1)..<StreamTime(seconds: 2)).count == 30)
    }

    @Test func aGapBetweenFramesIsKept() throws {
        var times = FrameTimes()
        for start in [0, 40, 80, 500, 540] {
            times.append(
                FrameTime(index: 0, start: .init(seconds: Double(start) / 1000), duration: .init(seconds: 0.04)))
        }
        let back = try PartCodec.decodeFrames(PartCodec.encode(times))
        #expect(back == times && back.count == 5)
        #expect(back.time(of: 3)?.start == StreamTime(seconds: 0.5))
        #expect(back.frames(in: StreamTime(seconds: 0.08)..<StreamTime(seconds: 0.52)) == 2..<4)
    }

    @Test func aPathIsWhereTheWordWas() {
        let base = LinePath.Knot(frame: 10, x: 400, y: 160, width: 160, height: 80)
        let path = LinePath(
            base: base,
            following: [
                .init(frame: 0, x: 0, y: 160, width: 160, height: 80),
                .init(frame: 20, x: 800, y: 160, width: 160, height: 80),
            ])
        let word = Quad(Rect(x: 100, y: 40, width: 40, height: 20))
        #expect(path.place(of: word, in: 10) == word)
        #expect(path.place(of: word, in: 0).topLeft == Point(0, 40))
        #expect(path.place(of: word, in: 15).topLeft == Point(150, 40))
        #expect(path.place(of: word, in: 99).topLeft == Point(200, 40))
    }

    /// A terminal's prompt, read while it was typed: readings locate a word's edges some pixels apart, and the far end
    /// of its line must not move for that. It once did, by a tenth of the distance.
    @Test func aFarWordStaysWhereItWasRead() {
        let path = LinePath(
            base: .init(frame: 65, x: 450, y: 357, width: 291, height: 108),
            following: [
                .init(frame: 5, x: 492, y: 343, width: 242, height: 142),
                .init(frame: 163, x: 485, y: 365, width: 253, height: 99),
            ])
        let far = Quad(Rect(x: 982, y: 88, width: 100, height: 27))
        for frame in [5, 65, 163] {
            #expect(zip(path.place(of: far, in: frame).corners, far.corners).allSatisfy { ($0 - $1).length < 3 })
        }
    }

    /// Text that comes nearer grows, at its far end too.
    @Test func aPathGrowsWithItsWord() {
        let path = LinePath(
            base: .init(frame: 0, x: 400, y: 400, width: 200, height: 80),
            following: [
                .init(frame: 0, x: 400, y: 400, width: 200, height: 80),
                .init(frame: 10, x: 400, y: 400, width: 400, height: 160),
            ])
        let far = Quad(Rect(x: 200, y: 100, width: 50, height: 20))
        #expect(path.place(of: far, in: 0) == far)
        #expect(path.place(of: far, in: 10).topLeft == Point(300, 100))
    }

    @Test func blocksHaveInCommonWhatAllOfThemHold() throws {
        let (few, many) = ([7, 900, 65_535], Array(stride(from: 0, to: 65_536, by: 3)))
        let others = Array(stride(from: 0, to: 65_536, by: 5))
        let blocks = [few, many, others].map { Data(PostingBlock.encode($0.map { UInt16($0) })) }
        #expect(
            try PostingBlock.lines(in: [blocks[1], blocks[2]], atLeast: 2) == Array(stride(from: 0, to: 65_536, by: 15))
        )
        #expect(try PostingBlock.lines(in: blocks, atLeast: 3) == [900, 65_535])
        #expect(try PostingBlock.lines(in: [blocks[0]], atLeast: 1) == few)
        let counts = Dictionary((few + many + others).map { ($0, 1) }, uniquingKeysWith: +)
        for least in 1...3 {
            let wanted = counts.filter { $0.value >= least }.keys.sorted()
            #expect(try PostingBlock.lines(in: blocks, atLeast: least) == wanted)
        }
        #expect(try PostingBlock.lines(in: blocks, atLeast: 4) == [])
        #expect(throws: ByteReader.Damage.self) { try PostingBlock.lines(in: [blocks[1], Data([1, 2])], atLeast: 2) }
    }

    @Test(arguments: [0, 1, 100, 1_000]) func piecesOfWorkKeepTheirOrder(count: Int) throws {
        #expect(try SideBySide.map(Array(0..<count)) { 2 * $0 } == (0..<count).map { 2 * $0 })
        guard count > 0 else { return }
        #expect(throws: ByteReader.Damage.self) {
            try SideBySide.map(Array(0..<count)) { number throws -> Int in
                if number == count - 1 { throw ByteReader.Damage() }
                return number
            }
        }
    }

    @Test(arguments: [[0], [65_535], [0, 1, 2, 700, 65_535], Array(stride(from: 0, to: 65_536, by: 3))])
    func aPostingBlockComesBack(lines: [Int]) throws {
        let block = PostingBlock.encode(lines.map { UInt16($0) })
        #expect(block.count <= 8_193)
        var back: [Int] = []
        try block.withUnsafeBytes { bytes in try PostingBlock.decode(bytes) { back.append($0) } }
        #expect(back == lines)
    }

    @Test func aDamagedPostingBlockIsRefused() {
        for bytes: [UInt8] in [[], [7], [1, 2, 3], [0, 0xFF, 0xFF, 0xFF, 0xFF], [0, 0x80]] {
            #expect(throws: ByteReader.Damage.self) {
                try bytes.withUnsafeBytes { block in try PostingBlock.decode(block) { _ in } }
            }
        }
    }
}
