import ArgumentParser
import Foundation
import OverlayDrawing
import TextSpotting

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
