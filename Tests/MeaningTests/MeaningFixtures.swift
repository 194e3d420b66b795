import Engines
import Foundation
import TextMatching

@testable import Meaning

/// The model of the tests; only used by tests that are enabled when it is installed.
enum Model {
    static let encoder = try? MeaningInstallation.encoder()
    static var isInstalled: Bool { encoder != nil }
    static let reason = "search by meaning is not installed (framegrep setup --meaning)"
}

/// The files beside the tests.
enum Fixture {
    static func lines(_ name: String) throws -> [String] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let text = try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
        return text.split(separator: "\n").map(String.init).filter { !$0.hasPrefix("#") }
    }
}

/// A line, or lines of one block, with the questions about it.
struct MeaningItem {
    /// Its lines joined by spaces.
    var text: String
    var questions: [(language: String, text: String)] = []
    /// Whether it was set aside before anything was tuned.
    var isHeldOut: Bool

    /// Returns the items of `questions.txt`, and for each the items with the same meaning, including itself.
    static func all() throws -> (items: [MeaningItem], alike: [Set<Int>]) {
        var items: [MeaningItem] = []
        var groups: [[String]] = []
        for line in try Fixture.lines("questions.txt") {
            if line.hasPrefix("~ ") {
                groups.append(line.dropFirst(2).components(separatedBy: " | "))
            } else if line.hasPrefix("= ") {
                let text = line.dropFirst(2).replacingOccurrences(of: " / ", with: " ")
                items.append(MeaningItem(text: text, isHeldOut: items.count % 3 == 2))
            } else {
                items[items.count - 1].questions.append((String(line.prefix(2)), String(line.dropFirst(3))))
            }
        }
        let alike = items.indices.map { number in
            let same = groups.first { $0.contains(items[number].text) } ?? []
            return Set(items.indices.filter { $0 == number || same.contains(items[$0].text) })
        }
        return (items, alike)
    }
}

enum MeaningInstallationFolder {
    static var path: String? { MeaningInstallation.find().folder }
}
