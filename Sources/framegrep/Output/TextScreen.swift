import Engines
import Errors
import Spotter
import Synchronization
import TesseractOCR
import TextSpotting

/// Lets the lines of one input of `find` pass that the networks can have read, and counts the others. Thread-safe.
final class TextScreen: Sendable {
    private let screen = Mutex(ScriptScreen())
    private let scripts: UnknownScripts

    /// - Parameter scripts: of all inputs.
    init(leftOut scripts: UnknownScripts) { self.scripts = scripts }

    /// The events that are told now: lines may have to wait, everything else passes.
    func pass(_ event: FindEvent) -> [FindEvent] {
        guard case .text(let line) = event else { return [event] }
        return screen.withLock { $0.take(line) }.map(FindEvent.text)
    }

    /// No more will come: the lines that still waited.
    func finish() -> [FindEvent] {
        let (rest, leftOut) = screen.withLock { screen in (screen.finish(), screen.leftOut) }
        scripts.add(leftOut)
        return rest.map(FindEvent.text)
    }
}

/// Lets the lines of a running picture pass that the networks can have read. Each script that lines are left out of is named once, when that begins.
///
/// A doubted line is told some seconds late, and does not count before. Events of lines, and the last one, are handed on one after the other.
/// Thread-safe.
struct ScreenedSink: EventSink {
    private final class State: Sendable {
        let screen = Mutex((lines: ScriptScreen(patience: ScreenedSink.patience), said: Set<OtherScript>()))
    }

    private let sink: any EventSink
    private let warn: @Sendable (FramegrepError) -> Void
    private let state = State()

    /// So long a doubted line waits for others like it: two or three subtitles.
    private static let patience = Duration.seconds(10)

    /// - Parameter warn: told of each script.
    init(_ sink: any EventSink, warn: @escaping @Sendable (FramegrepError) -> Void) {
        self.sink = sink
        self.warn = warn
    }

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
        let scripts = state.screen.withLock { state in
            for line in lines(&state.lines) { sink.take(.text(line, at: time)) }
            let scripts = UnknownScripts.worthSaying(of: state.lines.leftOut, said: state.said)
            state.said.formUnion(scripts)
            return scripts
        }
        for script in scripts { warn(FramegrepError(.engineUnavailable, UnknownScripts.sentence(script))) }
    }
}

/// The lines of all inputs that were left out because the networks do not know their script. Thread-safe.
final class UnknownScripts: Sendable {
    private let counts = Mutex<[OtherScript: Int]>([:])

    func add(_ lines: [OtherScript: Int]) { counts.withLock { $0.merge(lines, uniquingKeysWith: +) } }

    /// What is said of them at the end, the most frequent script first.
    var sentences: [String] {
        let counts = counts.withLock { $0 }
        return Self.frequent(in: counts).map { Self.sentence($0, counts[$0]) }
    }

    /// The most frequent script first. One that others are taken for now and then is none of them.
    private static func frequent(in counts: [OtherScript: Int]) -> [OtherScript] {
        let most = counts.values.max() ?? 0
        return counts.filter { 4 * $0.value >= most }.sorted { (-$0.value, $0.key.name) < (-$1.value, $1.key.name) }
            .map(\.key)
    }

    /// Those that are said while it goes on and were not said: the first one at once, another one when it came up several times.
    fileprivate static func worthSaying(of counts: [OtherScript: Int], said: Set<OtherScript>) -> [OtherScript] {
        frequent(in: counts).enumerated().filter { place, script in
            !said.contains(script) && (said.isEmpty && place == 0 || counts[script, default: 0] >= 3)
        }.map(\.element)
    }

    /// - Parameter count: how many lines there were; nil where more will come.
    fileprivate static func sentence(_ script: OtherScript, _ count: Int? = nil) -> String {
        let lines = count.map { $0 == 1 ? "1 line looks" : "\($0) lines look" } ?? "Lines look"
        let what = "\(lines) \(script.name), which the networks do not read, and \(count == 1 ? "is" : "are") left out."
        let installed = TesseractEngine.installedLanguages()
        if let language = script.languages.first(where: installed.contains) {
            return what + " With --language \(language) Tesseract reads all lines."
        }
        let others = script.languages.dropFirst().prefix(3).joined(separator: ", ")
        let besides = others.isEmpty ? "" : " (or of the language that it is: \(others))"
        return what
            + " With Tesseract's data they are read: apt install tesseract-ocr-\(script.languages[0])\(besides)."
    }
}
