public import GStreamerMedia
import Synchronization
public import TextMatching
public import TextSpotting

/// Searches a recording or a still for what must be hidden, and its redacted copy for what is left.
public struct HidingSearch: Sendable {
    /// The outcome of a search.
    public struct Outcome: Sendable {
        /// The things to hide, in the order of their beginnings.
        public var things: [HiddenThing]
        public var summary: FindSummary
        /// Other things that were seen but could not be read.
        public var unread: [UnreadPlace] = []

        public init(things: [HiddenThing], summary: FindSummary, unread: [UnreadPlace] = []) {
            (self.things, self.summary, self.unread) = (things, summary, unread)
        }

        /// Returns the same outcome at later times; earlier for a negative time.
        public func later(by time: StreamTime) -> Outcome {
            var outcome = self
            outcome.things = things.map { $0.later(by: time) }
            for index in unread.indices {
                outcome.unread[index].start = max(.zero, unread[index].start + time)
                outcome.unread[index].end = unread[index].end + time
            }
            return outcome
        }
    }

    private let settings: FindSettings
    private let readers: Readers
    private let matcher: Matcher
    private let planning: HidingPlanner.Settings

    /// The readers of a search.
    public struct Readers: Sendable {
        /// Searches for what must be hidden.
        public var search: any TextReader
        /// Searches for what is left, in a different way.
        public var again: any TextReader
        /// Returns whether a line, as read, may be in a script that the readers do not know.
        public var isOtherScript: @Sendable (TextLine) -> Bool

        public init(
            search: any TextReader, again: any TextReader,
            isOtherScript: @escaping @Sendable (TextLine) -> Bool = { _ in false }
        ) {
            (self.search, self.again, self.isOtherScript) = (search, again, isOtherScript)
        }
    }

    /// Matches with at least this score are hidden: a false match costs a bar, a missed one costs a secret.
    public static let minimumScore = ReadingPlan.hidingScore

    /// The interval at which a changing copy is read; around starts, ends and quick movements, every frame is.
    private static let closeInterval = StreamTime(seconds: 0.1)
    /// The interval at which a moving picture is read: scrolling through a page shows a line for less than half a
    /// second.
    private static let motionInterval = StreamTime(seconds: 0.2)

    /// - Parameters:
    ///   - settings: the settings of the search; what hiding additionally needs is set here.
    ///   - readers: the first is used by the search itself, the other one for searching what is left.
    ///   - onlyWords: whether, for kinds of content too, only the words that were read are hidden rather than the line.
    public init(_ settings: FindSettings, readers: Readers, matcher: Matcher, onlyWords: Bool) {
        var settings = settings
        settings.keepsBoxes = true
        settings.keepsFades = true
        settings.reportsFindings = true
        settings.gate.seesFaintText = true
        self.settings = settings
        self.readers = readers
        self.matcher = matcher
        planning = HidingPlanner.Settings(hiding: matcher, onlyWords: onlyWords)
    }

    /// Searches a source.
    ///
    /// - Parameters:
    ///   - known: the places already hidden in it, if what is left is searched for; text read within them is ignored.
    ///   - closely: times in which each frame that differs from the previous one is read, in addition to those around
    ///     hidden places.
    ///   - report: called with the progress and warnings.
    /// - Throws: as ``FileSpotter/search(_:)`` does.
    public func run(
        _ source: OpenedSource, besides known: HidingPlan? = nil, closely: [Range<StreamTime>] = [],
        _ report: @escaping @Sendable (FindEvent) -> Void
    ) async throws -> Outcome {
        guard !matcher.patterns.isEmpty else { return Outcome(things: [], summary: FindSummary()) }
        var settings = settings
        if let known {
            // Only flashes between two readings can be left, so less needs to be read.
            settings.gate.minimumInterval = Self.closeInterval
            settings.gate.motionInterval = Self.closeInterval
            settings.gate.closeTimes = StreamTime.united(known.restlessTimes + closely)
        } else {
            settings.gate.motionInterval = Self.motionInterval
            settings.gate.closeTimes = closely
        }
        settings.reportsAllText = source.isStill
        let look = try await look(at: source, as: SourceDescription.search(source), settings, besides: known, report)
        var things = look.things(besides: known ?? HidingPlan())
        if known == nil, !source.isStill {
            things += try await closeThings(of: source, beside: things, settings, report)
        }
        // A search would also try other orientations, and find it in the copy.
        if source.isStill, look.lines.isEmpty || StillTurn.isWorthTrying(look.lines) {
            for turn in StillTurn.allCases {
                let held = try await self.look(
                    at: source, as: turn.search(source), settings, besides: known, heldAs: turn, report)
                things += held.things(besides: known ?? HidingPlan(), heldAs: turn)
            }
        }
        let unread = look.unread.all + UnreadPlace.places(of: look.summary.leftOut, besides: known ?? HidingPlan())
        return Outcome(things: things, summary: look.summary, unread: unread)
    }

