import Errors
import Foundation
import TextSpotting

/// All that a run reads and writes, so that no file is written that is also read, or written twice.
///
/// Files are compared by what they are, not by their names; see ``FileIdentity``. To be filled before anything is opened:
/// first with what is read.
struct OutputPlan {
    private var inputs: [FileIdentity: String] = [:]
    private var outputs: [FileIdentity: String] = [:]
    /// What a process before this one has begun to write, by its option: it was checked there.
    private let begun: [String: OutputFile.Handover]

    /// The names of standard output.
    private static let standardNames: Set<String> = ["-", "/dev/stdout", "/dev/fd/1"]

    /// - Throws: ``FramegrepError`` (`badArgument`).
    init(goingOnWith begun: [String: OutputFile.Handover] = [:]) {
        self.begun = begun
        // Where it is a file, the shell has opened it.
        if let identity = FileIdentity(ofDescriptor: StandardOutput.descriptor) {
            outputs[identity] = "standard output"
        }
    }

    /// The run reads this file; a path that leads nowhere is somebody else's to report.
    ///
    /// - Throws: ``FramegrepError`` (`badArgument`) where standard output goes into it.
    mutating func reads(_ path: String, named name: String) throws(FramegrepError) {
        guard let identity = FileIdentity(ofFileAt: path) else { return }
        inputs[identity] = inputs[identity] ?? name
        if let output = outputs[identity] {
            throw FramegrepError(
                .badArgument, "\(name) is an input, and \(output) goes into it. Send that to another file.")
        }
    }

    /// The run writes this file.
    ///
    /// - Parameters:
    ///   - name: as the person wrote it.
    ///   - option: by which, for messages.
    /// - Returns: nil for standard output.
    /// - Throws: ``FramegrepError`` where it is read too, is written by another option, or cannot be written.
    mutating func writes(_ name: String, by option: String) throws(FramegrepError) -> OutputFile? {
        guard !Self.standardNames.contains(name) else { return nil }
        if let begun = begun[option] { return OutputFile(begun) }
        let file = try OutputFile(name)
        guard let identity = file.identity else { return file }
        if let input = inputs[identity] {
            let same = input == name ? "" : ", the same file as \(input),"
            throw FramegrepError(
                .badArgument,
                "\(name)\(same) is an input and would be overwritten by \(option); choose another file to write.")
        }
        if let other = outputs[identity] {
            throw FramegrepError(
                .badArgument, "\(other) and \(option) both write \(name); give each a file of its own.")
        }
        outputs[identity] = option
        return file
    }
}
