import Errors
import Foundation
import TextIndex
import TextSpotting

/// Interprets the arguments without an option.
extension FindCommand {
    /// Splits the positional arguments into the pattern and the inputs.
    ///
    /// - Throws: ``FramegrepError`` if there is no pattern, or nothing to search in.
    func split() throws -> (pattern: String?, inputs: [String]) {
        let areInputs =
            patterns.areGivenByOption || voice.isAsked || text.isAsked && (arguments.isEmpty || beginsWithInput)
        let pattern = areInputs ? nil : arguments.first
        var inputs = Array(areInputs ? arguments[...] : arguments.dropFirst())
        // As in grep: `< lobby.mp4`.
        if inputs.isEmpty, pattern != nil || areInputs, !input.nameInputs, readsStandardInput {
            inputs = [StandardInput.name]
        }
        guard pattern != nil || areInputs else {
            throw FramegrepError(
                .badPattern, "There is no pattern to search for: give a word, as in 'framegrep EXIT lobby.mp4'.")
        }
        if inputs.isEmpty, !input.nameInputs, !isAnInput(pattern), try searchesIndex() { return (pattern, []) }
        if inputs.isEmpty, !input.nameInputs, !isAnInput(pattern), !noIndex, index.path != nil,
            try !index.folder().exists
        {
            throw index.noIndex(try index.folder())
        }
        guard !inputs.isEmpty || input.nameInputs else {
            throw FramegrepError(
                .badArgument,
                "There is nothing to search in: give a recording or a still, as in 'framegrep EXIT lobby.mp4'."
                    + CommandHint.all(forPattern: pattern).map { " " + $0 }.joined()
                    + (output.path.map { " " + GrepOptions.outputOption($0) } ?? "")
                    + (output.hidesNames ? " (-h leaves names out, as in grep; --help is help.)" : ""))
        }
        return (pattern, inputs)
    }

    /// Whether standard input is a file that has not been read from and is not used for anything else.
    private var readsStandardInput: Bool {
        guard !patterns.files.contains(StandardInput.name), let status = FileStatus(ofDescriptor: STDIN_FILENO)
        else { return false }
        return status.isFile && status.size > 0 && lseek(STDIN_FILENO, 0, SEEK_CUR) == 0
    }

    /// Whether to search everything in the index, because no input is named and there is an index.
    private func searchesIndex() throws -> Bool { try !noIndex && !text.isAsked && index.folder().exists }

    /// Returns whether the argument taken for a pattern is more likely an input whose pattern was forgotten.
    private func isAnInput(_ pattern: String?) -> Bool {
        pattern.map { $0.contains("://") || $0.contains(".") && FileManager.default.fileExists(atPath: $0) } ?? false
    }

    /// Whether the first argument names something to search in; only relevant if no pattern is needed.
    private var beginsWithInput: Bool {
        guard let first = arguments.first else { return false }
        if first == StandardInput.name || first.contains("://") { return true }
        if arguments.count == 1, !input.nameInputs { return true }
        return FolderWalk.isFolder(first) ? input.recursive : FileName.withCName(first, { access($0, F_OK) }) == 0
    }

    /// Returns the inputs without the file that the shell created for the results in a searched folder, as grep does.
    /// If the user named that file, it stays and is refused.
    func withoutOutput(_ inputs: [SearchInput]) -> [SearchInput] {
        guard let output = FileIdentity(ofDescriptor: StandardOutput.descriptor) else { return inputs }
        return inputs.filter { !$0.isFound || FileIdentity(ofFileAt: $0.name) != output }
    }

    /// Checks whether what is asked for can be done with these patterns.
    func check(patterns texts: [String]) throws {
        if texts.isEmpty { try checkWithoutPatterns() }
        try DependentOption.check(dependents)
        try text.checkTranscript(areTherePatterns: !texts.isEmpty)
    }

    /// The same with these inputs.
    func check(inputs names: [String]) throws {
        try output.check(inputs: names)
        if let template = output.template { _ = try TemplateFormatter(template) }
        try output.check(readOnce: names)
        if output.inverts { try checkInverted() }
    }

    /// The same for everything in the index.
    func checkEverything() throws(FramegrepError) {
        guard reading.region != nil else { return }
        throw FramegrepError(
            .badArgument,
            "--region cuts a part out of pictures as they are read, and the index holds whole ones: name the recordings, which are read "
                + "then, or leave it out.")
    }

    /// Checks that the other options make sense with `--invert`.
    ///
    /// - Throws: ``FramegrepError`` (`badArgument`).
    private func checkInverted() throws {
        let wishes = [
            ("--all-text", text.isAsked), ("--exec", notices.exec != nil), ("--bell", notices.bell),
            ("--only-matching", output.onlyMatching),
        ]
        guard let (option, _) = wishes.first(where: \.1) else { return }
        throw FramegrepError(
            .badArgument, "--invert says when nothing was in view, and \(option) is about what was; give one of them.")
    }

    /// The options that have no effect without another one.
    private var dependents: [DependentOption] {
        notices.dependents + [
            DependentOption("--voice-model", isGiven: voice.model != nil, about: "--voice", isAsked: voice.isAsked)
        ]
    }

    /// Checks that the options make sense without patterns.
    ///
    /// - Throws: ``FramegrepError`` (`badPattern`) for options that need sightings.
    func checkWithoutPatterns() throws {
        let wishes = [
            ("--all", patterns.all), ("--boxes", output.boxesPath != nil), ("--save-video", output.saveVideo != nil),
            ("--save-frames", output.saveFrames != nil), ("--save-clips", output.clips.folder != nil),
            ("--invert", output.inverts), ("--exec", notices.exec != nil), ("--bell", notices.bell),
        ]
        guard let (option, _) = wishes.first(where: \.1) else { return }
        throw FramegrepError(
            .badPattern, "\(option) is about what a pattern finds, and there is no pattern; give one with -e.")
    }
}
