import CGStreamer
import CGstFramegrep
import Engines
import Errors
import GStreamerMedia
import Spotter
import Synchronization
import TextMatching
import TextSpotting
import Threads

/// The values of the element's properties; the only place with their defaults.
struct ElementSettings: Sendable, Equatable {
    var patterns: String?
    var patternFile: String?
    var areExpressions = false
    var isCaseSensitive = false
    var areWholeWords = false
    var minimumScore = Matcher.usualMinimumScore
    var region: String?
    var engine = EngineName.auto
    var level = LevelName.fast
    var language: String?
    /// The number of threads; 0 for as many as the program uses without `--threads`.
    var threads = 0
    var mode = ElementMode.auto
    var readInterval = StreamTime.zero
    var draws = true
    var isExact = false
    var postsMessages = true
    var attachesMetadata = true
    var tellsAllText = false
    /// The style in which matches are hidden; nil to mark them.
    var hidingStyle: HidingStyle?

    /// Whether frames with a match are marked; matches that are hidden are not.
    var carriesBoxes: Bool { hidingStyle == nil && (draws || attachesMetadata) }

    /// The time for which frames are held, and thus the readings that their boxes are based on.
    var timing: OverlayTiming { isExact || hidingStyle != nil ? .exact(delay: OverlayTiming.defaultDelay) : .tracked }

    /// - Throws: ``FramegrepError`` (`badPattern`) with the pattern or the file that cannot be used.
    func matcher() throws -> Matcher {
        var texts = patterns.map(PatternList.patterns) ?? []
        // A dash does not mean standard input here, which belongs to the host program.
        if let patternFile { texts += try PatternFile(path: patternFile == "-" ? "./-" : patternFile).patterns() }
        let manner = SearchMode(
            kind: areExpressions ? .expression : .plain,
            options: MatchOptions(caseSensitive: isCaseSensitive, wholeWords: areWholeWords),
            meaning: MeaningInstallation.source)
        return try manner.matcher(for: texts)
    }

    var reader: ReaderSettings {
        var settings = ReaderSettings()
        settings.engine = engine
        settings.level = level
        settings.language = language
        settings.readsAllText = tellsAllText
        settings.readsForHiding = hidingStyle != nil
        if threads > 0 { settings.threads = threads }
        return settings
    }

    /// Returns the settings for hiding matches; nil to mark them.
    ///
    /// - Throws: ``FramegrepError`` (`badArgument`) for an invalid region.
    func hiding() throws -> RunningHidingSettings? {
        guard let hidingStyle else { return nil }
        var settings = RunningHidingSettings()
        settings.style = hidingStyle
        settings.reading.region = try region.map(RegionOfInterest.init(parsing:))
        // Hiding uses a lower score than finding, unless the user sets one.
        if minimumScore != Matcher.usualMinimumScore { settings.reading.minimumScore = minimumScore }
        settings.delay = timing.delay
        return settings
    }

    /// The reason the region is invalid; nil if it is valid, whatever the frames are.
    var regionRefusal: FramegrepError? {
        do {
            _ = try stage()
            return nil
        } catch {
            return error as? FramegrepError
        }
    }

    /// - Throws: ``FramegrepError`` (`badArgument`) if the frame does not contain the region.
    func checkRegion(inside frame: VideoInfo?) throws {
        guard let region = try stage().reading.region, let frame else { return }
        _ = try region.rect(width: frame.width, height: frame.height)
    }

    /// Returns the settings of the search.
    ///
    /// - Throws: ``FramegrepError`` (`badArgument`) for an invalid region.
    func stage() throws -> PushedSettings {
        var settings = PushedSettings()
        settings.reading = ReadingPlan(
            region: try region.map(RegionOfInterest.init(parsing:)), minimumScore: minimumScore)
        settings.timing = timing
        settings.carriesBoxes = carriesBoxes
        settings.readInterval = readInterval
        settings.reportsAllText = tellsAllText
        return settings
    }
}

/// Whether reading may hold the stream up.
enum ElementMode: Int, Sendable {
    /// `auto` is `live` if the source is live, otherwise `complete`.
    case auto, live, complete
}

