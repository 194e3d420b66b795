import Errors
import Foundation
import Testing
import TextSpotting

@testable import TextIndex

/// The file of the catalog: what follows it, and what stands in the way to it.
@Suite struct CatalogFileTests {
    private let folder = IndexTestFolder()

    private func bytes(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }

    private func write(_ bytes: [UInt8], to path: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }

    private func check() throws -> [TextIndex.Finding] {
        try #require(try TextIndex.forSearching(try folder.folder())).check()
    }

    /// SQLite reads nothing behind its last page, so that nothing is lost: neither what was read, nor what the catalog
    /// alone knows.
    @Test(arguments: [1, 100, 4096, 10_000]) func whatFollowsTheCatalogIsFoundAndRemoved(count: Int) throws {
        do {
            let index = try TextIndex.forWriting(try folder.folder())
            for name in ["a", "b"] {
                _ = try index.add(Lines.part([Lines.line("EXIT \(name)")]), of: Lines.source(name), inPlaceOf: nil)
            }
            _ = try index.add(Lines.part([Lines.line("EXIT old")]), of: Lines.source("old"), inPlaceOf: nil)
            let old = try #require(try index.sources().first { $0.name == "old" })
            try index.forget([old.id])
            var failed = Lines.source("failed")
            failed.state = .failed
            try index.put(failed)
        }
        let path = folder.path + "/catalog.db"
        let (good, sources) = (try bytes(path), try TextIndex.forSearching(try folder.folder())?.sources())
        #expect(try check().isEmpty)
        try write(good + [UInt8](repeating: 7, count: count), to: path)
        let found = try check()
        #expect(found.map(\.kind) == [.foreignBytes] && found[0].message.contains(" \(count) bytes"), "\(found)")
        let repaired = try TextIndex.repair(try folder.folder())
        #expect(repaired.map(\.kind) == [.foreignBytes] && repaired[0].sources.isEmpty, "\(repaired)")
        #expect(try repaired[0].aside.map { try bytes($0).count } == [good.count + count])
        #expect(try check().isEmpty && bytes(path).count == good.count)
        #expect(try TextIndex.forSearching(try folder.folder())?.sources() == sources)
    }

    /// What cannot be looked at is not taken for missing: a new index might replace it, and the user would not know why
    /// nothing is found.
    @Test func anIndexThatCannotBeLookedAtIsReported() throws {
        let folder = IndexTestFolder()
        _ = try TextIndex.forWriting(try folder.folder())
        let manager = FileManager.default
        let other = IndexTestFolder()
        try manager.createDirectory(atPath: other.path, withIntermediateDirectories: true)
        try manager.createSymbolicLink(atPath: other.path + "/circle", withDestinationPath: "circle")
        try Data("x".utf8).write(to: URL(fileURLWithPath: other.path + "/file"))
        for place in [folder.path + "/none", other.path, other.path + "/file", other.path + "/file/x"] {
            #expect(try TextIndex.forSearching(try IndexFolder(place)) == nil, "\(place)")
        }
        var hidden = [other.path + "/circle", other.path + "/circle/x"]
        // Nothing is hidden from root.
        if geteuid() != 0 {
            hidden.append(folder.path)
            chmod(folder.path, 0)
        }
        for place in hidden {
            let error = #expect(throws: FramegrepError.self, "\(place)") {
                try TextIndex.forSearching(try IndexFolder(place))
            }
            #expect(error?.code == .indexUnreadable && error?.message.contains("Make sure") == true, "\(place)")
        }
        chmod(folder.path, 0o700)
    }
}
