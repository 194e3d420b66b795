import CGStreamer
import CGstFramegrep
import Engines
import Errors
import Foundation
import GStreamerMedia
import Spotter
import Synchronization
import TextSpotting
import Threads

/// Publishes the results of an element's searches as messages and as signals. Thread-safe.
final class Results: Sendable {
    private struct State {
        var count = 0
        var postsMessages = true
        /// The warnings that were already posted.
        var warnings = Set<String>()
    }

    private let element: ElementHandle
    private let state = Mutex(State())

    init(_ element: ElementHandle) {
        self.element = element
    }

    /// The number of sightings so far.
    var count: Int { state.withLock { $0.count } }

    /// Whether to post messages; signals are emitted in any case.
    var postsMessages: Bool {
        get { state.withLock { $0.postsMessages } }
        set { state.withLock { $0.postsMessages = newValue } }
    }

    /// Returns a number for the next sighting of any search.
    fileprivate func nextNumber() -> Int {
        state.withLock { state in
            state.count += 1
            return state.count
        }
    }

    /// - Parameters:
    ///   - source: the name of the source.
    ///   - screensLines: whether to leave out lines in scripts that the networks do not know.
    ///   - fail: called when the search cannot continue.
    func ofStage(
        source: String, screensLines: Bool, fail: @escaping @Sendable (FramegrepError) -> Void
    ) -> StageResults {
        StageResults(self, source: source, screensLines: screensLines, fail: fail)
    }

    /// Warns once that an engine does not read a script.
    fileprivate func warn(_ sentence: String) {
        let isNews = state.withLock { $0.warnings.insert(sentence).inserted }
        if isNews { element.warn(FramegrepError(.engineUnavailable, sentence)) }
    }

    fileprivate func tell(_ fields: Fields, signal: String?) {
        element.tell(fields.structure, signal: signal, postsMessage: postsMessages)
    }
}

/// Publishes the results of one search; its sightings continue the numbers of earlier searches. Thread-safe.
final class StageResults: Sendable {
    private let results: Results
    private let source: String
    private let fail: @Sendable (FramegrepError) -> Void
    private struct Numbers {
        /// The element's number of each sighting, keyed by the search's own number.
        var known: [Int: Int] = [:]
        /// The sightings that are over, oldest first: held frames may still carry their boxes.
        var over: [Int] = []
    }

    /// The number of finished sightings that keep their numbers: more than there can be boxes on held frames.
    private static let memory = 256

    private let numbers = Mutex(Numbers())
    /// Holds back lines in unknown scripts; nil if all lines are reported.
    private let screen: Mutex<NamingScreen?>

    fileprivate init(
        _ results: Results, source: String, screensLines: Bool, fail: @escaping @Sendable (FramegrepError) -> Void
    ) {
        self.results = results
        screen = Mutex(screensLines ? NamingScreen() : nil)
        self.source = source
        self.fail = fail
    }

    /// Returns the element's number of a sighting.
    private func number(of id: Int) -> Int {
        numbers.withLock { numbers in
            if let known = numbers.known[id] { return known }
            let number = results.nextNumber()
            numbers.known[id] = number
            return number
        }
    }

    /// Forgets a sighting that is over.
    private func forget(_ id: Int) {
        numbers.withLock { numbers in
            numbers.over.append(id)
            if numbers.over.count > Self.memory { numbers.known[numbers.over.removeFirst()] = nil }
        }
    }

    /// Takes an event of the search.
    @Sendable func hear(_ event: LiveEvent) {
        switch event {
        case .appeared(var sighting, let time, let latency):
            sighting.id = number(of: sighting.id)
            let json = line(for: .appeared(sighting, at: time, latency: latency))
            let fields = Fields(named: "framegrep-appeared", source, sighting, json)
            fields.set("t", time.seconds)
            fields.set("quad", sighting.peak.quad)
            fields.set("latency_ms", latency.inSeconds * 1e3)
            results.tell(fields, signal: "appeared")
        case .disappeared(var sighting, let time):
            let id = sighting.id
            sighting.id = number(of: id)
            forget(id)
            let json = line(for: .disappeared(sighting, at: time))
            let fields = Fields(named: "framegrep-disappeared", source, sighting, json)
            fields.set("t", time.seconds)
            fields.setTimes(of: sighting)
            results.tell(fields, signal: "disappeared")
        case .warning(let warning):
            let fields = Fields(named: "framegrep-warning")
            fields.set("code", warning.code.rawValue)
            fields.set("message", redacted(warning.message))
            fields.set("json", line(for: event))
            results.tell(fields, signal: nil)
        case .end(let end):
            if let failure = end.failure { fail(failure) }
        case .text(let text, _):
            tell {
                $0.take(text)
            } unscreened: {
                [text]
            }
        case .state, .box, .statistics, .snapshot, .textAppeared: break
        }
    }

    /// Publishes the lines that waited for others, because everything was read.
    func finish() {
        tell {
            $0.finish()
        } unscreened: {
            []
        }
    }

    /// Publishes lines, one after the other.
    ///
    /// - Parameter all: returns the lines if none are left out.
    private func tell(_ screened: (inout ScriptScreen) -> [Sighting], unscreened all: () -> [Sighting]) {
        let told = screen.withLock { $0?.tell(screened) } ?? (lines: all(), sentences: [])
        for text in told.lines {
            let json = JSONLinesFormatter().format(text: text, source: source)
            let fields = Fields(named: "framegrep-line", source, text, json)
            fields.setTimes(of: text)
            results.tell(fields, signal: "line")
        }
        for sentence in told.sentences { results.warn(sentence) }
    }

