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
        // As grep: `< lobby.mp4`.
        if inputs.isEmpty, pattern != nil || areInputs, !input.nameInputs, readsStandardInput {
            inputs = [StandardInput.name]
        }
        guard pattern != nil || areInputs else {
            throw FramegrepError(
                .badPattern, "There is no pattern to search for: give a word, as in 'framegrep EXIT lobby.mp4'.")
        }
        if inputs.isEmpty, !input.nameInputs, !isAnInput(pattern), try searchesIndex() { return (pattern, []) }
        if inputs.isEmpty, !input.nameInputs, !isAnInput(pattern), !noIndex, index.path != nil {
            throw index.noIndex(try index.folder())
        }
        guard !inputs.isEmpty || input.nameInputs else {
            let hint =
                pattern.map { FileManager.default.fileExists(atPath: $0) ? " '\($0)' was taken for the pattern." : "" }
                ?? ""
            throw FramegrepError(
                .badArgument,
                "There is nothing to search in: give a recording or a still, as in 'framegrep EXIT lobby.mp4'.\(hint)"
                    + (output.path.map { " " + GrepOptions.outputOption($0) } ?? "")
                    + (output.hidesNames ? " (-h leaves names out, as in grep; --help is help.)" : ""))
        }
        return (pattern, inputs)
    }

    /// Standard input is a file that has not been read from, and is not used for anything else.
    private var readsStandardInput: Bool {
        guard !patterns.files.contains(StandardInput.name) else { return false }
        var status = stat()
        return fstat(STDIN_FILENO, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_size > 0
            && lseek(STDIN_FILENO, 0, SEEK_CUR) == 0
    }

    /// There is an index, in which all that was read is searched where no input is named.
    private func searchesIndex() throws -> Bool { try !noIndex && !text.isAsked && index.folder().exists }

    /// Whether the argument taken for a pattern is more likely an input whose pattern was forgotten.
    private func isAnInput(_ pattern: String?) -> Bool {
        pattern.map { $0.contains("://") || $0.contains(".") && FileManager.default.fileExists(atPath: $0) } ?? false
    }

    /// The first argument names something to search in: only asked where no pattern is needed.
    private var beginsWithInput: Bool {
        guard let first = arguments.first else { return false }
        if first == StandardInput.name || first.contains("://") { return true }
        if arguments.count == 1, !input.nameInputs { return true }
        return FolderWalk.isFolder(first) ? input.recursive : FileName.withCName(first, { access($0, F_OK) }) == 0
    }

    /// Without the file that the shell made for the results, where it lies in a folder that is searched: as grep does. One that a
    /// person named stays, and is refused.
    func withoutOutput(_ inputs: [SearchInput]) -> [SearchInput] {
        guard let output = FileIdentity(ofDescriptor: StandardOutput.descriptor) else { return inputs }
        return inputs.filter { !$0.isFound || FileIdentity(ofFileAt: $0.name) != output }
    }

    /// Checks that the other options make sense with `--invert`.
    ///
    /// - Throws: ``FramegrepError`` (`badArgument`).
    func checkInverted() throws {
        let wishes = [
            ("--all-text", text.isAsked), ("--exec", notices.exec != nil), ("--bell", notices.bell),
            ("--only-matching", output.onlyMatching),
        ]
        guard let (option, _) = wishes.first(where: \.1) else { return }
        throw FramegrepError(
            .badArgument, "--invert says when nothing was in view, and \(option) is about what was; give one of them.")
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
