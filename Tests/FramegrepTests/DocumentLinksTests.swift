import Foundation
import Testing

/// Links from one document to another lead somewhere, and the tour of the code names files that exist.
@Suite struct DocumentLinksTests {
    @Test func linksLeadToFilesAndHeadings() throws {
        for name in Self.documents {
            for link in try Checkout.text(name).matches(of: #/\]\(([^)\s]+)\)/#).map(\.1)
            where link.wholeMatch(of: #/[a-z]+:.*/#) == nil {
                let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
                let target = parts[0].isEmpty ? name : Self.path(String(parts[0]), from: name)
                guard Self.exists(target) else {
                    Issue.record("\(name) links to \(link), which does not exist.")
                    continue
                }
                guard parts.count == 2, target.hasSuffix(".md") else { continue }
                #expect(
                    try Self.anchors(of: target).contains(String(parts[1])), "\(name): \(link) has no such heading.")
            }
        }
    }

    @Test func tourNamesFilesThatExist() throws {
        let steps = try Checkout.text("docs/ARCHITECTURE.md").matches(of: #/(?m)^\d+\. `([^`]+)`/#)
        #expect(steps.count > 20)
        for step in steps {
            #expect(Self.exists("Sources/\(step.1).swift"), "\(step.1)")
        }
    }

    private static let documents: [String] = {
        let names = FileManager.default.enumerator(atPath: Checkout.path + "/docs")?.compactMap { $0 as? String } ?? []
        return names.filter { $0.hasSuffix(".md") }.map { "docs/\($0)" }.sorted()
            + ["README.md", "README.ko.md", "CONTRIBUTING.md", "THIRD_PARTY.md"]
    }()

    private static func exists(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: "\(Checkout.path)/\(name)")
    }

    /// Returns the path of a link from the top of the checkout.
    private static func path(_ link: String, from document: String) -> String {
        URL(fileURLWithPath: "/\(document)").deletingLastPathComponent().appendingPathComponent(link).standardized.path
            .replacing(#/^\//#, with: "")
    }

    /// Returns the anchors that GitHub gives the headings of a document.
    private static func anchors(of name: String) throws -> Set<String> {
        var isInside = false
        var result = Set<String>()
        for line in try Checkout.text(name).split(separator: "\n") {
            if line.hasPrefix("```") { isInside.toggle() }
            guard !isInside, let heading = line.wholeMatch(of: #/#+ (.*)/#)?.1 else { continue }
            let plain = heading.replacing(#/\[([^\]]*)\]\([^)]*\)/#) { String($0.output.1) }
            result.insert(
                plain.lowercased().filter { $0.isLetter || $0.isNumber || "_- ".contains($0) }.replacing(" ", with: "-")
            )
        }
        return result
    }
}
