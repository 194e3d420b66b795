import Errors
import Glibc
import Spotter
import Synchronization
import Threads

/// Reacts to each sighting of `find`, `live` and `run` as ``NoticeOptions`` requests: `--bell` and `--exec`.
/// Thread-safe. Sightings that come while too many commands wait get no command (``SightingCommands``).
struct SightingNotices: EventSink {
    private let bell: Bell?
    private let commands: SightingCommands?
    private let isFinishing = CancellationFlag()
    private let isHurried = CancellationFlag()
    /// The time for which commands may run at the end if there is no user to end them.
    private static let patience = Duration.seconds(30)
    /// The time between SIGTERM, which they get then, and SIGKILL.
    private static let grace = Duration.seconds(5)

    private let json: (@Sendable (LiveEvent) -> String)?

    /// - Parameters:
    ///   - json: converts an event of a live job to the input of commands; nil if there are no commands.
    ///   - warn: reports failures.
    init(
        _ options: NoticeOptions, json: (@Sendable (LiveEvent) -> String)? = nil,
        warn: @escaping @Sendable (FramegrepError) -> Void
    ) {
        self.json = json
        bell = options.bell ? Bell() : nil
        commands = options.exec.map { SightingCommands($0, limit: options.execLimit, warn: warn) }
        if options.bell, !StandardError.isTerminal {
            warn(FramegrepError(.badArgument, "--bell rings on a terminal, and standard error is not one."))
        }
    }

    func take(_ event: LiveEvent) {
        if case .appeared = event, let json { tell { json(event) } }
    }

    /// Reports that a word appeared.
    ///
    /// - Parameter line: returns the JSON line; called only if it is needed.
    func tell(_ line: () -> String) {
        bell?.ring()
        commands?.run(line())
    }

    /// Gives commands half a minute at the end, because no user is waiting: a command that hangs would keep a service's
    /// source, or the program, forever.
    func hurry() { isHurried.cancel() }

    /// Returns when every command has ended; reports if that takes a while.
    func finish() async {
        guard let commands else { return }
        isFinishing.cancel()
        let isHurried = isHurried.isCancelled
        let notice = Task {
            guard (try? await Task.sleep(for: .seconds(1))) != nil, commands.pending > 0 else { return }
            let what = "framegrep: waiting for \(Amount.of(commands.pending, "command")) of --exec"
            guard isHurried else { return StandardError.line("\(what); Ctrl-C ends them.") }
            StandardError.line("\(what), \(Self.patience.components.seconds) s at most.")
            guard (try? await Task.sleep(for: Self.patience)) != nil, commands.pending > 0 else { return }
            StandardError.line(
                "framegrep: \(Amount.of(commands.pending, "command")) of --exec took too long, and are ended.")
            commands.stop()
            guard (try? await Task.sleep(for: Self.grace)) != nil else { return }
            commands.stop(by: SIGKILL)
        }
        await commands.finish()
        notice.cancel()
    }

    /// Handles Ctrl-C: ends the commands if only they are left; while the search is ending, they continue.
    func interrupt() { if isFinishing.isCancelled { stop() } }

    /// Ends every command.
    func stop() { commands?.stop() }
}

/// The terminal's bell, which rings on standard error if that is a terminal. Thread-safe.
final class Bell: Sendable {
    /// The time within which words ring only once.
    private static let rest = Duration.milliseconds(500)

    private let last = Mutex<ContinuousClock.Instant?>(nil)

    func ring() {
        guard StandardError.isTerminal else { return }
        if last.withLock({ $0.isDue(after: Self.rest) }) { StandardError.write("\u{7}") }
    }
}
