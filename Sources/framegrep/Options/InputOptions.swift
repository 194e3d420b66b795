import ArgumentParser
import Errors
import Foundation
import TextSpotting

/// Which recordings and stills `find` searches, besides those that are named one by one.
struct InputOptions: ParsableArguments {
    @Flag(
        name: [.customShort("r"), .customLong("recursive")],
        help:
            "Search what is in folders, and in theirs; without any input in this one. What is no picture or video is passed over."
    )
    var recursive = false

    @Option(
        name: .customLong("include"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Of what -r finds search only files of such names, such as '*.mp4'.", valueName: "glob"))
    var included: [String] = []

    @Option(
        name: .customLong("exclude"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Of what -r finds leave out files and folders of such names.", valueName: "glob"))
    var excluded: [String] = []

    @Option(
        name: .customLong("files-from"),
        help: ArgumentHelp("Read the names of inputs from a file, one a line; - is standard input.", valueName: "file"),
        completion: .file())
    var list: FileArgument?

    var listPath: String? { list?.path }

    @Flag(
        name: [.customShort("0"), .customLong("null")],
        help: "Names in that file end with a zero byte, as 'find -print0' writes them.")
    var endsWithZero = false

    @Option(
        name: [.customShort("j"), .customLong("jobs")],
        help: ArgumentHelp(
            "Search, or index, so many inputs side by side; what is printed is the same, in the order of the inputs.",
            valueName: "count"))
    var jobs = 1

    func validate() throws {
        guard (1...64).contains(jobs) else { throw ValidationError("--jobs must be between 1 and 64.") }
        guard recursive || (included.isEmpty && excluded.isEmpty) else {
            throw ValidationError("--include and --exclude choose among what -r finds; add -r.")
        }
        guard !endsWithZero || list != nil else {
            throw ValidationError("-0 says how --files-from is written; name a list with it.")
        }
    }

    /// Inputs are named by these options.
    var nameInputs: Bool { recursive || list != nil }

    /// All inputs, in the order of the command line, then of the list; files in a folder in the order of names.
    ///
    /// - Throws: ``FramegrepError`` (`badArgument`, `sourceUnavailable`) for a list or a folder that cannot be read.
    func inputs(named given: [String]) throws -> [SearchInput] {
        let listed = try listPath.map { try InputList(path: $0, endsWithZero: endsWithZero).names() } ?? []
        let named = given.flatMap(Self.expanded) + listed
        guard recursive else { return named.map { SearchInput(name: $0) } }
        let walk = FolderWalk(included: included, excluded: excluded)
        if named.isEmpty, listPath == nil { return try walk.files(in: ".", named: "") }
        return try named.flatMap { name in
            FolderWalk.isFolder(name) ? try walk.files(in: name, named: name) : [SearchInput(name: name)]
        }
    }

    /// The files that a pattern such as `shots/*.png` stands for, where no shell has filled it in; sorted by name. What
    /// names a file, or none at all, stays as it is.
    private static func expanded(_ input: String) -> [String] {
        guard input.contains(where: { "*?[".contains($0) }), !input.contains("://"),
            FileName.withCName(input, { access($0, F_OK) }) != 0
        else { return [input] }
        var found = glob_t()
        defer { globfree(&found) }
        guard FileName.withCName(input, { glob($0, 0, nil, &found) }) == 0 else { return [input] }
        return (0..<Int(found.gl_pathc)).compactMap { found.gl_pathv[$0].map { FileName.text(ofCName: $0) } }
    }
}
