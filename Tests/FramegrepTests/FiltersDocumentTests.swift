import Foundation
import Testing

/// The filters of tests that documents print and `scripts/test` uses name existing tests: Swift reports success if none
/// are run.
@Suite struct FiltersDocumentTests {
    /// Returns all tests in the form that filters use: `Target.Suite/test`.
    private static func tests() throws -> [String] {
        // Regex is not Sendable, so these are not static constants.
        let suite = #/^(?:@Suite.*)?\s?(?:final )?(?:struct|class|actor|extension) (\w+)/#
        let function = #/\bfunc (\w+)/#
        var tests: [String] = []
        for file in Checkout.files(in: "Tests") where file.hasSuffix(".swift") {
            let target = file.split(separator: "/")[1]
            var name = ""
            var isTest = false
            for line in try Checkout.text(file).split(separator: "\n") {
                if let found = line.firstMatch(of: suite) { name = String(found.1) }
                if line.contains("@Test") { isTest = true }
                guard isTest, let found = line.firstMatch(of: function) else { continue }
                tests.append("\(target).\(name)/\(found.1)")
                isTest = false
            }
        }
        return tests
    }

    private static func matches(_ filter: String, _ tests: [String]) throws -> Bool {
        let expression = try Regex(filter)
        return tests.contains { $0.firstMatch(of: expression) != nil }
    }

    @Test func eachPrintedFilterMatchesSomething() throws {
        let tests = try Self.tests()
        #expect(
            tests.count > 500 && tests.contains("FramegrepTests.FiltersDocumentTests/eachPrintedFilterMatchesSomething")
        )
        var filters: [String] = []
        for file in ["CONTRIBUTING.md"] + Checkout.files(in: "docs").filter({ $0.hasSuffix(".md") }) {
            for found in try Checkout.text(file).matches(of: #/--filter (?:'([^']+)'|([A-Za-z\/.]+))/#) {
                let filter = String(found.1 ?? found.2 ?? "")
                // NAME is a placeholder.
                if filter != "NAME" { filters.append(filter) }
            }
        }
        #expect(filters.count >= 5)
        for filter in filters { #expect(try Self.matches(filter, tests), "\(filter)") }
        // A suite written like a folder has no match; `scripts/test` says so.
        #expect(try !Self.matches("NeuralOCRTests/ReadingTests", tests))
    }

    /// This includes the tests that `scripts/test` repeats, which would be skipped silently if they were renamed.
    @Test(arguments: ["reading", "spoken"]) func eachRepeatedSuiteIsThere(name: String) throws {
        let script = try Checkout.text("scripts/test")
        let found = try #require(
            script.firstMatch(of: try Regex("\\b\(name)='\\^\\(([^']+)\\)'", as: (Substring, Substring).self)))
        let suites = found.1.split(separator: "|")
        #expect(suites.count > 3)
        let tests = try Self.tests()
        for suite in suites { #expect(try Self.matches("^" + suite, tests), "\(suite)") }
    }
}
