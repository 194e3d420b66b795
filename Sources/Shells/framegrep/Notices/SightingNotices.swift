import Errors
import Glibc
import Spotter
import Synchronization
import Threads

/// Reacts to each sighting of `find`, `live` and `run` as ``NoticeOptions`` asks: `--bell` and `--exec`. Thread-safe. Sightings that come while too many
/// commands wait get none (``SightingCommands``).
struct SightingNotices: EventSink {
    private let bell: Bell?
    private let commands: SightingCommands?
    private let isFinishing = CancellationFlag()
    private let isHurried = CancellationFlag()
    /// How long commands may go on at the end if no user is there to end them.
    private static let patience = Duration.seconds(30)
    /// After that they get SIGTERM, and after this time SIGKILL.
    private static let grace = Duration.seconds(5)

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
            warn(FramegrepError(.badArgument, "--bell rings on a terminal, and standard error is not one."))
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

    /// Gives commands half a minute at the end, because no user is waiting: one that hangs would keep a service's source, or the program,
    /// for ever.
    func hurry() { isHurried.cancel() }

    /// Returns when every command has ended; says so when that takes a while.
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

    /// Ctrl-C ends the commands if only they are left; while the search is ending, they go on.
    func interrupt() { if isFinishing.isCancelled { stop() } }

    /// Ends every command.
    func stop() { commands?.stop() }
}

/// The terminal's bell, rung on standard error where that is a terminal. Thread-safe.
final class Bell: Sendable {
    /// Words that appear together ring once.
    private static let rest = Duration.milliseconds(500)

    private let last = Mutex<ContinuousClock.Instant?>(nil)

    func ring() {
        guard StandardError.isTerminal else { return }
        if last.withLock({ $0.isDue(after: Self.rest) }) { StandardError.write("\u{7}") }
    }
}
