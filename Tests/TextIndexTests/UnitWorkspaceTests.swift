import Foundation
import Testing

@testable import TextIndex

@Suite struct UnitWorkspaceTests {
    private static func leave(_ name: String, locked: Bool, _ parent: String) throws -> String {
        let folder = "\(parent)/framegrep-unit-\(name)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data("half".utf8).write(to: URL(fileURLWithPath: folder + "/unit"))
        if locked { try Data().write(to: URL(fileURLWithPath: folder + "/lock")) }
        return folder
    }

    /// Leftovers of a killed program are removed; folders in use, or just being created, stay.
    @Test func whatKilledProgramsLeftGoes() throws {
        let parent = NSTemporaryDirectory()
        let name = UUID().uuidString
        let left = try Self.leave(name + "-left", locked: true, parent)
        let young = try Self.leave(name + "-young", locked: false, parent)
        defer { try? FileManager.default.removeItem(atPath: young) }
        var first: UnitWorkspace? = try UnitWorkspace()
        let path = try #require(first?.file)
        #expect(!FileManager.default.fileExists(atPath: left) && FileManager.default.fileExists(atPath: young))
        try Data("mine".utf8).write(to: URL(fileURLWithPath: path))
        let second = try UnitWorkspace()
        #expect(FileManager.default.fileExists(atPath: path) && second.file != path)
        first = nil
        #expect(!FileManager.default.fileExists(atPath: (path as NSString).deletingLastPathComponent))
        second.clear()
        #expect(!FileManager.default.fileExists(atPath: (second.file as NSString).deletingLastPathComponent))
    }
}