// MARK: Properties

extension ElementSettings {
    /// Returns the storage of a text property; nil for any other.
    private static func text(_ property: FgeProperty) -> WritableKeyPath<Self, String?>? {
        switch property {
        case FGE_PATTERNS: \.patterns
        case FGE_PATTERN_FILE: \.patternFile
        case FGE_LANGUAGE: \.language
        case FGE_REGION: \.region
        default: nil
        }
    }

    /// Returns the storage of a switch; nil for any other property.
    private static func flag(_ property: FgeProperty) -> WritableKeyPath<Self, Bool>? {
        switch property {
        case FGE_REGEX: \.areExpressions
        case FGE_CASE_SENSITIVE: \.isCaseSensitive
        case FGE_WHOLE_WORDS: \.areWholeWords
        case FGE_OVERLAY: \.draws
        case FGE_EXACT: \.isExact
        case FGE_ALL_TEXT: \.tellsAllText
        case FGE_POST_MESSAGES: \.postsMessages
        case FGE_ATTACH_META: \.attachesMetadata
        default: nil
        }
    }

    /// Returns the text of a property; nil if it is not set or not a text.
    func text(of property: FgeProperty) -> String? { Self.text(property).flatMap { self[keyPath: $0] } }

    mutating func set(_ property: FgeProperty, to text: String?) {
        if let place = Self.text(property) { self[keyPath: place] = text }
    }

    /// Returns the number of a property: 1 for a switch that is on, the index of a name in its list.
    func number(of property: FgeProperty) -> Double {
        if let flag = Self.flag(property) { return self[keyPath: flag] ? 1 : 0 }
        return switch property {
        case FGE_MIN_SCORE: minimumScore
        case FGE_ENGINE: Double(EngineName.allCases.firstIndex(of: engine) ?? 0)
        case FGE_LEVEL: Double(LevelName.allCases.firstIndex(of: level) ?? 0)
        case FGE_THREADS: Double(threads)
        case FGE_MODE: Double(mode.rawValue)
        case FGE_REDACT: hidingStyle.flatMap { Self.styles.firstIndex(of: $0) }.map { Double($0 + 1) } ?? 0
        default: 0
        }
    }

    mutating func set(_ property: FgeProperty, to number: Double) {
        let isOn = number != 0
        if let flag = Self.flag(property) { self[keyPath: flag] = isOn }
        switch property {
        case FGE_MIN_SCORE: minimumScore = number
        case FGE_ENGINE: engine = EngineName.allCases[Int(number)]
        case FGE_LEVEL: level = LevelName.allCases[Int(number)]
        case FGE_THREADS: threads = Int(number)
        case FGE_MODE: mode = ElementMode(rawValue: Int(number)) ?? .auto
        case FGE_REDACT: hidingStyle = isOn ? Self.styles[Int(number) - 1] : nil
        default: break
        }
    }

    /// The styles in the order of the property's values, after "none".
    private static let styles: [HidingStyle] = [.black, .pixelate, .blur]

    func time(of property: FgeProperty) -> StreamTime { property == FGE_READ_INTERVAL ? readInterval : .zero }

    mutating func set(_ property: FgeProperty, to time: StreamTime) {
        if property == FGE_READ_INTERVAL { readInterval = time }
    }
}

extension FgeProperty {
    /// Whether the property changes what is searched for.
    var isOfPatterns: Bool {
        [FGE_PATTERNS, FGE_PATTERN_FILE, FGE_REGEX, FGE_CASE_SENSITIVE, FGE_WHOLE_WORDS].contains(self)
    }

    /// Whether the property changes how frames are searched.
    var isOfStage: Bool {
        [FGE_MIN_SCORE, FGE_REGION, FGE_EXACT, FGE_READ_INTERVAL, FGE_ALL_TEXT, FGE_REDACT].contains(self)
    }
}

/// Several patterns in one text: a line each, or GStreamer's notation for lists, `<EXIT, "GATE 12">`, because the text
/// of a pipeline cannot contain a line break.
enum PatternList {
    /// Returns the patterns, without those that consist only of white space.
    static func patterns(_ text: String) -> [String] {
        let items = listed(text) ?? text.split(whereSeparator: \.isNewline).map(String.init)
        return items.filter { !$0.allSatisfy(\.isWhitespace) }
    }

