import CScreen
import Testing
import TextMatching
import TextSpotting

@testable import ScreenSearch
@testable import Screens

struct ScreenPartsTests {
    private func line(_ text: String, at x: Double, _ y: Double) -> TextLine {
        let quad = Quad(Rect(x: x, y: y, width: Double(text.count) * 10, height: 20))
        return TextLine(quad: quad, words: [TextWord(text: text, quad: quad, confidence: 0.99)], confidence: 0.99)
    }

    private func picture(_ mark: (x: Int, y: Int)? = nil) -> Picture {
        var picture = Picture(format: .luma, width: 400, height: 200, bytes: [UInt8](repeating: 9, count: 80_000))
        if let mark { picture.bytes[mark.y * 400 + mark.x] = 200 }
        return picture
    }

    private func findings(_ words: String...) throws -> ScreenFindings {
        ScreenFindings(try SearchMode().matcher(for: words), minimumScore: 0.5)
    }

    @Test func whatChangedIsNoLongerFramed() throws {
        var findings = try findings("EXIT")
        let first = picture()
        findings.take([line("EXIT", at: 20, 20), line("EXIT", at: 20, 100)], of: first, now: first)
        #expect(findings.visible.count == 2)
        findings.look(at: picture((25, 105)))
        #expect(findings.visible.map(\.quad.bounds.minY) == [20])
        findings.look(at: picture((399, 199)))
        #expect(findings.visible.count == 2, "it is as it was when it was read")
    }

    /// A picture with marks as letters have them, some rows further down.
    private func letters(_ places: (x: Int, y: Int)..., scrolledBy shift: Int = 0) -> Picture {
        var picture = picture()
        for place in places {
            for x in 0..<40 {
                for y in 0..<20 where (x * 7 + y * 3 + place.x) % 5 < 2 {
                    let row = place.y + y + shift
                    if (0..<200).contains(row) { picture.bytes[row * 400 + place.x + x] = 200 }
                }
            }
        }
        return picture
    }

    @Test(arguments: [-10, 30, 3]) func whatScrollsKeepsItsFrame(_ shift: Int) throws {
        var findings = try findings("EXIT")
        let read = letters((20, 20), (120, 100))
        findings.take([line("EXIT", at: 20, 20), line("EXIT", at: 120, 100)], of: read, now: read)
        findings.choose(1)
        findings.choose(1)
        findings.look(at: letters((20, 20), (120, 100), scrolledBy: shift))
        #expect(findings.visible.map(\.quad.bounds.minY) == [20, 100].map { Double($0 + shift) })
        #expect(findings.chosenNumber == 2)
        findings.look(at: letters((20, 20), (120, 100), scrolledBy: 2 * shift))
        #expect(findings.chosenNumber == findings.visible.count)
        findings.look(at: picture())
        #expect(findings.visible.isEmpty)
        findings.look(at: read)
        #expect(findings.visible.map(\.quad.bounds.minY) == [20, 100], "it came back")
    }

    @Test func whatIsReadWhileItScrollsIsFramedWhereItIsNow() throws {
        var findings = try findings("EXIT")
        let (read, now) = (letters((20, 60)), letters((20, 60), scrolledBy: -28))
        findings.see(line("EXIT", at: 20, 60), in: read, now: now)
        #expect(findings.visible.map(\.quad.bounds.minY) == [32])
        findings.take([line("EXIT", at: 20, 60)], of: read, now: now)
        #expect(findings.visible.map(\.quad.bounds.minY) == [32])
    }

    @Test func aWordInTheOldPlaceOfAnotherIsFramedOnce() throws {
        var findings = try findings("EXIT")
        let read = letters((20, 20), (20, 60))
        findings.take([line("EXIT", at: 20, 20), line("EXIT", at: 20, 60)], of: read, now: read)
        findings.look(at: letters((20, 60), scrolledBy: -40))
        #expect(findings.visible.map(\.quad.bounds.minY) == [20])
    }

    @Test func anotherWordIsLookedForInWhatWasRead() throws {
        var findings = try findings("EXIT")
        findings.take([line("EXIT", at: 20, 20), line("GATE", at: 20, 100)], of: picture(), now: picture())
        findings.search(for: try SearchMode().matcher(for: ["GATE"]), in: picture())
        #expect(findings.visible.map(\.text) == ["GATE"])
    }

    @Test func oneGoesRound() throws {
        var findings = try findings("EXIT")
        findings.take([line("EXIT", at: 20, 20), line("EXIT", at: 20, 100)], of: picture(), now: picture())
        #expect(findings.chosenNumber == nil)
        findings.choose(1)
        #expect(findings.chosenNumber == 1)
        findings.choose(1)
        findings.choose(1)
        #expect(findings.chosenNumber == 1)
        findings.choose(-1)
        #expect(findings.chosenNumber == 2)
        findings.forget()
        #expect(findings.choose(1) == nil)
    }

    @Test func aLineThatIsReadEarlyIsFramedEarly() throws {
        var findings = try findings("EXIT")
        findings.see(line("EXIT", at: 20, 20), in: picture(), now: picture())
        findings.see(line("EXIT", at: 21, 20), in: picture(), now: picture())
        #expect(findings.visible.count == 1)
        findings.take([], of: picture(), now: picture())
        #expect(findings.visible.isEmpty)
    }

    @Test func aBusyScreenIsReadMoreSeldom() {
        var budget = ReadingBudget(share: 0.4, most: 2)
        budget.note(time: 0, used: 0)
        #expect(budget.pause == 0)
        budget.note(time: 2, used: 2)
        #expect(budget.pause == 0, "what was saved up")
        budget.note(time: 4, used: 6)
        #expect(abs(budget.pause - 6) < 0.001)
        let pause = budget.pause
        budget.note(time: 4 + pause, used: 6)
        #expect(budget.pause < 0.001)
        budget.note(time: 1000, used: 6)
        #expect(budget.left == 2, "no more is saved up")
    }

    @Test func aFrameIsAroundItsPlace() {
        let place = Rect(x: 100, y: 50, width: 80, height: 20)
        let bars = DesktopFrame(place: place, color: .white, thickness: 2).bars
        #expect(bars.count == 4)
        for bar in bars {
            let rect = Rect(x: Double(bar.x), y: Double(bar.y), width: Double(bar.width), height: Double(bar.height))
            #expect(rect.intersection(place).isEmpty, "the letters stay as they are")
            #expect(!rect.isEmpty && !rect.intersection(place.grown(by: 4)).isEmpty)
        }
    }

    @Test func theBarSaysWhatIsGoingOn() {
        var bar = ScreenBar(words: ["EXIT"])
        func text() -> String { bar.runs.map(\.text).joined() }
        #expect(text().contains("reading"))
        bar.isReading = false
        #expect(text().contains("not there"))
        (bar.found, bar.chosen, bar.hasKeys) = (3, 2, true)
        #expect(text().contains("2 of 3") && text().contains("Esc"))
        (bar.typed, bar.cursor) = ("gate", 2)
        #expect(text().contains("ga▏te"))
    }
}
