import Errors
import Foundation
import GStreamerMedia
import TextIndex
import TextSpotting

/// Everything that a run reads and writes, so that no file is both written and read, or written twice, and none is
/// written into the folder of an index.
///
/// Files are compared by their identity, not by their names; see ``FileIdentity``. Fill the plan before anything is
/// opened, beginning with the files that are read. Files that options name for reading are in it from the beginning;
/// see ``FileArgument``.
struct OutputPlan: Sendable {
    private struct Input {
        let name: String
        /// The recording that refers to it; nil if the user named it.
        var list: String?
    }

    private var inputs: [FileIdentity: Input] = [:]
    private var outputs: [FileIdentity: String] = [:]
    /// Inputs that may be lists of other files, and were not examined yet.
    private var recordings: [(path: String, name: String)] = []
    private var listed = ListedFiles()
    private let indexes: IndexLocations
    /// Files that an earlier process has begun to write, by their options; they were checked there.
    private let begun: [String: OutputFile.Handover]

    private static let standardNames: Set<String> = ["-", "/dev/stdout", "/dev/fd/1"]

    /// - Parameter options: all options of the run; the files that they name are read, and the index that they name is
    ///   used.
    ///
    /// - Throws: ``FramegrepError`` (`badArgument`) if standard output goes to one of these.
    init(of options: Any, goingOnWith begun: [String: OutputFile.Handover] = [:]) throws(FramegrepError) {
        self.begun = begun
        indexes = IndexLocations(usedBy: options)
        // If it is a file, the shell has opened it.
        if let identity = FileIdentity(ofDescriptor: StandardOutput.descriptor) {
            outputs[identity] = "standard output"
            if case .file(let device, let number) = identity { SourceGuard.keepUnread(device: device, number: number) }
            try checkIsOutsideOfIndexes("/proc/self/fd/\(StandardOutput.descriptor)", "Standard output")
        }
        for path in FileArgument.paths(in: options) { try reads(path, named: path) }
    }

    /// Reports early if the results cannot go to this file; nothing is stored.
    ///
    /// - Parameter name: nil for standard output.
    /// - Throws: ``FramegrepError``.
    static func check(_ name: String?, of options: Any) throws(FramegrepError) {
        guard let name else { return }
        var plan = try OutputPlan(of: options)
        _ = try plan.writes(name, by: "-o")
    }

    /// Adds a file that the run reads; a path that does not exist is reported elsewhere.
    ///
    /// - Throws: ``FramegrepError`` (`badArgument`) if standard output goes to it.
    mutating func reads(_ path: String, named name: String) throws(FramegrepError) {
        try reads(path, Input(name: name == StandardInput.name ? "standard input" : name))
    }

    /// Adds a recording that the run reads, and the files that it lists if it is a list.
    ///
    /// - Throws: ``FramegrepError`` (`badArgument`) if standard output goes to one of these.
    mutating func reads(recording path: String, named name: String) throws(FramegrepError) {
        try reads(path, named: name)
        recordings.append((path, name))
        if !outputs.isEmpty { try followLists() }
    }

    /// Adds a file that the run writes.
    ///
    /// - Parameters:
    ///   - name: the name as the user wrote it.
    ///   - option: the option that named it, for messages.
    /// - Returns: nil for standard output.
    /// - Throws: ``FramegrepError`` if it is read too, is written by another option, or cannot be written.
    mutating func writes(_ name: String, by option: String) throws(FramegrepError) -> OutputFile? {
        guard !Self.standardNames.contains(name) else { return nil }
        if let begun = begun[option] { return OutputFile(begun) }
        try checkIsOutsideOfIndexes(name, option)
        let file = try OutputFile(name)
        try checkIsOutsideOfIndexes(file.place, option)
        guard let identity = file.identity else { return file }
        try note(identity, name, by: option)
        // A list may refer to it, which is unknown until the list is read.
        if case .file(let device, let number) = identity {
            SourceGuard.keepUnread(device: device, number: number)
        }
        return file
    }

    /// Adds a file that the run's own pipeline writes, directly in its place.
    ///
    /// - Throws: ``FramegrepError`` (`badArgument`).
    mutating func pipelineWrites(_ path: String) throws(FramegrepError) {
        try checkIsOutsideOfIndexes(path, "the pipeline")
        guard let identity = FileIdentity(ofFileAt: path) else { return }
        try note(identity, path, by: "the pipeline")
    }

    /// Checks a folder that the run writes into, or creates.
    ///
    /// - Throws: ``FramegrepError`` (`badArgument`).
    func writes(intoFolder path: String, by option: String) throws(FramegrepError) {
        guard !path.isEmpty else {
            throw FramegrepError(.badArgument, "The name of the folder for \(option) is empty. Name a folder.")
        }
        try checkIsOutsideOfIndexes(path, option)
    }

    // MARK: Pieces

    private mutating func reads(_ path: String, _ input: Input) throws(FramegrepError) {
        let identity =
            path == StandardInput.name
            ? FileIdentity(ofDescriptor: STDIN_FILENO) : FileIdentity(ofFileAt: path)
        guard let identity else { return }
        inputs[identity] = inputs[identity] ?? input
        if let output = outputs[identity] {
            throw FramegrepError(
                .badArgument,
                "\(input.name) is an input\(input.list.map { " (\($0) leads to it)" } ?? ""), and \(output) goes into it. Send that to another file."
            )
        }
    }