    /// Returns the items between `<` and `>`, which are separated by commas. Quotes protect commas and spaces, a
    /// backslash protects a quote, a comma or another backslash. Nil for a text that is not a list.
    private static func listed(_ text: String) -> [String]? {
        let trimmed = text.trimmed
        guard trimmed.first == "<", trimmed.last == ">", trimmed.count > 1, !text.contains(where: \.isNewline) else {
            return nil
        }
        var items = [""]
        var isQuoted = false
        var characters = trimmed.dropFirst().dropLast().makeIterator()
        while let character = characters.next() {
            switch character {
            case "\"": isQuoted.toggle()
            case "\\":
                let next = characters.next().map(String.init) ?? ""
                items[items.count - 1] += #"",\"#.contains(next) ? next : "\\" + next
            case "," where !isQuoted: items.append("")
            default: items[items.count - 1].append(character)
            }
        }
        return items.map(\.trimmed)
    }
}

extension String {
    fileprivate var trimmed: String {
        String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}

/// Measures how long frames occupy the streaming thread, from their arrival to their departure. Thread-safe.
final class AddedTime: Sendable {
    private struct State {
        var begun: ContinuousClock.Instant?
        var spent = Duration.zero
        var recent: [Double] = []
        var position = 0
        var count: UInt64 = 0
    }

    /// The number of frames included in the figures.
    private static let memory = 512

    private let state = Mutex(State())

    /// The number of frames so far.
    var count: UInt64 { state.withLock { $0.count } }

    /// Records that the thread begins to work on a frame.
    func begin() { state.withLock { $0.begun = .now } }

    /// Records that the thread ends its work on a frame, which may continue later.
    func pause() {
        state.withLock { state in
            guard let begun = state.begun else { return }
            state.spent += .now - begun
            state.begun = nil
        }
    }

    /// Records that the work on the frame is complete.
    func next() {
        state.withLock { state in
            let milliseconds = state.spent.inSeconds * 1e3
            (state.spent, state.count) = (.zero, state.count + 1)
            if state.recent.count < Self.memory {
                state.recent.append(milliseconds)
            } else {
                state.recent[state.position] = milliseconds
                state.position = (state.position + 1) % Self.memory
            }
        }
    }

    /// The median and the 95th percentile, in milliseconds.
    var percentiles: LiveStatistics.Percentiles { LiveStatistics.Percentiles(of: state.withLock { $0.recent }) }
}

/// The value of the property `stats`.
struct ElementStatistics {
    let mode: ElementMode
    /// The engine in use; nil until it is known.
    let engine: String?
    /// The figures of the search; nil while nothing is searched.
    let figures: LiveStatistics?
    let sightings: Int
    let added: LiveStatistics.Percentiles
    let frames: UInt64

    /// A new GstStructure that the caller owns.
    var structure: UnsafeMutablePointer<GstStructure> {
        let fields = Fields(named: "framegrep-stats")
        fields.set("mode", mode == .auto ? "auto" : mode == .live ? "live" : "complete")
        fields.set("engine", engine ?? "")
        fields.set("frames", frames)
        fields.set("sightings", UInt64(clamping: sightings))
        fields.set("added_ms_p50", added.p50)
        fields.set("added_ms_p95", added.p95)
        let figures = figures ?? LiveStatistics()
        fields.set("fps_in", figures.framesIn)
        fields.set("fps_read", figures.framesRead)
        fields.set("skipped", UInt64(clamping: figures.skipped))
        fields.set("unchanged", UInt64(clamping: figures.unchanged))
        fields.set("read_ms_p50", figures.readMilliseconds.p50)
        fields.set("read_ms_p95", figures.readMilliseconds.p95)
        fields.set("staleness_ms_p50", figures.stalenessMilliseconds.p50)
        fields.set("staleness_ms_p95", figures.stalenessMilliseconds.p95)
        fields.set("memory_mib", figures.memoryMebibytes)
        return fields.structure
    }
}
