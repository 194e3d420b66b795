import Errors
import Foundation
import TextSpotting

/// The folder of `--save-frames`, made where it is missing and taken away again where nothing came into it.
final class PictureFolder: Sendable {
    let path: String
    /// The folders that were made for it, the innermost first.
    private let made: [String]

    /// - Parameters:
    ///   - option: by which it was named, for messages.
    ///   - plan: has a say before anything is made.
    /// - Throws: ``FramegrepError`` (`outputFailed`) if it is no folder, cannot be made or not be written to.
    init(_ path: String, by option: String, _ plan: OutputPlan) throws(FramegrepError) {
        try plan.writes(intoFolder: path, by: option)
        self.path = path
        var missing: [String] = []
        var rest = path
        while !rest.isEmpty, Self.status(rest) == nil {
            missing.append(rest)
            let parent = FileIdentity.split(rest.hasSuffix("/") ? String(rest.dropLast()) : rest).folder
            guard parent != rest else { break }
            rest = parent
        }
        for (index, folder) in missing.enumerated().reversed()
        where FileName.withCName(folder, { mkdir($0, 0o777) }) != 0 && errno != EEXIST {
            let reason = String(cString: strerror(errno))
            for made in missing[(index + 1)...] { _ = FileName.withCName(made) { rmdir($0) } }
            throw FramegrepError(.outputFailed, "The folder \(path) cannot be made: \(reason).")
        }
        made = missing
        guard let status = Self.status(path), status.st_mode & S_IFMT == S_IFDIR else {
            throw Self.isFile(path)
        }
        guard FileName.withCName(path, { access($0, W_OK | X_OK) }) == 0 else {
            let reason = String(cString: strerror(errno))
            removeIfEmpty()
            throw FramegrepError(.outputFailed, "The folder \(path) cannot be written to: \(reason).")
        }
    }

    /// Looks whether pictures could be written into it; nothing is made.
    ///
    /// - Throws: ``FramegrepError`` (`outputFailed`).
    static func check(_ path: String) throws(FramegrepError) {
        guard let status = status(path), status.st_mode & S_IFMT != S_IFDIR else { return }
        throw Self.isFile(path)
    }

    private static func isFile(_ path: String) -> FramegrepError {
        FramegrepError(
            .outputFailed, "\(path) is a file. Pictures are written into a folder: name one, or one to be made.")
    }

    /// Leaves nothing behind if nothing was found.
    func removeIfEmpty() {
        for folder in made { guard FileName.withCName(folder, { rmdir($0) }) == 0 else { return } }
    }

    /// Nil if nothing is there.
    private static func status(_ path: String) -> stat? {
        var status = stat()
        return FileName.withCName(path) { stat($0, &status) } == 0 ? status : nil
    }
}
