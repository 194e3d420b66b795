import ArgumentParser
import Errors
import Foundation
import GStreamerMedia
import NeuralOCR
import Page
import Processes
import Speech
import TextIndex

/// The program: parses the command line, runs one command and turns its outcome into grep's exit statuses.
@main
enum Main {
    static func main() async {
        CrashRestart.rememberMask()
        StandardStreams.fillClosedOnes()
        ignoreSignals()
        do { try PortableArchive.useOwnFiles() } catch { refuse(error) }
        // Before there is a second thread: one that has a heap keeps it.
        MediaRuntime.shareHeaps()
        if let variable = NeuralEngine.leaveThreadsToLinux() { Spawn.withhold(variable) }
        let arguments = Arguments.given
        arguments.forEach(rememberSecrets(inArgument:))
        // This starts a process of this program that decodes for it; see `PictureManager`.
        if arguments.first == MediaWork.option { await MediaWorker.main(arguments.dropFirst().first ?? "") }
        let (ours, gstreamers) = Self.split(arguments)
        if arguments.first == SpeechWorker.option { SpeechWorker.main(Array(arguments.dropFirst())) }
        do {
            try SystemLimits.check()
        } catch {
            refuse(error)
        }
        do {
            try await run(ours, gstreamers)
            await end(.found)
        } catch let interruption as Interruption {
            await OutputQueue.allSettled()
            finishOutput()
            interruption.die()
        } catch {
            await end(Self.report(error))
        }
    }

    /// Ends the program before it has begun. Written directly: Swift's concurrency and the output queue need files and threads too.
    private static func refuse(_ error: FramegrepError) -> Never {
        let text = MessageLines.text(error)
        // It may contain the name of a folder.
        var message = (MessageLines.areWanted ? text : Visible.text(text)) + "\n"
        _ = message.withUTF8 { PipeBytes.failure(writing: UnsafeRawBufferPointer($0), to: STDERR_FILENO) }
        _exit(ExitStatus.error.rawValue)
    }

    private static func run(_ arguments: [String], _ gstreamers: [String]) async throws {
        var command = try Self.parse(arguments)
        // GStreamer's own options may make it print something.
        if gstreamers.isEmpty { LibraryNoise.divert(isShown: isVerbose(command)) }
        _ = try MediaRuntime.initialize(arguments: gstreamers)
        if !gstreamers.isEmpty { LibraryNoise.divert(isShown: true) }
        if var command = command as? any AsyncParsableCommand {
            try await command.run()
        } else {
            try command.run()
        }
    }

    private static func ignoreSignals() {
        // The reader of our output may stop reading; that is an error of `write`, not a signal that ends the program.
        signal(SIGPIPE, SIG_IGN)
        // The same applies to a file that has reached the size limit (ulimit -f).
        signal(SIGXFSZ, SIG_IGN)
        // Users send these signals to ask programs for their progress, never to end one.
        signal(SIGUSR1, SIG_IGN)
        signal(SIGUSR2, SIG_IGN)
        // If Swift's runtime finds swift-backtrace, it handles this signal too, and then Ctrl-\ cannot end the program.
        if !Interrupts.isIgnored(SIGQUIT), getenv("SWIFT_BACKTRACE") == nil { signal(SIGQUIT, SIG_DFL) }
    }

    /// Ends the program without shutting libraries down: threads of engines and of GStreamer may still be in them, and
    /// would crash. Waits for pending output; a signal that comes meanwhile ends the program as usual.
    private static func end(_ status: ExitStatus) async -> Never {
        await OutputQueue.allSettled()
        var status = status
        if let failure = ResultOutput.standard().failure, status != .error {
            let outcome = report(failure)
            status = outcome == .error ? .error : status
            await OutputQueue.allSettled()
        }
        finishOutput()
        if let signal = Interrupts.signal { Interruption(signal: signal).die() }
        _exit(status.rawValue)
    }

    private static func finishOutput() {
        // Tracers such as `leaks` report when GStreamer ends.
        if getenv("GST_TRACERS") != nil { MediaRuntime.endForTracers() }
        fflush(nil)
    }

    private nonisolated static func isVerbose(_ command: any ParsableCommand) -> Bool {
        (command as? any Talkative)?.isVerbose ?? false
    }

