public import Errors
import GStreamerMedia
import Glibc
public import Meaning
import NeuralOCR
public import TextMatching

/// A part that `framegrep setup` installs besides the networks.
public struct InstalledPart: Hashable, Sendable {
    /// The folder that contains it; nil if there is none.
    public let folder: String?
    /// A sentence saying what is missing and how to get it; nil if it can be used.
    public let problem: String?

    /// - Throws: ``FramegrepError`` (`engineUnavailable`) with what is missing and how to get it.
    func usableFolder() throws(FramegrepError) -> String {
        guard let folder, problem == nil else { throw FramegrepError(.engineUnavailable, problem ?? "") }
        return folder
    }
}

/// The model for search by meaning on this machine: the file that `framegrep setup --meaning` installs.
public enum MeaningInstallation {
    /// The model of this process, opened when something is first searched for by its meaning.
    public static let source = MeaningSource { try encoder() }

    /// The model if it can be used; nil if search by meaning is not set up, so that it is never tried.
    public static var installed: MeaningSource? { find().problem == nil ? source : nil }

    /// Searches this machine: the same folders as for the networks, under another name.
    public static func find() -> InstalledPart {
        let found = NeuralInstallation.folders(named: "meaning")
        guard let folder = found.trusted else {
            return InstalledPart(
                folder: nil,
                problem: "Search by meaning is not possible: \(found.problem) Run 'framegrep setup --meaning'.")
        }
        do {
            _ = try MeaningEncoder(path: folder + "/encoder")
            return InstalledPart(folder: folder, problem: nil)
        } catch {
            return InstalledPart(folder: folder, problem: "\(error)")
        }
    }

    /// Creates a separate model.
    ///
    /// - Throws: ``FramegrepError`` (`engineUnavailable`) with what is missing and how to get it.
    public static func encoder() throws -> MeaningEncoder {
        try MeaningEncoder(path: find().usableFolder() + "/encoder")
    }
}

/// The parts that understand speech on this machine: the folder that `framegrep setup --voice` makes.
public enum VoiceInstallation {
    /// Searches this machine: the same folders as for the networks, under another name.
    public static func find() -> InstalledPart {
        let found = NeuralInstallation.folders(named: "voice")
        if let folder = found.trusted { return InstalledPart(folder: folder, problem: nil) }
        return InstalledPart(
            folder: nil, problem: "Search by voice is not possible: \(found.problem) Run 'framegrep setup --voice'.")
    }

    /// Returns the folder.
    ///
    /// - Throws: ``FramegrepError`` (`engineUnavailable`) with what is missing and how to get it.
    public static func folder() throws -> String { try find().usableFolder() }
}

/// Checks whether the memory that the program may request (`ulimit -v`) is enough to begin.
///
/// Libraries do not survive a limit on address space: GLib aborts, and GStreamer reports a plugin that could not be
/// loaded as missing. The requirements are measured on recordings of 3840×2160 with two threads.
public enum AddressSpace {
    /// In MiB: with less, no thread can be started after the libraries are loaded, and Swift's runtime waits for one
    /// forever.
    private static let neededToBegin = 320
    /// In MiB: the requirement with Tesseract, and what the networks need in addition.
    private static let needed = 1200
    private static let neededByNetworks = 1000

    /// In MiB; nil if there is no limit (RLIM_INFINITY, which Swift does not import).
    private static var allowed: Int? {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0, limit.rlim_cur != rlim_t.max else {
            return nil
        }
        return Int(clamping: limit.rlim_cur >> 20)
    }

    /// Checks at the start of the program, whatever its task.
    ///
    /// - Throws: ``FramegrepError`` (`engineUnavailable`) if there is not even enough to print a sentence.
    public static func checkToBegin() throws(FramegrepError) {
        guard let allowed, allowed < neededToBegin else { return }
        throw FramegrepError(.engineUnavailable, "Nothing can be read with " + Self.sentence(allowed, needed))
    }

    /// - Throws: ``FramegrepError`` (`engineUnavailable`) if there is not enough to read anything.
    static func check() throws {
        guard let allowed else { return }
        // Each heap of the others' reserves 64 MiB (malloc(3)).
        MediaRuntime.shareHeaps(2)
        guard allowed < needed else { return }
        throw FramegrepError(.engineUnavailable, "Nothing can be read with " + Self.sentence(allowed, needed))
    }

    /// The reason the networks cannot be loaded; nil if they can.
    static var problemOfNetworks: String? {
        let all = needed + neededByNetworks
        guard let allowed, allowed < all else { return nil }
        return "The networks cannot be loaded with " + sentence(allowed, all)
    }

    private static func sentence(_ allowed: Int, _ needed: Int) -> String {
        "\(allowed) MiB of address space (ulimit -v): \(needed) MiB are needed. Raise the limit with ulimit -v \(needed << 10)."
    }
}
