import Errors
import GStreamerMedia
import Spotter
import Synchronization

/// A folder that is redacted into another one (`redact -r`): what is in it, where the copies go, and what has none.
final class RedactedFolder: Sendable {
    /// What lies in the folder and has no copy: who is given the other one should not take it for all there is.
    struct LeftOut: Sendable {
        /// Neither pictures nor videos.
        var noMedia: [String] = []
        /// Files and folders that --include and --exclude leave out.
        var notChosen: [String] = []
        /// Links to folders, pipes, devices.
        var notFollowed: [String] = []
        /// Nothing was found in them.
        var nothingFound: [String] = []
        /// A folder could not be read, of which was spoken.
        var isIncomplete = false

        /// What is told of it.
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
    /// Those that were made for the copies.
    private let made = Mutex<[PictureFolder]>([])

    /// Looks what is in a folder; nothing is made.
    ///
    /// - Parameters:
    ///   - choice: which files are copied.
    ///   - target: the folder of the copies.
    /// - Throws: ``FramegrepError`` if it is none or cannot be read, and where two copies would have one name.
    init(_ folder: String, _ choice: FolderChoice, copiedTo target: String) throws(FramegrepError) {
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
        var named: [String: String] = [:]
        for (input, copy) in copies {
            if let other = named.updateValue(input, forKey: copy) {
                throw FramegrepError(
                    .badArgument,
                    "The copies of \(other) and \(input) would both be \(copy); rename one of the two. Nothing is written."
                )
            }
        }
    }

    /// Makes the folders of the copies.
    ///
    /// - Parameter output: makes the file of a copy.
    /// - Throws: ``FramegrepError`` for a copy that cannot be written, or is read too.
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

    /// Takes away the folders that were made and into which nothing came.
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

    /// The same name, with an ending that can be written behind it where its own cannot.
    private static func copyName(_ name: String, of input: String) -> String {
        if (try? RecordingContainer(ofFileNamed: name)) != nil { return name }
        if (try? StillRedactor.Format(ofFileNamed: name)) != nil { return name }
        // Of GIF pictures it is not known beforehand whether they move.
        let still = PictureHeader(fileAt: input).map { $0.format != .gif } ?? false
        return name + (still ? ".png" : ".mkv")
    }
}