    /// - Throws: the errors of ArgumentParser, or the answer to an option of grep's that means nothing here.
    private static func parse(_ arguments: [String]) throws -> any ParsableCommand {
        if let answer = OtherCommands.answer(toHelpFor: arguments) { throw FramegrepError(.badArgument, answer) }
        do {
            return try FramegrepCommand.parseAsRoot(GrepOptions.helpAsked(in: arguments) ?? arguments)
        } catch {
            // Help and versions are thrown too.
            let message = FramegrepCommand.message(for: error)
            guard FramegrepCommand.exitCode(for: error) != .success,
                let answer = GrepOptions.answer(to: arguments, message) ?? OtherCommands.answer(to: message, arguments)
            else {
                throw error
            }
            throw FramegrepError(.badArgument, answer)
        }
    }

    /// Splits off GStreamer's own options (`--gst-debug=…`), which are passed through.
    static func split(_ arguments: [String]) -> (ours: [String], gstreamers: [String]) {
        (arguments.filter { !$0.hasPrefix("--gst-") }, arguments.filter { $0.hasPrefix("--gst-") })
    }

    /// Reports an error on standard error, if there is one, and returns the exit status.
    static func report(_ error: any Error) -> ExitStatus {
        switch error {
        case let status as ExitStatus:
            return status
        case is ClosedPipe:
            return .found
        case let error as UnreadOutput:
            StandardError.line("framegrep: \(error.message)", as: .error)
            return .error
        case let error as FramegrepError:
            StandardError.line(MessageLines.text(error), as: .error)
            return .error
        case let error as CocoaError:
            let name = error.filePath.map { "\($0): " } ?? ""
            StandardError.line("framegrep: \(name)\(error.reason)")
            return .error
        default:
            let message = HelpText.message(for: error)
            guard FramegrepCommand.exitCode(for: error) != .success else {
                let more = IndexCommand.furtherHelp(askedBy: Arguments.given)
                do { try StandardOutput.print(message + more) } catch { return report(error) }
                return .found
            }
            StandardError.line(message.hasPrefix("Error: ") ? "framegrep: \(message.dropFirst(7))" : message)
            return .error
        }
    }
}

/// A command with `--verbose`.
protocol Talkative {
    var isVerbose: Bool { get }
}

struct FramegrepCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "framegrep",
        abstract: "grep for video, Ctrl+F for a camera.",
        discussion: """
            framegrep EXIT lobby.mp4                          when was it on screen?
            framegrep EXIT lobby.mp4 --save-video found.mp4   a copy with a box on it
            framegrep live EXIT                               watch a camera for it
            framegrep redact :email a.mp4 -o clean.mp4        hide email addresses
            framegrep index recordings/                       read once, then search in
                                                              milliseconds: framegrep EXIT

            -e PATTERN, -f FILE      several patterns; patterns from a file
            -E, -w, -s               regular expression; whole words; match case
            --all-text               every line of text; needs no pattern
            -r, --include '*.mp4'    search folders; only such files
            --from 1:30, --to 90%    a part of the recording
            --region x,y,w,h         a part of the picture, in pixels or percent
            --format jsonl           or csv, srt, vtt, text; -o FILE: into a file
            -c, -l, -q               only the number, the names, the exit status
            --save-frames DIR        a picture of each sighting
            --level accurate         larger networks: slower, and reads more

            'framegrep help find' has all options, and docs/GUIDE.md explains them. If something does not work, try 'framegrep doctor', and 'framegrep explain PATTERN TEXT'.

            Exit status: 0 something was found, 1 nothing was found, 2 an error; 130 after Ctrl-C, 143 after SIGTERM.
            """,
        version: ProgramVersion.text,
        subcommands: [
            FindCommand.self, ValuesCommand.self, RedactCommand.self, IndexCommand.self, ShowCommand.self,
            ServeCommand.self, MCPCommand.self, LiveCommand.self, ScreenCommand.self,
            RunCommand.self,
            ExplainCommand.self,
            DevicesCommand.self, FeedCommand.self,
            DoctorCommand.self, SetupCommand.self,
        ],
        defaultSubcommand: FindCommand.self,
        // -h is grep's option: no file names. See GrepOptions.
        helpNames: .long)
}
