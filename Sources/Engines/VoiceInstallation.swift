import Errors
import Glibc
import NeuralOCR

/// The parts that understand speech on this machine: the folder that `framegrep setup --voice` makes.
public struct VoiceInstallation: Hashable, Sendable {
    /// The folder that has it; nil where there is none.
    public let folder: String?
    /// One sentence saying what is missing and how to get it; nil when it can be used.
    public let problem: String?

    /// Looks at the machine: in the folders in which the networks are looked for, under another name.
    public static func find() -> VoiceInstallation {
        let found = NeuralInstallation.folders(named: "voice")
        if let folder = found.trusted { return VoiceInstallation(folder: folder, problem: nil) }
        let problem =
            found.distrusted.map {
                "what is in \($0) is not used: the folder belongs to somebody else, or anybody may write to it."
            } ?? "it is not installed (there is no \(found.shown))."
        return VoiceInstallation(
            folder: nil, problem: "Nothing that is said can be understood: \(problem) Run 'framegrep setup --voice'.")
    }

    /// The folder.
    ///
    /// - Throws: ``FramegrepError`` (`engineUnavailable`) with what is missing and how to get it.
    public static func folder() throws -> String {
        let installation = find()
        guard let folder = installation.folder else {
            throw FramegrepError(.engineUnavailable, installation.problem ?? "")
        }
        return folder
    }
}
