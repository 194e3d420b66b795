import Foundation
import OverlayDrawing
import Painting
import TestSupport
import Testing
import TextSpotting

/// Words that are not written from left to right in Latin letters are found as typed, at their places.
@Suite(.serialized, .timeLimit(.minutes(5))) struct WritingDirectionsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(
        .enabled(if: Scripts.areRead, "the networks are not installed"),
        arguments: [
            ("rus", ["Следующая станция", "Москва"], ["Москва", "следующая станция"], "Минск"),
            ("ell", ["Επόμενη στάση", "Αθήνα"], ["Αθήνα", "επόμενη στάση"], "Πάτρα"),
            // As typed, with the first letter first, although it is on the right.
            ("ara", ["مرحبا بكم", "باب الخروج"], ["مرحبا", "باب الخروج"], "القاهرة"),
            ("heb", ["ברוכים הבאים", "דלת יציאה"], ["ברוכים", "דלת יציאה"], "ירושלים"),
        ])
    func wordsAreFoundAsTheyAreTyped(language: String, lines: [String], wanted: [String], other: String) async throws {
        guard Scripts.has(language) else { return }
        let path = try Scripts.picture(lines, size: 44, in: folder)
        for word in wanted {
            let found = try await Framegrep.run(["find", word, path, "--format", "jsonl"])
            #expect(found.status == 0, "\(found)")
            let line = try #require(found.objects.first?["line"] as? String)
            #expect(lines.contains(Scripts.plain(line)), "in the order in which it is read: \(line)")
        }
        #expect(try await Framegrep.run(["find", other, path]).status == 1)
        let all = try await Framegrep.run(["find", "--all-text", "--language", language, path])
        #expect(Scripts.texts(all).map(Scripts.plain) == lines, "\(all)")
    }

    /// A word of the first line's left end begins on the right where it is written from there.
    @Test(.enabled(if: Scripts.areRead && Scripts.has("heb"), "the networks or tesseract-ocr-heb are not installed"))
    func aWordWrittenFromTheRightIsWhereItStands() async throws {
        let path = try Scripts.picture(["ברוכים הבאים"], size: 44, in: folder)
        func box(_ word: String) async throws -> [Double] {
            let found = try await Framegrep.run(["find", word, path, "--format", "jsonl"])
            let peak = try #require(found.objects.first?["peak"] as? [String: Any], "\(found)")
            let quad = try #require(peak["quad"] as? [[Double]])
            return [quad.map { $0[0] }.min() ?? 0, quad.map { $0[0] }.max() ?? 0]
        }
        let (first, second) = (try await box("ברוכים"), try await box("הבאים"))
        #expect(first[0] > second[1] - 4, "the first word is the right one: \(first), \(second)")
    }

    // MARK: Columns

    /// Draws letters below each other, the first column on the right.
    private func columns(_ columns: [String]) throws -> String {
        let canvas = try Canvas(width: 500, height: 560, color: OverlayColor(hex: 0xF0F0EA))
        for (number, column) in columns.enumerated() {
            for (row, letter) in column.enumerated() {
                _ = canvas.draw(
                    CanvasText(String(letter), font: .sans, size: 40),
                    at: .move(to: Point(380 - 130 * Double(number), 50 + 46 * Double(row))))
            }
        }
        try PNGWriter.write(canvas, to: folder.file("columns.png"))
        return folder.file("columns.png")
    }

    @Test(
        .enabled(
            if: Scripts.areRead && Scripts.hasFont(for: "zh") && Scripts.hasFont(for: "ja"),
            "the networks, or fonts for Chinese and Japanese, are not installed"),
        arguments: [
            (["人民大会堂北门", "中央图书馆"], ["人民大会堂", "图书馆"], "体育馆"),
            (["東京都美術館入口", "新宿駅南口"], ["美術館", "新宿駅"], "博物館"),
            (["ひらがなのほん", "すきやきべんとう"], ["がなのほん", "べんとう"], "さようなら"),
        ])
    func columnsAreReadFromTheTop(columns: [String], wanted: [String], other: String) async throws {
        let path = try self.columns(columns)
        for (number, word) in wanted.enumerated() {
            let found = try await Framegrep.run(["find", word, path, "--format", "jsonl"])
            #expect(found.status == 0, "\(found)")
            let peak = try #require(found.objects.first?["peak"] as? [String: Any])
            let quad = try #require(peak["quad"] as? [[Double]])
            let (x, y) = (quad.map { $0[0] }, quad.map { $0[1] })
            let column = columns[number]
            let start = column.distance(from: column.startIndex, to: try #require(column.range(of: word)).lowerBound)
            let left = 380 - 130 * Double(number)
            let top = 50 + 46 * Double(start)
            // The letters of the word, to half of one.
            #expect(abs((x.min() ?? 0) - left) < 16 && abs((x.max() ?? 0) - left - 40) < 16, "\(quad)")
            #expect(
                abs((y.min() ?? 0) - top - 8) < 23 && abs((y.max() ?? 0) - top - 46 * Double(word.count)) < 23,
                "\(quad)")
        }
        #expect(try await Framegrep.run(["find", other, path]).status == 1)
    }
}
