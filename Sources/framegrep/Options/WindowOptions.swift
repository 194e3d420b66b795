import ArgumentParser
import Errors
import Foundation
import Spotter
import TextSpotting

/// Options on what the window of `live` and `run` may save.
struct WindowOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Where s in the window saves the picture (default: the current folder).", valueName: "folder"),
        completion: .directory)
    var snapshots: String?

    @Flag(help: "Neither offer nor keep the searches typed in the window.")
    var noHistory = false

    /// The folder for pictures, made where it is missing.
    ///
    /// - Throws: ``FramegrepError`` (`outputFailed`) when it cannot be made.
    func snapshotFolder() throws -> String {
        guard let snapshots else { return "." }
        do {
            try FileManager.default.createDirectory(atPath: snapshots, withIntermediateDirectories: true)
        } catch {
            throw FramegrepError(
                .outputFailed, "The folder \(snapshots) cannot be made: \(error.localizedDescription).")
        }
        return snapshots
    }

    /// The searches made before; none are kept with `--no-history`.
    var history: SearchHistory {
        SearchHistory(
            path: noHistory ? nil : SearchHistory.defaultPath(in: ProcessInfo.processInfo.environment))
    }
}
