public import GStreamerMedia
import Synchronization
public import TextMatching
public import TextSpotting

/// Searches a recording or a still for what is to be hidden in it, and its redacted copy for what is left.
public struct HidingSearch: Sendable {
    /// The outcome of a search.
    public struct Outcome: Sendable {
        /// The things to hide, in the order of their beginnings.
        public var things: [HiddenThing]
        public var summary: FindSummary
    }

    private let settings: FindSettings
    private let reader: any TextReader
    private let matcher: Matcher
    private let planning: HidingPlanner.Settings

    /// A match as doubtful as this is hidden: a near miss costs a bar, a miss costs a secret.
    public static let minimumScore = 0.2

    /// A copy is read where it changes, this often.
    private static let closeInterval = StreamTime(seconds: 0.1)

    /// - Parameters:
    ///   - settings: how it is searched; what hiding needs besides is set here.
    ///   - onlyWords: of kinds of content too, no more of a line is hidden than what was read as theirs.
    public init(_ settings: FindSettings, reader: any TextReader, matcher: Matcher, onlyWords: Bool) {
        var settings = settings
        settings.keepsBoxes = true
        settings.keepsFades = true
        settings.reportsFindings = true
        self.settings = settings
        self.reader = reader
        self.matcher = matcher
        planning = HidingPlanner.Settings(hiding: matcher, onlyWords: onlyWords)
    }

    /// Searches a source.
    ///
    /// - Parameters:
    ///   - known: what is hidden in it already; what is read within that is passed over.
    ///   - report: told how far it is, and of warnings.
    /// - Throws: as ``FileSpotter/search(_:)`` does.
    public func run(
        _ source: OpenedSource, besides known: HidingPlan = HidingPlan(),
        _ report: @escaping @Sendable (FindEvent) -> Void
    ) async throws -> Outcome {
        guard !matcher.patterns.isEmpty else { return Outcome(things: [], summary: FindSummary()) }
        var settings = settings
        // What flashed up between two readings is what is left: there is less to be read now.
        if !known.isEmpty { settings.gate.minimumInterval = Self.closeInterval }
        let planner = Mutex(HidingPlanner(planning, matcher: matcher))
        let spotter = FileSpotter(
            description: SourceDescription.search(source), sourceName: source.uri.redacted, settings: settings,
            reader: reader, matcher: matcher)
        let summary = try await spotter.search { event in
            switch event {
            case .progress, .warning: report(event)
            default: planner.withLock { $0.take(event) }
            }
        }
        let things = planner.withLock { planner in
            planner.things { sighting in
                known.isEmpty || !sighting.boxes.allSatisfy { known.hides($0.quad, in: $0.time) }
            }
        }
        return Outcome(things: things, summary: summary)
    }
}

extension HidingPlanner.Settings {
    /// - Parameter onlyWords: as in ``HidingSearch``.
    init(hiding matcher: Matcher, onlyWords: Bool) {
        reasons = matcher.patterns.enumerated().map { index, pattern in
            pattern.isContentKind ? pattern.text : "pattern \(index + 1)"
        }
        wholeLines = onlyWords ? [] : Set(matcher.patterns.indices.filter { matcher.patterns[$0].isContentKind })
    }
}
