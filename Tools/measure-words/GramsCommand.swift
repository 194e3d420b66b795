import ArgumentParser
import Foundation
import TextMatching
import TextSpotting

/// Measures what an index finds lines by: with what the evidence allows besides the best reading, and without.
struct GramsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "grams", abstract: "Print how many words an index would find, and how many lines it would look at."
    )

    @Argument(help: "Files that 'read' wrote.")
    var readings: [String]

    @Flag(help: "Print the words that all grams with alternatives do not find, and how they were read.")
    var list = false

    /// How many of a word's grams a line must have.
    fileprivate enum Need {
        case all
        /// As many as of lines without evidence: half of them.
        case half
        /// The grams that an index asks for: all of short words, all but two or three of long ones, half of codes.
        case wanted
        /// So many that one letter may be none of those that the evidence allows: all but three, and half of them at least.
        case butOneLetter

        func count(of search: Search) -> Int {
            switch self {
            case .all: search.grams.count
            case .half: search.least
            case .wanted: search.wanted
            case .butOneLetter: max((search.grams.count + 1) / 2, search.grams.count - 3)
            }
        }
    }

    /// A way to look lines up.
    fileprivate struct Way {
        var name: String
        var withAlternatives: Bool
        var need: Need
        var found = 0
        var foundMisread = 0
        var looked = 0
    }

    /// A reading with its grams.
    fileprivate struct Line {
        var best: Set<Gram>
        var all: Set<Gram>
    }

    /// A search word, and the line that contains it.
    fileprivate struct Search {
        var word: String
        /// The text read in its place.
        var read: String
        var grams: [Gram]
        /// How many grams an index asks for, of lines with evidence and of those without.
        var wanted: Int
        var least: Int
        var line: Int
        var isMisread: Bool
    }

    func run() throws {
        let stored = try StoredReading.load(readings).filter { $0.textLine != nil }
        var lines: [Line] = []
        var searches: [Search] = []
        for reading in stored {
            guard let text = reading.textLine?.recognized else { continue }
            let pattern = try Pattern(text: reading.word)
            let best = LineGrams.grams(of: text, withAlternatives: false)
            // Only what reading itself finds can be lost.
            let isFound = Matcher(patterns: [pattern]).matches(in: text).contains { $0.score >= 0.3 }
            if isFound, case .grams(let grams, let wanted, let least) = pattern.candidates {
                let isMisread = !text.text.lowercased().contains(reading.word.lowercased())
                searches.append(
                    Search(
                        word: reading.word, read: text.text, grams: grams, wanted: wanted, least: least,
                        line: lines.count,
                        isMisread: isMisread))
            }
            lines.append(Line(best: best, all: LineGrams.grams(of: text)))
        }
        var ways = [
            Way(name: "best reading, all grams", withAlternatives: false, need: .all),
            Way(name: "best reading, half of them", withAlternatives: false, need: .half),
            Way(name: "alternatives, all grams", withAlternatives: true, need: .all),
            Way(
                name: "alternatives, all but two or three of long words, half of codes", withAlternatives: true,
                need: .wanted),
            Way(name: "alternatives, all but three and half at least", withAlternatives: true, need: .butOneLetter),
            Way(name: "alternatives, half of them", withAlternatives: true, need: .half),
        ]
        for index in ways.indices { ways[index].look(for: searches, in: lines) }
        report(ways, searches, lines)
        guard list else { return }
        for search in searches {
            let missing = search.grams.count { !lines[search.line].all.contains($0) }
            if missing > 0 {
                print("\(search.word), read as \(search.read): \(missing) of \(search.grams.count) grams missing")
            }
        }
    }

    private func report(_ ways: [Way], _ searches: [Search], _ lines: [Line]) {
        let misread = searches.count(where: \.isMisread)
        print("\(lines.count) lines were read; in \(searches.count) the word is found, \(misread) of them misread")
        let (best, all) = (lines.reduce(0) { $0 + $1.best.count }, lines.reduce(0) { $0 + $1.all.count })
        func share(_ part: Int, _ whole: Int) -> String { String(format: "%.3f", Double(part) / Double(max(1, whole))) }
        print("grams: \(best) of the best readings, \(all) with alternatives (\(share(all, best)) times)")
        for way in ways {
            let looked = String(format: "%.2f", Double(way.looked) / Double(max(1, searches.count)))
            print(
                "\(way.name): \(share(way.found, searches.count)) of the words, \(share(way.foundMisread, misread)) of the misread; \(looked) lines looked at for a word"
            )
        }
    }
}

extension GramsCommand.Way {
    fileprivate mutating func look(for searches: [GramsCommand.Search], in lines: [GramsCommand.Line]) {
        for search in searches {
            let needed = need.count(of: search)
            for (number, line) in lines.enumerated() {
                let known = withAlternatives ? line.all : line.best
                var missing = 0
                for gram in search.grams where !known.contains(gram) {
                    missing += 1
                    if search.grams.count - missing < needed { break }
                }
                guard search.grams.count - missing >= needed else { continue }
                looked += 1
                guard number == search.line else { continue }
                found += 1
                foundMisread += search.isMisread ? 1 : 0
            }
        }
    }
}
