import Errors
import Foundation
import Testing
import TextSpotting

@testable import NeuralOCR

/// The messages when a part of the engine is missing or damaged.
struct InstallationTests {
    /// A separate folder for a test, removed at its end.
    final class Folder {
        let path: String

        init() throws {
            path = NSTemporaryDirectory() + "framegrep-test-\(UUID().uuidString)"
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }

        func write(_ data: Data, _ name: String) throws {
            let file = path + "/" + name
            try FileManager.default.createDirectory(
                atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
            try data.write(to: URL(fileURLWithPath: file))
        }

        /// Links everything of the real installation but what `isLeftOut` names.
        func link(_ folder: String, leavingOut isLeftOut: (String) -> Bool) throws {
            for name in FileManager.default.enumerator(atPath: folder)?.compactMap({ $0 as? String }) ?? [] {
                var isFolder: ObjCBool = false
                let source = folder + "/" + name
                guard FileManager.default.fileExists(atPath: source, isDirectory: &isFolder), !isFolder.boolValue,
                    !isLeftOut(name)
                else { continue }
                let target = path + "/" + name
                try FileManager.default.createDirectory(
                    atPath: (target as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
                try FileManager.default.createSymbolicLink(atPath: target, withDestinationPath: source)
            }
        }
    }

    func failure(_ folder: Folder, _ level: NeuralLevel = .fast) async -> FramegrepError? {
        var settings = NeuralEngine.Settings()
        settings.level = level
        do {
            _ = try await NeuralEngine.load(from: folder.path, settings: settings)
            return nil
        } catch {
            return error as? FramegrepError
        }
    }

    func expect(_ error: FramegrepError?, toName file: String) {
        #expect(error?.code == .engineUnavailable)
        #expect(error?.message.contains(file) == true, "\(error?.message ?? "no error")")
        #expect(error?.message.contains("framegrep setup") == true)
    }

    @Test func anEmptyFolderNamesAMissingModel() async throws {
        let folder = try Folder()
        expect(await failure(folder), toName: "models/tiny/det.onnx")
        let found = NeuralInstallation.inspect(folder.path)
        #expect(found.folder == folder.path)
        #expect(found.levels.isEmpty)
        #expect(found.runtimeVersion == nil)
        #expect(found.problem?.contains("\(folder.path)/lib") == true)
    }

    @Test func aMissingLibraryIsNamed() async throws {
        let folder = try Folder()
        for name in ["det.onnx", "rec.onnx", "dictionary.txt"] {
            try folder.write(Data("x".utf8), "models/tiny/" + name)
        }
        expect(await failure(folder), toName: folder.path + "/lib")
        try folder.write(Data(), "lib/other.so")
        expect(await failure(folder), toName: "libopenvino_c.so")
    }

    @Test func aDamagedLibraryIsNamed() async throws {
        let folder = try Folder()
        for name in ["det.onnx", "rec.onnx", "dictionary.txt"] {
            try folder.write(Data("x".utf8), "models/tiny/" + name)
        }
        try folder.write(Data("not a library".utf8), "lib/libopenvino_c.so.2641")
        expect(await failure(folder), toName: "libopenvino_c.so.2641")
    }

    @Test(
        .enabled(if: Engines.isInstalled, "the neural engine is not installed"),
        arguments: ["models/tiny/det.onnx", "models/tiny/rec.onnx"], [0, 100, 700_000])
    func aTruncatedModelIsNamed(name: String, length: Int) async throws {
        let installed = try #require(Engines.installation.folder)
        let folder = try Folder()
        try folder.link(installed) { $0 == name }
        let whole = try Data(contentsOf: URL(fileURLWithPath: installed + "/" + name))
        try folder.write(whole.prefix(length), name)
        expect(await failure(folder), toName: name)
    }

    @Test(.enabled(if: Engines.isInstalled, "the neural engine is not installed"))
    func aDictionaryOfAnotherModelIsNoticed() async throws {
        let folder = try Folder()
        let installed = try #require(Engines.installation.folder)
        try folder.link(installed) { $0 == "models/tiny/dictionary.txt" }
        try folder.write(Data("a\nb\n".utf8), "models/tiny/dictionary.txt")
        expect(await failure(folder), toName: "models/tiny/dictionary.txt")
    }

    @Test(.enabled(if: Engines.isInstalled, "the neural engine is not installed"))
    func theInstalledEngineTellsItsVersionAndLevels() {
        #expect(Engines.installation.problem == nil)
        #expect(Engines.installation.levels == NeuralLevel.allCases)
        #expect(Engines.installation.runtimeVersion?.hasPrefix("2026.") == true)
    }
}
