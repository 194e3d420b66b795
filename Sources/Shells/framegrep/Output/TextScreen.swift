import Engines
import Errors
import Spotter
import Synchronization
import TextSpotting

/// Passes on the lines of one input of `find` that the networks can have read, and counts the others. Thread-safe.
final class TextScreen: Sendable {
    private let screen = Mutex(ScriptScreen())
    private let scripts: UnknownScripts

    /// - Parameter scripts: the counts of all inputs.
    init(leftOut scripts: UnknownScripts) { self.scripts = scripts }

    /// Returns the events to report now: lines may have to wait, everything else passes.
    func pass(_ event: FindEvent) -> [FindEvent] {
        guard case .text(let line) = event else { return [event] }
        return screen.withLock { $0.take(line) }.map(FindEvent.text)
    }

    /// Returns the lines that still waited, because no more will come.
    func finish() -> [FindEvent] {
        let (rest, leftOut) = screen.withLock { screen in (screen.finish(), screen.leftOut) }
        scripts.add(leftOut)
        return rest.map(FindEvent.text)
    }
}

/// Passes on those lines of a running picture that the networks can have read. A warning names each script whose lines
/// are left out, once.
///
/// A doubtful line is reported some seconds late, and is counted only then. Events of lines, and the last event, are
/// passed on one after the other. Thread-safe.
struct ScreenedSink: EventSink {
    private final class State: Sendable {
        let screen = Mutex(NamingScreen(patience: ScreenedSink.patience))
    }

    let sink: any EventSink
    /// Called for each script.
    let warn: @Sendable (FramegrepError) -> Void
    private let state = State()

    /// The time that a doubtful line waits for others like it: that of two or three subtitles.
    private static let patience = Duration.seconds(10)

    var wishes: EventWishes { sink.wishes }

    func take(_ event: LiveEvent) {
        switch event {
        case .text(let line, let time): tell(at: time) { $0.take(line) }
        case .textAppeared(let line) where ScriptScreen.doubts(line): break
        case .statistics(_, let time):
            tell(at: time) { $0.waited(until: .now) }
            sink.take(event)
        case .end(let end):
            tell(at: end.time) { $0.finish() }
            sink.take(event)
        default: sink.take(event)
        }
    }

    func take(_ result: LiveResult) { sink.take(result) }

    func take(_ picture: Picture, of sighting: Sighting) { sink.take(picture, of: sighting) }

    func finish() async { await sink.finish() }

    private func tell(at time: StreamTime, _ lines: (inout ScriptScreen) -> [Sighting]) {
        let sentences = state.screen.withLock { screen in
            let told = screen.tell(lines)
            for line in told.lines { sink.take(.text(line, at: time)) }
            return told.sentences
        }
        for sentence in sentences { warn(FramegrepError(.engineUnavailable, sentence)) }
    }
}