    /// Returns the text of each frame while things move quickly: only parts of it may be left beside misplaced bars in
    /// the copy.
    private func closeThings(
        of source: OpenedSource, beside things: [HiddenThing], _ settings: FindSettings,
        _ report: @escaping @Sendable (FindEvent) -> Void
    ) async throws -> [HiddenThing] {
        let found = HidingPlan(things)
        var result: [HiddenThing] = []
        for time in found.quickTimes {
            var settings = settings
            let begin = max(settings.from ?? .zero, time.lowerBound)
            let end = min(settings.to ?? time.upperBound, time.upperBound)
            guard begin < end else { continue }
            settings.from = begin > .zero ? begin : nil
            settings.to = end
            settings.gate.closeTimes = [time]
            let look = try await look(at: source, as: SourceDescription.search(source), settings, besides: nil) {
                event in
                if case .progress = event { report(event) }
            }
            result += look.things(besides: found)
        }
        return result
    }

    /// The text seen in a source in one orientation.
    private struct Look: Sendable {
        var planner: HidingPlanner
        var unread: UnreadPlaces
        /// All text of a still.
        var lines: [Sighting] = []
        /// The size of the picture in that orientation.
        var size = (width: 0.0, height: 0.0)
        var summary = FindSummary()

        mutating func take(_ event: FindEvent) {
            planner.take(event)
            switch event {
            case .text(let line): lines.append(line)
            case .finding(let finding):
                let geometry = finding.geometry
                size = (Double(geometry.width) * geometry.pixelAspect, Double(geometry.height))
                unread.take(finding)
            default: break
            }
        }

        /// - Parameters:
        ///   - known: anything within it is left out.
        ///   - turn: the orientation of a still; only lines that make sense in it count, and places are those of the
        ///     upright picture.
        func things(besides known: HidingPlan, heldAs turn: StillTurn? = nil) -> [HiddenThing] {
            func shown(_ quad: Quad) -> Quad { turn?.displayed(quad, size.width, size.height) ?? quad }
            let sensible = turn.map { _ in StillTurn.sensibleLines(lines) }
            let things = planner.things { sighting in
                guard sensible?.contains(sighting.line) ?? true else { return false }
                return known.isEmpty || !sighting.boxes.allSatisfy { known.hides(shown($0.quad), in: $0.time) }
            }
            return things.map { thing in
                var thing = thing
                for (number, path) in thing.paths.enumerated() {
                    for (index, place) in path.places.enumerated() {
                        thing.paths[number].places[index].quad = shown(place.quad)
                    }
                }
                return thing
            }
        }
    }

    private func look(
        at source: OpenedSource, as description: String, _ settings: FindSettings, besides known: HidingPlan?,
        heldAs turn: StillTurn? = nil,
        _ report: @escaping @Sendable (FindEvent) -> Void
    ) async throws -> Look {
        let unread = UnreadPlaces(besides: known ?? HidingPlan(), isOtherScript: readers.isOtherScript)
        let planner = HidingPlanner(planning, matcher: matcher, besides: known ?? HidingPlan(), heldAs: turn)
        let look = Mutex(Look(planner: planner, unread: unread))
        let spotter = FileSpotter(
            description: description, sourceName: source.uri.redacted, settings: settings,
            reader: known == nil ? readers.search : readers.again, matcher: matcher, file: source.file)
        let summary = try await spotter.search { event in
            switch event {
            case .progress, .warning: report(event)
            default: look.withLock { $0.take(event) }
            }
        }
        return look.withLock { look in
            look.summary = summary
            return look
        }
    }
}

extension HidingPlanner.Settings {
    /// - Parameter onlyWords: as in ``HidingSearch``.
    init(hiding matcher: Matcher, onlyWords: Bool) {
        reasons = matcher.namesWithoutText
        wholeLines = onlyWords ? [] : Set(matcher.patterns.indices.filter { matcher.patterns[$0].isContentKind })
    }
}
