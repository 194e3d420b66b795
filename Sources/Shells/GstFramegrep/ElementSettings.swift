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

/// The values of the element's properties; the defaults stand here and nowhere else.
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
    /// 0 for as many as the program takes without `--threads`.
    var threads = 0
    var mode = ElementMode.auto
    var readInterval = StreamTime.zero
    var draws = true
    var isExact = false
    var postsMessages = true
    var attachesMetadata = true
    var tellsAllText = false
    /// How what is found is hidden; nil where it is marked.
    var hidingStyle: HidingStyle?

    /// Whether frames with a match are marked: what is hidden is not.
    var carriesBoxes: Bool { hidingStyle == nil && (draws || attachesMetadata) }

    /// How long frames are held, and so which readings their boxes rest on.
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

    /// How what is found is hidden; nil where it is marked.
    ///
    /// - Throws: ``FramegrepError`` (`badArgument`) for an invalid region.
    func hiding() throws -> RunningHidingSettings? {
        guard let hidingStyle else { return nil }
        var settings = RunningHidingSettings()
        settings.style = hidingStyle
        settings.reading.region = try region.map(RegionOfInterest.init(parsing:))
        // Lower than for finding, unless the user sets it.
        if minimumScore != Matcher.usualMinimumScore { settings.reading.minimumScore = minimumScore }
        settings.delay = timing.delay
        return settings
    }

    /// Why the region is invalid; nil if it is valid, whatever the frames are.
    var regionRefusal: FramegrepError? {
        do {
            _ = try stage()
            return nil
        } catch {
            return error as? FramegrepError
        }
    }

    /// - Throws: ``FramegrepError`` (`badArgument`) if a frame has no such region.
    func checkRegion(inside frame: VideoInfo?) throws {
        guard let region = try stage().reading.region, let frame else { return }
        _ = try region.rect(width: frame.width, height: frame.height)
    }

    /// How frames are searched.
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

/// Whether the stream may be held up by reading.
enum ElementMode: Int, Sendable {
    /// `live` where the source is live, else `complete`.
    case auto, live, complete
}

// MARK: Properties

extension ElementSettings {
    /// Where the text of a property is kept; nil for one that is no text.
    private static func text(_ property: FgeProperty) -> WritableKeyPath<Self, String?>? {
        switch property {
        case FGE_PATTERNS: \.patterns
        case FGE_PATTERN_FILE: \.patternFile
        case FGE_LANGUAGE: \.language
        case FGE_REGION: \.region
        default: nil
        }
    }

    /// Where a switch is kept; nil for a property that is none.
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

    /// The text of a property; nil if it is not set or not a text.
    func text(of property: FgeProperty) -> String? { Self.text(property).flatMap { self[keyPath: $0] } }

    mutating func set(_ property: FgeProperty, to text: String?) {
        if let place = Self.text(property) { self[keyPath: place] = text }
    }

    /// The number of a property: 1 for a switch that is on, the place of a name in its list.
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

    /// In the order of the property's values, behind "none".
    private static let styles: [HidingStyle] = [.black, .pixelate, .blur]

    /// A property that is a length of time.
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

    /// Frames are searched in another way with it.
    var isOfStage: Bool {
        [FGE_MIN_SCORE, FGE_REGION, FGE_EXACT, FGE_READ_INTERVAL, FGE_ALL_TEXT, FGE_REDACT].contains(self)
    }
}

/// Several patterns in one text: a line each, or GStreamer's notation for lists, `<EXIT, "GATE 12">`, because the text of a pipeline cannot
/// contain a line break.
enum PatternList {
    /// The patterns, without those of white space only.
    static func patterns(_ text: String) -> [String] {
        let items = listed(text) ?? text.split(whereSeparator: \.isNewline).map(String.init)
        return items.filter { !$0.allSatisfy(\.isWhitespace) }
    }

    /// The items between `<` and `>`, apart by commas; quotes keep commas and spaces, a backslash keeps a quote, a comma or
    /// another backslash. Nil for a text that is not a list.
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

/// Measures how long frames keep the stream's thread, from their arrival to their departure. Thread-safe.
final class AddedTime: Sendable {
    private struct State {
        var begun: ContinuousClock.Instant?
        var spent = Duration.zero
        var recent: [Double] = []
        var position = 0
        var count: UInt64 = 0
    }

    /// The number of frames in the figures.
    private static let memory = 512

    private let state = Mutex(State())

    /// How many frames there were.
    var count: UInt64 { state.withLock { $0.count } }

    /// The thread begins work for a frame.
    func begin() { state.withLock { $0.begun = .now } }

    /// The thread ends work for a frame, which may continue later.
    func pause() {
        state.withLock { state in
            guard let begun = state.begun else { return }
            state.spent += .now - begun
            state.begun = nil
        }
    }

    /// The work for the frame is complete.
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

    /// In milliseconds: the median and the 95th percentile.
    var percentiles: LiveStatistics.Percentiles { LiveStatistics.Percentiles(of: state.withLock { $0.recent }) }
}

/// The value of the property `stats`.
struct ElementStatistics {
    let mode: ElementMode
    /// The engine in use; nil until it is known.
    let engine: String?
    /// Nil while nothing is searched.
    let figures: LiveStatistics?
    let sightings: Int
    let added: LiveStatistics.Percentiles
    let frames: UInt64

    /// A new GstStructure, the caller's.
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
