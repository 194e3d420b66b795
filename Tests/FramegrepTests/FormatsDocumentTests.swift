import Foundation
import TestSupport
import Testing

/// docs/FORMATS.md states for each format the result for a small file of it, created and searched here.
@Suite(.timeLimit(.minutes(5))) struct FormatsDocumentTests {
    private enum State: String {
        case read = "read"
        /// Refused with a reason.
        case refused = "refused"
        case missed = "opened, but the word is not found"
        case stalled = "nothing comes"
    }

    private static let document = "docs/FORMATS.md"

    private static let find = ["find", "--engine", "tesseract", "--language", "eng", "--threads", "1"]

    /// Creates the file of a row; nil if it cannot be created here.
    private static func file(of row: FormatRow, number: Int, from picture: String, in folder: TemporaryFolder)
        async throws -> String?
    {
        guard let ffmpeg = Tool("ffmpeg") else { return nil }
        let path = folder.file("\(number).\(row.ending)")
        let frames = row.section == .stills ? "1" : "5"
        let made = try await ffmpeg.run(
            ["-v", "error", "-threads", "1", "-loop", "1", "-framerate", "25", "-i", picture, "-frames:v", frames]
                + row.options + ["-y", path])
        guard made.status == 0, ((try? Data(contentsOf: URL(fileURLWithPath: path)))?.count ?? 0) > 0 else {
            return nil
        }
        return path
    }

    /// Returns the result for one file.
    private static func state(of path: String) async throws -> State {
        let outcome = try await Framegrep.run(find + ["GATE", path], timeout: 60)
        if outcome.timedOut { return .stalled }
        switch outcome.status {
        case 0: return outcome.stdout.contains("GATE") ? .read : .missed
        case 1: return .missed
        default:
            let name = URL(fileURLWithPath: path).lastPathComponent
            #expect(outcome.stderr.hasPrefix("framegrep: ") && outcome.stderr.contains(name), "\(outcome)")
            return .refused
        }
    }

    /// Creates and searches every other file, all in one run, because most of the time is spent starting; files without
    /// a result are searched again separately.
    private static func states(part: Int, from picture: String, in folder: TemporaryFolder) async throws
        -> [FormatRow: State]
    {
        var paths: [FormatRow: String] = [:]
        for (number, row) in FormatRow.all.enumerated() where number % 2 == part {
            paths[row] = try await file(of: row, number: number, from: picture, in: folder)
        }
        let all = try await Framegrep.run(find + ["-l", "GATE"] + paths.values.sorted(), timeout: 120)
        let read = Set(all.lines)
        var states: [FormatRow: State] = [:]
        for (row, path) in paths { states[row] = read.contains(path) ? .read : try await state(of: path) }
        return states
    }

    /// Returns the results of two halves that run in parallel.
    private static func states() async throws -> [FormatRow: State] {
        let folder = try TemporaryFolder()
        let picture = folder.file("gate.png")
        try KnownClip(width: 320, height: 120, words: [KnownWord(text: "GATE", x: 60, y: 30, size: 56, frames: 0..<1)])
            .picture(0).writePNG(to: picture)
        async let even = states(part: 0, from: picture, in: folder)
        async let odd = states(part: 1, from: picture, in: folder)
        return try await even.merging(odd) { $1 }
    }

    /// The states that the document has, by section and name.
    private static func documented() throws -> [String: String] {
        var section = ""
        var found: [String: String] = [:]
        for line in try Checkout.text(document).split(separator: "\n") {
            if line.hasPrefix("## ") { section = String(line.dropFirst(3)) }
            // **read**: MP4 `.mp4`; QuickTime `.mov`
            guard let (_, state, names) = line.wholeMatch(of: #/\*\*([^*]+)\*\*: (.*)/#)?.output else { continue }
            for name in names.components(separatedBy: "; ") {
                found["\(section): \(name.components(separatedBy: " `")[0])"] = String(state)
            }
        }
        return found
    }

    private static func key(_ row: FormatRow) -> String { "\(row.section.rawValue): \(row.name)" }

    @Test(.enabled(if: Tool.exists("ffmpeg"))) func theDocumentSaysWhatHappens() async throws {
        let states = try await Self.states()
        // A machine without encoders would agree with any document.
        #expect(states.count > FormatRow.all.count / 2)
        if ProcessInfo.processInfo.environment["FRAMEGREP_WRITE_FORMATS"] != nil { return try Self.write(states) }
        let documented = try Self.documented()
        #expect(Set(documented.keys) == Set(FormatRow.all.map(Self.key)))
        for (row, state) in states {
            // People install plugins: a machine may read more than the document says, and never less.
            if documented[Self.key(row)] == State.refused.rawValue, state == .read { continue }
            #expect(documented[Self.key(row)] == state.rawValue, "\(Self.key(row)) is \(state.rawValue) here")
        }
    }

    /// Writes the document; keeps the text before the first section, and the formats that could not be created here.
    private static func write(_ states: [FormatRow: State]) throws {
        let before = try Checkout.text(document)
        let known = try documented()
        var text = String(before[..<(before.range(of: "\n## ")?.lowerBound ?? before.endIndex)])
        for section in FormatRow.Section.allCases {
            text += "\n## \(section.rawValue)\n"
            let rows = FormatRow.all.filter { $0.section == section }
            let outcomes = rows.map { states[$0]?.rawValue ?? known[key($0)] ?? "not tried" }
            for state in Set(outcomes).sorted() {
                let names = zip(rows, outcomes).filter { $1 == state }.map { "\($0.0.name) `.\($0.0.ending)`" }
                text += "\n**\(state)**: \(names.joined(separator: "; "))\n"
            }
        }
        try text.write(to: URL(fileURLWithPath: Checkout.path + "/" + document), atomically: true, encoding: .utf8)
    }
}
