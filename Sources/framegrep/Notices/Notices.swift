import Errors
import Spotter
import TextSpotting
import Threads

/// Tells of sightings as `--bell` and `--exec` ask. Thread-safe. Words that come while too many commands run are told by none of them, which
/// ``SightingCommands`` says.
struct Notices: EventSink {
    private let bell: Bell?
    private let commands: SightingCommands?
    private let isFinishing = CancellationFlag()

    private let json: (@Sendable (LiveEvent) -> String)?

    /// - Parameters:
    ///   - json: makes of an event of a live job what commands get; nil where there are none.
    ///   - warn: reports failures.
    init(
        _ options: NoticeOptions, json: (@Sendable (LiveEvent) -> String)? = nil,
        warn: @escaping @Sendable (FramegrepError) -> Void
    ) {
        self.json = json
        bell = options.bell ? Bell() : nil
        commands = options.exec.map { SightingCommands($0, limit: options.execLimit, warn: warn) }
        if options.bell, !StandardError.isTerminal {
            warn(FramegrepError(.badArgument, "--bell rings on a terminal, and standard error is none."))
        }
    }

    func take(_ event: LiveEvent) {
        if case .appeared = event, let json { tell { json(event) } }
    }

    /// A word appeared.
    ///
    /// - Parameter line: makes the JSON line; asked for only where it is needed.
    func tell(_ line: () -> String) {
        bell?.ring()
        commands?.run(line())
    }

    /// Returns when every command has ended; says so when that takes a while.
    func finish() async {
        guard let commands else { return }
        isFinishing.cancel()
        let notice = Task {
            guard (try? await Task.sleep(for: .seconds(1))) != nil, commands.pending > 0 else { return }
            StandardError.line(
                "framegrep: waiting for \(commands.pending) commands of --exec; Ctrl-C ends them.")
        }
        await commands.finish()
        notice.cancel()
    }

    /// Ctrl-C: when only commands are left, they are ended; as long as the search is ending, they go on.
    func interrupt() { if isFinishing.isCancelled { stop() } }

    /// Ends every command.
    func stop() { commands?.stop() }
}
