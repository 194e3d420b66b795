import ArgumentParser
import Foundation
import GStreamerMedia
import TextSpotting

/// The program: parses the command line, runs one command and turns its outcome into grep's exit statuses.
@main
enum Main {
    static func main() async {
        // Whoever reads our output may stop reading; that is an error of `write`, not a signal that kills.
        signal(SIGPIPE, SIG_IGN)
        // So is a file that has reached the limit on its size (ulimit -f).
        signal(SIGXFSZ, SIG_IGN)
        let (ours, gstreamers) = Self.split(Array(CommandLine.arguments.dropFirst()))
        do {
            var command = try FramegrepCommand.parseAsRoot(ours)
            _ = try MediaRuntime.initialize(arguments: gstreamers)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            end(.found)
        } catch {
            end(Self.report(error))
        }
    }

    /// Ends the program without taking libraries down first: threads of engines and of GStreamer may still be in them,
    /// and would crash. What `print` holds is written; everything else was.
    private static func end(_ status: ExitStatus) -> Never {
        // Tracers such as `leaks` report when GStreamer ends.
        if getenv("GST_TRACERS") != nil { MediaRuntime.endForTracers() }
        fflush(nil)
        _exit(status.rawValue)
    }

    /// GStreamer's own options (`--gst-debug=…`) are passed through to it.
    static func split(_ arguments: [String]) -> (ours: [String], gstreamers: [String]) {
        (arguments.filter { !$0.hasPrefix("--gst-") }, arguments.filter { $0.hasPrefix("--gst-") })
    }

    /// Says on standard error what went wrong, if anything did, and with which status to exit.
    static func report(_ error: any Error) -> ExitStatus {
        switch error {
        case let status as ExitStatus:
            return status
        case is ClosedPipe:
            return .found
        case let error as FramegrepError:
            StandardError.line("framegrep: \(error.message)")
            return .error
        default:
            let message = FramegrepCommand.fullMessage(for: error)
            guard FramegrepCommand.exitCode(for: error) != .success else {
                print(message)
                return .found
            }
            StandardError.line(message.hasPrefix("Error: ") ? "framegrep: \(message.dropFirst(7))" : message)
            return .error
        }
    }
}

struct FramegrepCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "framegrep",
        abstract: "grep for video, Ctrl+F for a camera.",
        discussion: """
            framegrep EXIT lobby.mp4          when was EXIT on screen, and where?
            framegrep live EXIT               light it up in the camera's picture
            framegrep run 'videotestsrc ! textoverlay text=EXIT ! appsink name=frames' --find EXIT

            Exit status: 0 something was found, 1 nothing was found, 2 an error.
            """,
        version: "0.1.0",
        subcommands: [
            FindCommand.self, LiveCommand.self, RunCommand.self, ExplainCommand.self, DevicesCommand.self,
            DoctorCommand.self,
        ],
        defaultSubcommand: FindCommand.self)
}
