import Engines
import GStreamerMedia
import Spotter
import Synchronization
import TextMatching
import TextSpotting

/// The settings of a search that hold for every input.
struct SearchJob: Sendable {
    let settings: FindSettings
    let time: SearchedTime
    /// The time on the clock that is searched.
    var range = WallRange()
    let dates: FileDates
    /// Kinds of addresses that may be opened besides.
    let allowed: Set<String>
    let isQuiet: Bool
    let isVerbose: Bool
    /// Nil if the index has all inputs.
    let reader: (any TextReader)?
    let matcher: Matcher
    /// The inputs that need not be read.
    let indexed: IndexedInputs
    /// Keeps the readings; nil unless asked for.
    let memory: SearchIndexRecorder?
    /// Only key frames are read; see ``SkimPlan``.
    var skims = false
    /// How long a pipe may take to begin; nil for as long as it takes.
    var patienceWithPipes: Duration? = nil
    /// How much around each sighting is written.
    var context: SightingContext? = nil
    /// The lines are joined to paragraphs when the input has ended.
    var joinsParagraphs = false
    /// Of these lines only burnt-in captions.
    var areSubtitles = false
    /// Also report lines that stay through most of a recording.
    var keepsStanding = false
    /// Reads still pictures a second time, as thoroughly as possible; nil if they are read like frames.
    var stillReader: (any TextReader)? = nil
    /// Lines in scripts that the networks do not know are left out and counted here; nil where they are not looked for.
    var scripts: UnknownScripts? = nil
    /// Report when no pattern is in view; at most this many times in each input, nil for all.
    var absences: Absences? = nil

    /// How times without a sighting are printed (`--invert`).
    struct Absences: Sendable {
        let maximum: Int?
    }
}

/// The findings in one input so far. Only those are kept that are needed at its end, because a recording of hours would fill the memory.
/// Thread-safe.
final class InputResults: Sendable {
    /// Which sightings are kept. Those of a still picture are in any case: it is read several times.
    enum Kept: Sendable {
        case none
        /// From when to when each was, and nothing else of it that takes much.
        case times
        case all
    }

    private struct State {
        var sightings: [Sighting] = []
        var lines: [Sighting] = []
        var lineCount = 0
        var isStill: Bool
    }

    private let state: Mutex<State>
    private let maximumLines: Int?
    private let kept: Kept

    /// - Parameter maximumLines: this many lines of text are enough; nil if they do not count.
    init(isStill: Bool, maximumLines: Int?, keeping kept: Kept = .all) {
        state = Mutex(State(isStill: isStill))
        self.maximumLines = maximumLines
        self.kept = kept
    }

    /// Those that are kept.
    var sightings: [Sighting] { state.withLock { $0.sightings } }
    /// The lines of a still picture.
    var lines: [Sighting] { state.withLock { $0.lines } }
    /// There is one picture, which has no times.
    var isStill: Bool { state.withLock { $0.isStill } }

    /// Whether the pattern was found at this place already.
    func holds(_ sighting: Sighting) -> Bool {
        let quad = sighting.peak.quad
        return sightings.contains {
            $0.pattern == sighting.pattern && max($0.peak.quad.share(in: quad), quad.share(in: $0.peak.quad)) > 0.3
        }
    }

    /// Notes what happened; says whether that is enough.
    func take(_ event: FindEvent) -> Bool {
        state.withLock { state in
            switch event {
            case .sighting(let sighting): keep(sighting, in: &state)
            case .onePicture: state.isStill = true
            case .text(let line):
                if state.isStill { state.lines.append(line) }
                state.lineCount += 1
                return maximumLines.map { state.lineCount >= $0 } ?? false
            default: break
            }
            return false
        }
    }

    private func keep(_ sighting: Sighting, in state: inout State) {
        switch state.isStill ? .all : kept {
        case .none: return
        case .times:
            var sighting = sighting
            (sighting.boxes, sighting.course, sighting.line, sighting.text) = ([], nil, "", "")
            state.sightings.append(sighting)
        case .all: state.sightings.append(sighting)
        }
    }
}

/// One source while it is searched.
struct SourceSearch: Sendable {
    let source: OpenedSource
    let settings: FindSettings
    /// Puts what is read into the index; nil unless asked for.
    let recorder: SearchIndexRecorder.Recorder?
    let progress: ProgressLine
    let found: InputResults
    /// Holds back lines in scripts that cannot be read; nil if all lines are reported.
    var screen: TextScreen? = nil
    let enough = EarlyEnd()
}
