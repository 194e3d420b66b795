import Foundation
import Testing

/// The examples of docs/PATTERNS.md, run as printed.
@Suite(.serialized, .timeLimit(.minutes(5))) struct PatternsDocumentTests {
    private struct Row: CustomTestStringConvertible {
        var search: String
        var text: String
        var found: [String]
        var testDescription: String { "\(search) in \(text)" }
    }

    /// Returns the rows of the tables whose columns are search, text and finds.
    private static func rows() throws -> [Row] {
        var isExample = false
        return try Checkout.text("docs/PATTERNS.md").split(separator: "\n", omittingEmptySubsequences: false).compactMap
        { line in
            guard line.hasPrefix("| ") else {
                isExample = false
                return nil
            }
            if line == "| search | text | finds |" { isExample = true }
            guard isExample, line.hasPrefix("| `") else { return nil }
            let cells = line.split(separator: " | ", maxSplits: 2).map(String.init)
            guard cells.count >= 2 else { return nil }
            let finds = cells.count > 2 ? Self.codes(cells[2]) : []
            return Row(search: Self.codes(cells[0])[0], text: Self.codes(cells[1])[0], found: finds)
        }
    }

    private static func codes(_ cell: String) -> [String] {
        cell.split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }
            .map { String($0.element) }
    }

    @Test func tablesSayWhatIsFound() async throws {
        let rows = try Self.rows()
        #expect(rows.count > 45)
        for row in rows {
            // As in a shell: text between apostrophes is one argument.
            let isQuoted = row.search.contains("'")
            let parts =
                isQuoted ? row.search.split(separator: "'", omittingEmptySubsequences: false).map(String.init) : []
            let options =
                isQuoted
                ? parts[0].split(separator: " ").map(String.init) + [parts[1]]
                : row.search.hasPrefix("-") ? row.search.split(separator: " ").map(String.init) : [row.search]
            let outcome = try await Framegrep.run(["explain", "--format", "json"] + options + [row.text])
            let matches = outcome.objects.first?["matches"] as? [[String: Any]] ?? []
            #expect(matches.compactMap { $0["text"] as? String } == row.found, "\(row): \(outcome.stderr)")
            #expect(outcome.status == (row.found.isEmpty ? 1 : 0), "\(row)")
        }
    }

    @Test func theExampleOfExplainIsWhatItPrints() async throws {
        let document = try Checkout.text("docs/PATTERNS.md")
        let blocks = document.components(separatedBy: "```console\n$ framegrep ").dropFirst()
        #expect(!blocks.isEmpty)
        for block in blocks {
            let lines = block.components(separatedBy: "\n```")[0].split(
                separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
            let command = lines[0].split(separator: "'", omittingEmptySubsequences: false).map(String.init)
            let arguments = command[0].split(separator: " ").map(String.init) + [command[1]]
            #expect(try await Framegrep.run(arguments).stdout == lines[1] + "\n")
        }
    }

    @Test func aMissIsExplainedInWords() async throws {
        let near = try await Framegrep.run("explain", "OSCAR", "hello OMAR now")
        #expect(near.status == 1)
        #expect(
            near.stdout.contains("The nearest is 'OMAR': 'M' in place of 's', 'c' is missing."),
            "\(near)")
        #expect(near.stdout.hasSuffix("searched  o s c a r\nread      O M   A R\n"), "\(near)")
        let far = try await Framegrep.run("explain", "EXIT", "the door")
        #expect(
            far.status == 1 && far.stdout.hasSuffix("no match\n  The text contains nothing like the pattern.\n"),
            "\(far)")
        let part = try await Framegrep.run("explain", "-w", "cat", "concat")
        #expect(part.status == 1 && part.stdout.contains("whole words"), "\(part)")
        let programs = try await Framegrep.run("explain", "OSCAR", "hello OMAR now", "--format", "json")
        #expect(programs.objects.first?["doubted"] != nil && programs.objects.first?["steps"] != nil, "\(programs)")
    }

    @Test func explainTakesLinesOfABlockAndSaysItInItsStatus() async throws {
        let parted = try await Framegrep.run(["explain", "recognition", "text recog-", "nition works"])
        #expect(parted.status == 0 && parted.stdout.contains("'recog- nition'"))
        #expect(try await Framegrep.run(["explain", "--all", "-e", "a", "-e", "b", "a"]).status == 1)
        #expect(try await Framegrep.run(["explain", "-e", "a", "-e", "b", "a"]).status == 0)
        #expect(try await Framegrep.run(["explain", "a"]).status == 2)
        #expect(try await Framegrep.run(["explain", " ", "a"]).status == 2)
        let weak = try await Framegrep.run(["explain", "GATE", "GATE", "--confidence", "0.3", "--min-score", "0.9"])
        #expect(weak.status == 1 && weak.stdout.contains("below --min-score"))
        let hostile = try await Framegrep.run(["explain", "x", "\u{1B}[31mxx\u{202E}"])
        #expect(!hostile.stdout.contains("\u{1B}") && !hostile.stdout.contains("\u{202E}"))
    }
}
