import ArgumentParser
import ClipRendering
import Errors
import Foundation
import OverlayDrawing
import Painting
import TextSpotting

/// The program: renders the project's clips, and puts pictures on contact sheets. Ends with 2 after an error.
@main
enum Main {
    static func main() async {
        do {
            var command = try RenderClips.parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let error as FramegrepError {
            fail(error.message)
        } catch {
            guard RenderClips.exitCode(for: error) != .success else {
                return print(RenderClips.fullMessage(for: error))
            }
            fail(RenderClips.message(for: error))
        }
    }

    private static func fail(_ message: String) -> Never {
        FileHandle.standardError.write(Data("render-clips: \(message)\n".utf8))
        exit(2)
    }
}

struct RenderClips: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "render-clips",
        abstract: "Renders clips whose words, places and times are known.",
        subcommands: [ClipsCommand.self, ContactSheetCommand.self], defaultSubcommand: ClipsCommand.self)
}

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

    @Flag(help: "The clips of values that change in one place, instead of the others.")
    var values = false

    @Flag(help: "The clips with things on them that must not be seen, instead of the others.")
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

/// Puts PNG pictures on one sheet.
struct ContactSheetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "contact-sheet", abstract: "Put PNG pictures on one, captioned with their file names.")

    @Argument(help: "The PNG file to write.")
    var sheet: String

    @Argument(help: "The PNG files to put on it, in order.")
    var pictures: [String]

    @Option(help: "How many pictures side by side.")
    var columns = 4

    @Option(help: "How wide each is shown, in pixels.")
    var cellWidth = 320

    func validate() throws {
        guard (1...64).contains(columns) else { throw ValidationError("--columns must be between 1 and 64.") }
        guard (16...4096).contains(cellWidth) else {
            throw ValidationError("--cell-width must be between 16 and 4096.")
        }
    }

    func run() throws {
        let entries = try pictures.map { path in
            (picture: try PNGReader.read(path), caption: Self.caption(path))
        }
        let layout = ContactSheet(cellWidth: cellWidth, cellHeight: cellWidth * 9 / 16, columns: columns)
        try PNGWriter.write(layout.compose(entries), to: sheet)
    }

    private static func caption(_ path: String) -> String {
        ((path as NSString).lastPathComponent as NSString).deletingPathExtension
    }
}
