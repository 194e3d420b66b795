import ArgumentParser
import ClipRendering
import Errors
import Foundation
import TextSpotting

/// Renders clips of the catalog, each with its truth beside it.
struct ClipsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clips", abstract: "Render clips into a folder, each with its truth (NAME.truth.json) beside it.")

    @Argument(help: "The clips to render; all of them by default.")
    var names: [String] = []

    @Option(name: .shortAndLong, help: "The folder for the clips; made if it is not there.")
    var output = "."

    @Option(name: .customLong("extension"), help: "The kind of file: mp4, mkv, webm or avi.")
    var fileExtension = "mp4"

    @Flag(help: "Only list the clips.")
    var list = false

    @Flag(help: "The clips of values that change in one place, in the place of the others.")
    var values = false

    @Flag(help: "The clips with things on them that must not be seen, in the place of the others.")
    var secrets = false

    func run() async throws {
        let catalog = secrets ? ClipCatalog.secrets : values ? ClipCatalog.values : ClipCatalog.all
        guard !list else {
            let width = catalog.map(\.name.count).max() ?? 0
            for scene in catalog {
                print(scene.name.padding(toLength: width + 2, withPad: " ", startingAt: 0) + scene.summary)
            }
            return
        }
        let scenes = names.isEmpty ? catalog : try names.map { try ClipCatalog.scene(named: $0) }
        let encoding = try ClipEncoding(extension: fileExtension)
        do {
            try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: true)
        } catch {
            throw FramegrepError(.outputFailed, "Cannot make the folder \(output): \(error.localizedDescription)")
        }
        for scene in scenes {
            let path = (output as NSString).appendingPathComponent("\(scene.name).\(encoding.rawValue)")
            let clock = ContinuousClock()
            let start = clock.now
            try await ClipRenderer.render(scene, to: path)
            let seconds = (clock.now - start).formatted(.units(allowed: [.seconds], fractionalPart: .show(length: 1)))
            print("\(path)  \(scene.width)×\(scene.height), \(scene.frameCount) frames, \(seconds)")
        }
    }
}
