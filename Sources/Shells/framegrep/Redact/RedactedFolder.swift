import Errors
import GStreamerMedia
import Spotter
import Synchronization
import TextSpotting

/// A folder that is redacted into another one (`redact -r`): its contents, the destinations of the copies, and what has
/// no copy.
final class RedactedFolder: Sendable {
    /// The contents of the folder that have no copy: a recipient of the copies should not take them for everything.
    struct LeftOut: Sendable {
        /// Files that are neither pictures nor videos.
        var noMedia: [String] = []
        /// Files and folders that --include and --exclude leave out.
        var notChosen: [String] = []
        /// Links to folders, pipes, devices.
        var notFollowed: [String] = []
        /// Files in which nothing was found.
        var nothingFound: [String] = []
        /// Whether a folder could not be read, which was reported.
        var isIncomplete = false

        /// The sentences that report it.
        var sentences: [String] {
            [
                ("no picture or video", "file", noMedia),
                ("left out by --include and --exclude", "file or folder", notChosen),
                ("not followed", "link to a folder, pipe or device", notFollowed),
                ("nothing was found", "file", nothingFound),
            ]
            .filter { !$0.2.isEmpty }
            .map { reason, kind, names in
                let examples = names.prefix(3).map { Visible.text($0) }.joined(separator: ", ")
                let more = names.count > 3 ? " and others" : ""
                let count = kind == "file" ? Amount.of(names.count, kind) : "\(names.count) (\(kind))"
                return "\(reason), so without a copy: \(count) (\(examples)\(more))."
            }
        }
    }

    let leftOut: LeftOut
    private let target: String
    private let copies: [(input: String, copy: String)]
    /// The folders that were created for the copies.
    private let made = Mutex<[PictureFolder]>([])

    /// Lists the contents of a folder without creating anything.
    ///
    /// - Parameters:
    ///   - choice: selects the files to copy.
    ///   - target: the folder of the copies.
    /// - Throws: ``FramegrepError`` if it is not a folder or cannot be read, or if two copies would have the same name.
    init(_ folder: String, _ choice: FolderChoice, copiedTo target: String) throws(FramegrepError) {
        guard !folder.isEmpty else {
            throw FramegrepError(.badArgument, "The name of the folder to redact is empty. Name a folder.")
        }
        guard FolderWalk.isFolder(folder) else {
            throw FramegrepError(.badArgument, "\(folder) is no folder; leave -r out to redact one recording.")
        }
        var leftOut = LeftOut()
        let inputs = try choice.walk.files(in: folder, named: folder) { bystander in
            switch bystander {
            case .noMedia(let name): leftOut.noMedia.append(name)
            case .notChosen(let name): leftOut.notChosen.append(name)
            case .notFollowed(let name): leftOut.notFollowed.append(name)
            case .unreadable: leftOut.isIncomplete = true
            }
        }
        self.leftOut = leftOut
        self.target = target
        let prefix = target.hasSuffix("/") ? target : target + "/"
        copies = inputs.map { input in
            let below = input.name.dropFirst(folder.count).drop { $0 == "/" }
            return (input.name, prefix + Self.copyName(String(below), of: input.name))
        }
        var named: [ExactName: String] = [:]
        for (input, copy) in copies {
            if let other = named.updateValue(input, forKey: ExactName(copy)) {
                throw FramegrepError(
                    .badArgument,
                    "The copies of \(other) and \(input) would both be \(copy); rename one of the two. Nothing is written."
                )
            }
        }
    }

    /// Creates the folders of the copies.
    ///
    /// - Parameter output: creates the file of a copy.
    /// - Throws: ``FramegrepError`` for a copy that cannot be written, or is also read.
    func jobs(
        _ plan: inout OutputPlan, _ output: (_ name: String, _ plan: inout OutputPlan) throws -> OutputFile
    ) throws -> [RecordingRedaction.Job] {
        for (input, _) in copies { try plan.reads(recording: input, named: input) }
        do {
            try make(target, plan)
            return try copies.map { input, copy in
                try make(FileIdentity.split(copy).folder, plan)
                return RecordingRedaction.Job(uri: try SourceURI(input), output: try output(copy, &plan))
            }
        } catch {
            removeEmptyFolders()
            throw error
        }
    }

    /// Removes the folders that were created and are still empty.
    func removeEmptyFolders() {
        made.withLock { made in
            made.reversed().forEach { $0.removeIfEmpty() }
            made = []
        }
    }

    private func make(_ folder: String, _ plan: OutputPlan) throws {
        guard made.withLock({ $0.last?.path }) != folder else { return }
        let new = try PictureFolder(folder, by: "-o", plan)
        made.withLock { $0.append(new) }
    }

    /// Returns the same name, followed by a writable ending if its own cannot be written.
    private static func copyName(_ name: String, of input: String) -> String {
        if (try? RecordingContainer(ofFileNamed: name)) != nil { return name }
        if (try? StillRedactor.Format(ofFileNamed: name)) != nil { return name }
        // Whether GIF pictures are animated is not known beforehand.
        let still = PictureHeader(fileAt: input).map { $0.format != .gif } ?? false
        return name + (still ? ".png" : ".mkv")
    }
}
