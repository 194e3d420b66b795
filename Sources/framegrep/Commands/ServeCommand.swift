import ArgumentParser
import Errors
import Foundation

/// Starts the page's server, a program of its own (`framegrep-serve`), as git starts its subcommands.
struct ServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Search the index in a browser, and play recordings from the moment.",
        discussion: """
            framegrep index recordings/     reads recordings once
            framegrep serve --open          opens the page that searches them

            Prints an address with a key. It works once, in one browser; after that the browser has the right to see the page,
            and nobody else on this machine has. The page is for this machine only. From another one, open it through SSH:

            ssh -L 8437:127.0.0.1:8437 this-machine

            On the page: / searches, j and k go through the results, Enter plays, [ and ] go to the sightings before and
            after, ? shows all keys. 'EXIT OR FUSES' searches for two words. Ctrl-C ends the server.

            docs/PAGE.md tells what can be asked of it by programs, docs/SECURITY.md what it is safe from.
            """,
        helpNames: .long)

    @Option(help: ArgumentHelp("Listen at this port; 0 takes one that is free.", valueName: "number"))
    var port = 8437

    @Flag(help: "Open the page in the browser.")
    var open = false

    @Option(
        help: ArgumentHelp("Only addresses of this machine itself are taken: 127.0.0.1, ::1.", valueName: "address"))
    var address = "127.0.0.1"

    @OptionGroup var index: IndexOptions

    private static let program = "framegrep-serve"

    func run() throws {
        guard let path = Self.find() else {
            throw FramegrepError(
                .commandFailed,
                "The page's server, \(Self.program), is not installed beside framegrep, in its libexec folder or on the PATH. In a checkout, scripts/serve builds and starts it."
            )
        }
        var arguments = ["--port", String(port), "--address", address]
        if let folder = index.path { arguments += ["--index", folder] }
        if open { arguments.append("--open") }
        try ProgramPlace.become(path, arguments)
    }

    /// Beside this program, in `../libexec/framegrep` and `../libexec`, in a checkout's own build, and on the PATH.
    private static func find() -> String? {
        let folder = ProgramPlace.folder
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let folders =
            [folder, folder + "/../libexec/framegrep", folder + "/../libexec"]
            + path.split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
        return folders.map { $0 + "/" + program }.first { access($0, X_OK) == 0 && !FolderWalk.isFolder($0) }
    }
}
