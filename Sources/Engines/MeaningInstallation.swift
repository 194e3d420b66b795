import Errors
public import Meaning
import NeuralOCR
public import TextMatching

/// The part of search by meaning on this machine: the file that `framegrep setup --meaning` makes.
public struct MeaningInstallation: Hashable, Sendable {
    /// The folder that has it; nil where there is none.
    public let folder: String?
    /// One sentence saying what is missing and how to get it; nil when it can be used.
    public let problem: String?

    /// The model of this process, opened when something is first searched for by its meaning.
    public static let source = MeaningSource { try encoder() }

    /// The same where it can be used; nil where search by meaning is not set up, so that nobody is to be asked for it.
    public static var installed: MeaningSource? { find().problem == nil ? source : nil }

    /// Looks at the machine: in the folders in which the networks are looked for, under another name.
    public static func find() -> MeaningInstallation {
        let found = NeuralInstallation.folders(named: "meaning")
        guard let folder = found.trusted else {
            let problem =
                found.distrusted.map {
                    "what is in \($0) is not used: the folder belongs to somebody else, or anybody may write to it."
                } ?? "it is not installed (there is no \(found.shown))."
            return MeaningInstallation(
                folder: nil,
                problem: "Nothing can be searched for by meaning: \(problem) Run 'framegrep setup --meaning'.")
        }
        do {
            _ = try MeaningEncoder(path: folder + "/encoder")
            return MeaningInstallation(folder: folder, problem: nil)
        } catch {
            return MeaningInstallation(folder: folder, problem: "\(error)")
        }
    }

    /// A model of one's own.
    ///
    /// - Throws: ``FramegrepError`` (`engineUnavailable`) with what is missing and how to get it.
    public static func encoder() throws -> MeaningEncoder {
        let installation = find()
        guard let folder = installation.folder, installation.problem == nil else {
            throw FramegrepError(.engineUnavailable, installation.problem ?? "")
        }
        return try MeaningEncoder(path: folder + "/encoder")
    }
}
