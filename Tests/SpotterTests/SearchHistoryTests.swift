import Foundation
import Testing

@testable import Spotter

@Suite struct SearchHistoryTests {
    private let folder = NSTemporaryDirectory() + "framegrep-history-\(UUID().uuidString)"
    private var path: String { folder + "/state/framegrep/searches" }

    private func clean() { try? FileManager.default.removeItem(atPath: folder) }

    @Test func searchesAreKeptForTheNextRunNewestFirst() throws {
        defer { clean() }
        let first = SearchHistory(path: path)
        for text in ["EXIT", "GATE 12", "EXIT"] { first.add(text) }
        #expect(SearchHistory(path: path).searches == ["EXIT", "GATE 12"])
    }

    @Test func theFileIsItsOwnersAlone() throws {
        defer { clean() }
        SearchHistory(path: path).add("EXIT")
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: (path as NSString).deletingLastPathComponent) == [
                "searches"
            ])
    }

    @Test func twoRunsAtOnceKeepBoth() {
        defer { clean() }
        let (one, other) = (SearchHistory(path: path), SearchHistory(path: path))
        one.add("A")
        other.add("B")
        one.add("C")
        #expect(SearchHistory(path: path).searches == ["C", "B", "A"])
    }

    @Test func itIsBounded() {
        defer { clean() }
        let history = SearchHistory(path: path)
        for number in 0..<(SearchHistory.limit + 20) { history.add("word \(number)") }
        history.add(String(repeating: "x", count: 5000))
        history.add("two\nlines")
        let kept = SearchHistory(path: path).searches
        #expect(kept.count == SearchHistory.limit && kept.first == "word \(SearchHistory.limit + 19)")
    }

    @Test func nothingIsWrittenWithoutAPathOrForThisRunOnly() {
        defer { clean() }
        let history = SearchHistory(path: nil)
        history.add("EXIT")
        #expect(history.searches == ["EXIT"])
        let other = SearchHistory(path: path)
        other.remember("EXIT")
        #expect(other.searches == ["EXIT"] && !FileManager.default.fileExists(atPath: path))
    }

    @Test func aFolderThatCannotBeWrittenIsNoError() {
        let history = SearchHistory(path: "/proc/nowhere/searches")
        history.add("EXIT")
        #expect(history.searches == ["EXIT"])
    }

    @Test func thePathIsThatOfTheStandard() {
        #expect(SearchHistory.defaultPath(in: ["XDG_STATE_HOME": "/s", "HOME": "/h"]) == "/s/framegrep/searches")
        #expect(
            SearchHistory.defaultPath(in: ["XDG_STATE_HOME": "s", "HOME": "/h"]) == "/h/.local/state/framegrep/searches"
        )
        #expect(SearchHistory.defaultPath(in: [:]) == nil)
    }
}
