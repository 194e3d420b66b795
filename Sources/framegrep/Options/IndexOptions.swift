import ArgumentParser
import TextIndex

/// Where the index is: shared by `index` and its parts, and by `find`.
struct IndexOptions: ParsableArguments {
    @Option(
        name: .customLong("index"),
        help: ArgumentHelp(
            "The folder of the index (default: $FRAMEGREP_INDEX, else framegrep/index among the user's data).",
            valueName: "folder"),
        completion: .directory)
    var path: String?

    func folder() throws -> IndexFolder { try IndexFolder(path) }
}
