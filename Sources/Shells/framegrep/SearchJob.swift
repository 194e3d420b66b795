import Engines
import GStreamerMedia
import Spotter
import Synchronization
import TextMatching
import TextSpotting

/// The settings of a search that apply to every input.
struct SearchJob: Sendable {
    let settings: FindSettings
    let time: SearchedTime
    /// The searched range of wall-clock time.
    var range = WallRange()
    let dates: FileDates
    /// Additional kinds of addresses that may be opened.
    let allowed: Set<String>
    let isQuiet: Bool
    let isVerbose: Bool
    /// The reader; nil if the index has all inputs.
    let reader: (any TextReader)?
    let matcher: Matcher
    /// The inputs that need not be read.
    let indexed: IndexedInputs
    /// Stores the readings; nil unless requested.
    let memory: SearchIndexRecorder?
    /// Whether only key frames are read; see ``SkimPlan``.
    var skims = false
    /// The time that a pipe may take to begin; nil for no limit.
    var patienceWithPipes: Duration? = nil
    /// The time around each sighting that is written.
    var context: SightingContext? = nil
    /// Whether lines are joined to paragraphs at the end of the input.
    var joinsParagraphs = false
    /// Whether only burned-in captions among these lines are reported.
    var areSubtitles = false
    /// Whether to report lines too that stay through most of a recording.
    var keepsStanding = false
    /// Reads still pictures a second time, as thoroughly as possible; nil if they are read like frames.
    var stillReader: (any TextReader)? = nil
    /// Counts lines in scripts that the networks do not know, which are left out; nil if they are not detected.
    var scripts: UnknownScripts? = nil
    /// The settings for reporting when no pattern is in view; nil if that is not reported.
    var absences: Absences? = nil

    /// How times without a sighting are printed (`--invert`).
    struct Absences: Sendable {
        let maximum: Int?
    }
}

/// The findings in one input so far. Only those needed at its end are kept, because a recording of hours would fill the
/// memory. Thread-safe.
final class InputResults: Sendable {
    /// The policy on which sightings are kept. Those of a still picture always are, because it is read several times.
    enum Kept: Sendable {
        case none
        /// Only the times of each, and nothing large.
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

    /// - Parameter maximumLines: the number of lines of text that are enough; nil if they do not count.
    init(isStill: Bool, maximumLines: Int?, keeping kept: Kept = .all) {
        state = Mutex(State(isStill: isStill))
        self.maximumLines = maximumLines
        self.kept = kept
    }

    var sightings: [Sighting] { state.withLock { $0.sightings } }
    /// The lines of a still picture.
    var lines: [Sighting] { state.withLock { $0.lines } }
    /// Whether the source is a single picture, which has no times.
    var isStill: Bool { state.withLock { $0.isStill } }

    /// Returns whether the pattern was already found at this place.
    func holds(_ sighting: Sighting) -> Bool {
        let quad = sighting.peak.quad
        return sightings.contains {
            $0.pattern == sighting.pattern && max($0.peak.quad.share(in: quad), quad.share(in: $0.peak.quad)) > 0.3
        }
    }

    /// Records an event; returns whether that is enough.
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

struct SourceSearch: Sendable {
    let source: OpenedSource
    let settings: FindSettings
    /// Adds the readings to the index; nil unless requested.
    let recorder: SearchIndexRecorder.Recorder?
    let progress: ProgressLine
    let found: InputResults
    /// Holds back lines in scripts that cannot be read; nil if all lines are reported.
    var screen: TextScreen? = nil
    let enough = EarlyEnd()
}