    /// Examines the recordings for files that they list.
    private mutating func followLists() throws(FramegrepError) {
        defer { recordings = [] }
        for (path, name) in recordings {
            // Taken out, because copying all files that were seen for each recording would take long.
            var files = listed
            listed = ListedFiles()
            defer { listed = files }
            try files.follow(path) { file throws(FramegrepError) in try reads(file, Input(name: file, list: name)) }
        }
    }

    private mutating func note(_ identity: FileIdentity, _ name: String, by option: String) throws(FramegrepError) {
        try followLists()
        if let input = inputs[identity] {
            let same = input.list != nil || input.name == name ? "" : ", the same file as \(input.name),"
            let reason = input.list.map { ", because \($0) leads to it," } ?? ""
            throw FramegrepError(
                .badArgument,
                "\(name)\(same) is an input\(reason) and would be overwritten by \(option); choose another file to write."
            )
        }
        if let other = outputs[identity] {
            throw FramegrepError(
                .badArgument, "\(other) and \(option) both write \(name); give each a file of its own.")
        }
        outputs[identity] = option
    }

    private func checkIsOutsideOfIndexes(_ path: String, _ option: String) throws(FramegrepError) {
        if let folder = IndexLocations.folderOfTheEnvironment(around: path) {
            throw FramegrepError(
                .badArgument,
                "\(option) would write into \(folder), where framegrep keeps its own files; name a place outside of that folder."
            )
        }
        guard let folder = indexes.folder(around: path) else { return }
        throw FramegrepError(
            .badArgument,
            "\(option) would write into the index in \(folder), which would damage it; name a place outside of that folder."
        )
    }
}

/// The folders of indexes, in which only the index itself may be written.
struct IndexLocations: Sendable {
    /// The folders of the indexes that this run may use, existing or not, with links followed.
    private let known: [String]

    /// - Parameter options: the options that name the folder of each index that this run may use.
    init(usedBy options: Any) {
        let folders = Self.folders(in: options) + [try? IndexFolder(nil)]
        known = folders.compactMap { $0 }.map { Self.withoutLinks($0.path) }
    }

    /// Returns the folder of the index that contains a path, also by a hard link; nil for none.
    ///
    /// - Parameter path: need not exist yet.
    func folder(around path: String) -> String? {
        var folder = Self.withoutLinks(path)
        while true {
            if known.contains(folder) || Self.isIndex(folder) { return folder }
            guard folder != "/", folder != "." else { break }
            folder = FileIdentity.split(folder).folder
        }
        return folderWithLink(to: path)
    }

    /// Recognizes an index's folder by its parts: a catalog beside segments, or beside the lock of a writer.
    private static func isIndex(_ folder: String) -> Bool {
        func has(_ name: String) -> Bool { FileName.withCName(folder + "/" + name) { access($0, F_OK) } == 0 }
        return has("catalog.db") && (has("segments") || has("lock"))
    }

    private func folderWithLink(to path: String) -> String? {
        guard let status = FileStatus(of: path), status.values.st_nlink > 1,
            let identity = FileIdentity(ofFileAt: path)
        else { return nil }
        return known.first { folder in
            let names = FileManager.default.enumerator(atPath: folder)
            while let name = names?.nextObject() as? String {
                if FileIdentity(ofFileAt: folder + "/" + name) == identity { return true }
            }
            return false
        }
    }

    /// Returns the folder around a path that the environment names, and that contains files that the program reads on
    /// its own: networks, languages, waiting notices; nil for none.
    static func folderOfTheEnvironment(around path: String) -> String? {
        func variable(_ name: String) -> String? {
            ProcessInfo.processInfo.environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        var folders = [
            variable("FRAMEGREP_HOME").map { $0 + "/neural" }, variable("XDG_STATE_HOME").map { $0 + "/framegrep" },
        ]
        // The folder of languages may contain other files.
        if path.hasSuffix(".traineddata"), let data = variable("TESSDATA_PREFIX") { folders.append(data) }
        let place = withoutLinks(path)
        return folders.compactMap { $0 }.first { FileName.isPath(place, inOrBelow: withoutLinks($0)) }
    }

    private static func folders(in options: Any) -> [IndexFolder?] {
        if let options = options as? IndexOptions { return [try? options.folder()] }
        return Mirror(reflecting: options).children.flatMap { folders(in: $0.value) }
    }

    /// Returns an absolute path, with links followed as far as it exists.
    private static func withoutLinks(_ path: String) -> String {
        var (there, missing) = (path, "")
        while true {
            if let folder = FileName.real(there.isEmpty ? "." : there) {
                return (folder == "/" && !missing.isEmpty ? "" : folder) + missing
            }
            while there.hasSuffix("/"), there != "/" { there.removeLast() }
            let (folder, name) = FileIdentity.split(there)
            guard folder != there else { return path }
            (there, missing) = (folder, "/" + name + missing)
        }
    }
}
