import Foundation
import Testing

/// docs/ENVIRONMENT.md, or CONTRIBUTING.md for scripts and tests, has every variable that is read, and none that is not.
struct EnvironmentDocumentTests {
    /// Matches functions that take a quoted name (`getenv`, `environment[…]` and the like), and names after a `$` in
    /// scripts.
    // Regex is not Sendable; these are never changed, and matching changes none.
    nonisolated(unsafe) private static let readings: [Regex<(Substring, Substring)>] = [
        #/(?:getenv|g_getenv|variable)\("([A-Z][A-Z0-9_]*)"\)/#,
        #/(?:environment|variables|environ)(?:\[|\.get\()"([A-Z][A-Z0-9_]*)"/#,
    ]
    // As above.
    nonisolated(unsafe) private static let lists = #/(?:\[|, )"([A-Z][A-Z0-9]*_[A-Z0-9_]+|LANG|DISPLAY)"(?=[,\]])/#
    // As above.
    nonisolated(unsafe) private static let expansions = #/\$\{?([A-Z][A-Z0-9_]{2,})/#
    /// The variables of bash itself.
    private static let bash: Set<String> = ["BASH_SOURCE", "PWD", "SECONDS"]

    /// Returns each variable with a file that reads it.
    private static func readVariables() throws -> [String: String] {
        var found: [String: String] = [:]
        func look(in file: String, for patterns: [Regex<(Substring, Substring)>]) throws {
            // Atoms of X have such names too.
            let lines = try Checkout.text(file).split(separator: "\n").filter { !$0.contains("XInternAtom") }
            let text = lines.joined(separator: "\n")
            for match in patterns.flatMap({ text.matches(of: $0) }) { found[String(match.output.1)] = file }
        }
        let code = [".swift", ".c", ".cpp", ".h"]
        for file in ["Sources", "Examples", "Package.swift"].flatMap(Checkout.files(in:))
        where code.contains(where: file.hasSuffix) {
            // Lists of names, each of which is then read: `["LC_ALL", "LANG"].lazy`. (Tests have other words in capitals.)
            try look(in: file, for: readings + [lists])
        }
        for file in Checkout.files(in: "Tests") where file.hasSuffix(".swift") { try look(in: file, for: readings) }
        for file in ["scripts", ".ci"].flatMap(Checkout.files(in:)) where !file.contains("__pycache__") {
            try look(in: file, for: readings + [expansions])
        }
        return found.filter { !bash.contains($0.key) }
    }

    /// Returns the names in the first column of the tables.
    private static func documentedVariables() throws -> Set<String> {
        let documents = try ["docs/ENVIRONMENT.md", "CONTRIBUTING.md"].map(Checkout.text)
        let rows = documents.flatMap { $0.split(separator: "\n") }.filter { $0.hasPrefix("| `") }
        return Set(
            rows.flatMap { row in
                row.split(separator: "|")[0].matches(of: #/`([A-Z0-9_]+)`/#).map { String($0.output.1) }
            })
    }

    @Test func everyVariableThatIsReadIsDocumented() throws {
        let documented = try Self.documentedVariables()
        for (name, file) in try Self.readVariables() where !documented.contains(name) {
            Issue.record("\(file) reads \(name), which neither docs/ENVIRONMENT.md nor CONTRIBUTING.md has.")
        }
    }

    @Test func everyDocumentedVariableIsRead() throws {
        let read = try Self.readVariables()
        // A scan that finds nothing would agree with any document.
        #expect(read.keys.contains("FRAMEGREP_HOME") && read.keys.contains("LC_MESSAGES"))
        for name in try Self.documentedVariables().sorted() where read[name] == nil {
            Issue.record("\(name) is documented, and nothing reads it.")
        }
    }
}
