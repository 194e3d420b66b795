import ArgumentParser
import Errors
import Foundation
import GStreamerMedia
import TextIndex

struct IndexExpireCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "expire", abstract: "Remove old recordings, or those beyond a size.",
        usage: "framegrep index expire [<options>]",
        discussion: """
            framegrep index expire --retain 30d              removes what was read more
                                                             than 30 days ago
            framegrep index expire --budget 20GB             removes what was read first,
                                                             until the index has 20 GB
            framegrep index recordings/ --retain 30d         reads what is new, then
                                                             does the same

            Expired recordings are not read again; 'framegrep index forget' makes the index forget their names too. The files \
            themselves stay as they are.
            """, helpNames: .long)

    @OptionGroup var index: IndexOptions
    @OptionGroup var expiry: ExpiryOptions

    func validate() throws {
        guard expiry.isAsked else { throw ValidationError("Say what to remove: --retain 30d, --budget 20GB, or both.") }
    }

    func run() throws {
        _ = try index.openForSearching()
        let store = try TextIndex.forWriting(try index.folder())
        StandardError.line(
            "framegrep: \(try expiry.rule.expire(store) ?? "nothing expired: no recording is old enough, and the index is small enough.")"
        )
    }
}

struct IndexMergeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge", abstract: "Copy recordings from other indexes.",
        discussion: """
            framegrep index merge ~/.local/share/framegrep/index /media/disk/index

            Copies recordings that the first index lacks, or has read less of, into it; if it does not exist, it is made. The others \
            stay as they are, and may be on a read-only disk or a network. Everything is verified, and damaged recordings are left \
            out (exit status 2).

            Results of 'framegrep index run', or a folder of them, become whole recordings. Exit status: 2 if units \
            are missing.
            """, helpNames: .long)

    @Argument(help: ArgumentHelp("The folder of the index to copy into.", valueName: "dest"), completion: .directory)
    var destination: String

    @Argument(
        help: ArgumentHelp("The folders of the others, or results of 'index run'.", valueName: "shard"),
        completion: .file())
    var shards: [String]

    func run() throws {
        let folder = try IndexFolder(destination)
        let files = try UnitMerging.files(among: shards)
        let others = try files.others.map { shard in
            let other = try IndexFolder(shard)
            let real = FileBounds.realPath(folder.path)
            guard real == nil || FileBounds.realPath(other.path) != real else {
                throw FramegrepError(
                    .badArgument, "\(redacted(shard)) is the index that the others are copied into; name others.")
            }
            guard let store = try TextIndex.forSearching(other) else {
                throw FramegrepError(.badArgument, "There is no index in \(redacted(other.path)).")
            }
            return (shard, store)
        }
        let store = try TextIndex.forWriting(folder)
        var status = ExitStatus.found
        for (shard, other) in others {
            let merge = try store.merge(other)
            for problem in merge.problems {
                status = .error
                StandardError.line("framegrep: \(problem.message)")
            }
            StandardError.line(
                "framegrep: \(redacted(shard)): \(merge.taken) copied, \(merge.known) already there.")
        }
        if !files.results.isEmpty, try UnitMerging.merge(files.results, into: store) != .found { status = .error }
        throw status
    }
}
