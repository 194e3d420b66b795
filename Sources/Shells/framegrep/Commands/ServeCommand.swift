import ArgumentParser
import Engines
import Errors
import Foundation
import Processes
import TextMatching

/// Starts the page's server, a program of its own (`framegrep-serve`), as git starts its subcommands.
struct ServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Search the index in a browser, play recordings, and watch cameras.",
        discussion: """
            framegrep index recordings/     reads recordings once
            framegrep serve --open          opens the page that searches them
            framegrep serve -e EXIT /dev/video0 rtsp://camera/stream --remember
                watches two cameras too

            Prints an address with a key that works once; after that, only the browser that opened it may see the page. \
            The page is for this machine only. From another one, open it through SSH:

            ssh -L 8437:127.0.0.1:8437 this-machine

            or serve it encrypted, with a password: --address 0.0.0.0 --certificate c.pem --key k.pem --password-file p

            On the page, / searches and ? shows all keys. 'EXIT OR FUSES' searches for two words. Ctrl-C ends the server.

            docs/PAGE.md has more, also for programs; docs/SECURITY.md says what it is safe from.
            """,
        helpNames: .long)

    @Option(help: ArgumentHelp("Listen at this port; 0 takes a free one.", valueName: "number"))
    var port = 8437

    @Flag(help: "Open the page in the browser.")
    var open = false

    @Option(
        help: ArgumentHelp(
            "Listen at another address than this machine's own; needs --certificate, --key and --password-file.",
            valueName: "address"))
    var address = "127.0.0.1"

    @Option(help: ArgumentHelp("The certificate with which connections are encrypted (PEM).", valueName: "file"))
    var certificate: FileArgument?

    @Option(help: ArgumentHelp("The certificate's key (PEM).", valueName: "file"))
    var key: FileArgument?

    @Option(
        help: ArgumentHelp(
            "The password that opens the page, in the first line of a file that only its owner can read.",
            valueName: "file"))
    var passwordFile: FileArgument?

    @Option(
        help: ArgumentHelp(
            "Another name under which browsers reach this machine; may be given several times.",
            valueName: "name"))
    var name: [String] = []

    @OptionGroup var patterns: PatternOptions
    @OptionGroup var watching: WatchOptions
    @OptionGroup var index: IndexOptions

    @Argument(
        help: ArgumentHelp("Cameras, streams and files to watch, as 'live' takes them.", valueName: "source"),
        completion: .file())
    var sources: [String] = []

    private static let program = "framegrep-serve"

    func run() throws {
        guard let path = Self.find() else {
            throw FramegrepError(
                .commandFailed,
                "The page's server, \(Self.program), is not installed beside framegrep, in its libexec folder or on the PATH. "
                    + (PortableArchive.folder == nil
                        ? "In a checkout, scripts/serve builds and starts it."
                        : "The portable archive contains it if it was made with 'scripts/package --portable --serve'."))
        }
        try ProgramLocation.become(path, try arguments())
    }

    private func arguments() throws -> [String] {
        let words = try patterns.texts(positional: nil, mayBeNone: true)
        // Report invalid patterns and options here, rather than in each job.
        _ = try patterns.manner.matcher(for: words)
        _ = try LiveCommand.parse(["--headless", "--patterns-from", "-"] + watching.handedOn)
        var arguments = ["--port", String(port), "--address", address, "--program", Self.ownPath]
        func add(_ option: String, _ value: String?) { if let value { arguments.append("\(option)=\(value)") } }
        add("--index", index.path)
        let meaning = MeaningInstallation.find()
        if meaning.problem == nil { add("--meaning", meaning.folder.map { $0 + "/encoder" }) }
        add("--voice", VoiceInstallation.find().folder)
        add("--certificate", certificate?.path)
        add("--key", key?.path)
        add("--password-file", passwordFile?.path)
        add("--sources-from", watching.sourcesFrom?.path)
        for name in name { add("--name", name) }
        for word in words { add("--watch", word) }
        for option in watching.handedOn { add("--live-option", option) }
        let flags = [
            ("--open", open), ("--remember", watching.remember), ("--regex", patterns.expressions),
            ("--exact", patterns.exact), ("--case", patterns.caseSensitive), ("--words", patterns.wholeWords),
            ("--all", patterns.all),
        ]
        arguments += flags.filter(\.1).map(\.0)
        return arguments + ["--"] + sources
    }

    private static var ownPath: String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "framegrep"
    }

    /// Returns the program: next to this one, in `../libexec/framegrep` and `../libexec`, in a checkout's own build, or
    /// on the PATH.
    private static func find() -> String? {
        let folder = ProgramLocation.folder
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let folders =
            [folder, folder + "/../libexec/framegrep", folder + "/../libexec"]
            + path.split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
        return folders.map { $0 + "/" + program }.first { access($0, X_OK) == 0 && !FolderWalk.isFolder($0) }
    }
}

/// The options for watching cameras with `serve`, which are passed on to the job of each camera.
struct WatchOptions: ParsableArguments {
    @Flag(help: "Add the text that the cameras show to the index, so that you can search it at once.")
    var remember = false

    @Option(help: "Which engine reads: auto, tesseract or neural.")
    var engine: String?

    @Option(help: "How carefully it reads: fast or accurate.")
    var level: String?

    @Option(help: ArgumentHelp("Languages to read, by Tesseract's names.", valueName: "eng+kor"))
    var language: String?

    @Option(help: ArgumentHelp("The part of the picture to read.", valueName: "x,y,w,h"))
    var region: String?

    @Option(help: ArgumentHelp("Picture size to ask cameras for.", valueName: "WxH"))
    var size: String?

    @Option(help: ArgumentHelp("Frames a second to ask cameras for.", valueName: "rate"))
    var fps: String?

    @Option(help: ArgumentHelp("How many threads may read, for each camera.", valueName: "count"))
    var threads: String?

    @Option(
        help: ArgumentHelp(
            "tracked: the picture is shown at once; exact: a third of a second later, with boxes read on that very frame."
        ))
    var overlay: String?

    @Option(help: ArgumentHelp("Ignore matches with a lower score, 0 to 1.", valueName: "score"))
    var minScore: String?

    @Option(
        help: ArgumentHelp("Also open addresses of this kind: a scheme such as udp, or private.", valueName: "kind"))
    var allow: [String] = []

    @Option(
        help: ArgumentHelp(
            "Read the sources from a file that only its owner can read (chmod 600), one a line, so that other users do not see passwords in addresses.",
            valueName: "file"), completion: .file())
    var sourcesFrom: FileArgument?

    /// The options in the form that `live` takes.
    var handedOn: [String] {
        let values = [
            ("engine", engine), ("level", level), ("language", language), ("region", region), ("size", size),
            ("fps", fps), ("threads", threads), ("overlay", overlay), ("min-score", minScore),
        ]
        return values.compactMap { name, value in value.map { "--\(name)=\($0)" } } + allow.map { "--allow=\($0)" }
    }
}