    private func line(for event: LiveEvent) -> String {
        LiveEventFormatter(sourceName: source).line(for: event, now: Date())
    }

    /// Returns the metadata that is attached to a frame for a box on it.
    func place(of box: FollowedBox, at time: FrameTime, on info: VideoInfo) -> MatchedRegion {
        MatchedRegion(box, number: number(of: box.id), at: time.start, source: source, on: info)
    }
}

/// A GstStructure that is being built.
struct Fields {
    let structure: UnsafeMutablePointer<GstStructure>

    init(named name: String) {
        // This returns nil only for an invalid name.
        structure = gst_structure_new_empty(name)!
    }

    /// Creates the structure of a sighting, with the fields of the events contract (docs/EVENTS.md), and all of them as
    /// JSON.
    init(named name: String, _ source: String, _ sighting: Sighting, _ json: String) {
        self.init(named: name)
        set("version", UInt32(JSONObject.version))
        set("source", source)
        set("id", UInt32(clamping: sighting.id))
        if !sighting.pattern.isEmpty { set("pattern", sighting.pattern) }
        set("text", sighting.text)
        set("line", sighting.line)
        set("score", sighting.score)
        set("json", json)
    }

    func set(_ field: String, _ value: String) { fge_set_string(structure, field, value) }
    func set(_ field: String, _ value: Double) { fge_set_double(structure, field, value) }
    func set(_ field: String, _ value: UInt32) { fge_set_uint(structure, field, value) }
    func set(_ field: String, _ value: UInt64) { fge_set_uint64(structure, field, guint64(value)) }

    /// Adds the corners one after the other: x, y of the text's own top-left, then clockwise.
    func set(_ field: String, _ quad: Quad) {
        fge_set_quad(structure, field, quad.corners.flatMap { [$0.x, $0.y] })
    }

    /// Adds the times of a sighting, and its place in its best frame.
    func setTimes(of sighting: Sighting) {
        set("start", sighting.start.seconds)
        set("end", sighting.end.seconds)
        set("peak_t", sighting.peak.time.start.seconds)
        set("quad", sighting.peak.quad)
    }
}

/// The place of a match on a frame, which is attached to the frame as a GstVideoRegionOfInterestMeta of the type
/// `framegrep`, with the number of the sighting.
///
/// Its parameter `framegrep` has the fields of the events contract and all of them as JSON; `detection` has the fields
/// that DL Streamer's elements look for. docs/ELEMENT.md describes both.
struct MatchedRegion {
    private let number: Int
    private let match: Match
    private let quad: Quad
    private let bounds: Rect
    private let size: (width: Double, height: Double)
    private let json: String

    /// - Parameters:
    ///   - number: the number of the sighting.
    ///   - info: the format of the frame.
    init(_ box: FollowedBox, number: Int, at time: StreamTime, source: String, on info: VideoInfo) {
        self.number = number
        match = box.match
        quad = box.quad
        size = (Double(info.width), Double(info.height))
        bounds = box.quad.bounds.intersection(Rect(x: 0, y: 0, width: size.width, height: size.height))
        var object = JSONObject(type: "box")
        object.add("id", number)
        object.add("source", source)
        object.add("t", time.seconds, decimals: 6)
        object.add("pattern", match.pattern)
        object.add("text", match.text)
        object.add("line", match.line)
        object.add("score", match.score, decimals: 3)
        object.add("quad", json: JSONLinesFormatter.quad(quad))
        json = object.text
    }

    /// - Parameter buffer: a writable GstBuffer.
    func attach(to buffer: UnsafeMutableRawPointer) {
        guard !bounds.isEmpty else { return }
        let (left, top) = (bounds.minX.rounded(.down), bounds.minY.rounded(.down))
        let meta = gst_buffer_add_video_region_of_interest_meta(
            buffer.assumingMemoryBound(to: GstBuffer.self), "framegrep", guint(left), guint(top),
            guint(bounds.maxX.rounded(.up) - left), guint(bounds.maxY.rounded(.up) - top))
        guard let meta else { return }
        meta.pointee.id = gint(clamping: number)
        meta.pointee.parent_id = -1
        gst_video_region_of_interest_meta_add_param(meta, fields)
        gst_video_region_of_interest_meta_add_param(meta, detection)
    }

    private var fields: UnsafeMutablePointer<GstStructure> {
        let fields = Fields(named: "framegrep")
        fields.set("version", UInt32(JSONObject.version))
        fields.set("id", UInt32(clamping: number))
        fields.set("pattern", match.pattern)
        fields.set("text", match.text)
        fields.set("line", match.line)
        fields.set("score", match.score)
        fields.set("quad", quad)
        fields.set("json", json)
        // Use the fields of DL Streamer's classifiers.
        fields.set("label", match.text)
        fields.set("confidence", match.score)
        return fields.structure
    }

    /// The place in fractions of the frame's width and height.
    private var detection: UnsafeMutablePointer<GstStructure> {
        let fields = Fields(named: "detection")
        fields.set("confidence", match.score)
        fields.set("label", match.pattern)
        fields.set("x_min", bounds.minX / size.width)
        fields.set("y_min", bounds.minY / size.height)
        fields.set("x_max", bounds.maxX / size.width)
        fields.set("y_max", bounds.maxY / size.height)
        return fields.structure
    }
}
