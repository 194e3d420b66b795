import CGStreamer
import CGstFramegrep
import Engines
import Errors
import GStreamerMedia
import Spotter
import TextMatching
import TextSpotting
import Threads

/// State owned by the streaming thread: frames not yet pushed downstream, and the drawing on them.
// @unchecked: `held` and `painter` are used on the streaming thread, or while it is stopped, which GStreamer's stream
// lock ensures.
final class StreamSide: @unchecked Sendable {
    /// Measures how long frames occupy the streaming thread.
    let added = AddedTime()
    private let element: ElementHandle
    private var held = HeldFrames()
    private let painter = BoxPainter()
    private var hasWarned = false

    init(_ element: ElementHandle) {
        self.element = element
    }

    func hold(_ frame: HeldPassingFrame) { held.hold(frame) }

    /// Records that no frame comes until a time of the stream.
    func pass(gapUntil end: StreamTime) { held.pass(gapUntil: end) }

    var holdsFrames: Bool { held.count > 0 }

    func forget() { held.removeAll() }

    /// Returns the next frame to push, with its metadata; nil if none is due.
    func next(_ settings: ElementSettings, all: Bool) -> UnsafeMutableRawPointer? {
        while let next = held.next(after: settings.timing.delay, all: all) {
            if let frame = passed(next, settings) { return frame }
        }
        return nil
    }

    /// Returns a frame ready to be pushed; nil for one that must be discarded.
    private func passed(_ next: HeldPassingFrame, _ settings: ElementSettings) -> UnsafeMutableRawPointer? {
        guard let (stage, time) = next.place else {
            // Nothing is read outside the segment.
            return settings.hidingStyle == nil ? passOn(next) : nil
        }
        if let hiding = stage.search as? HidingStage {
            guard hide(next, at: time, hiding) else { return nil }
        } else if settings.carriesBoxes, let session = stage.search as? PushedSession {
            let boxes = session.boxes(on: time)
            if !boxes.isEmpty { carry(boxes, at: time, on: next, settings, stage.results) }
        }
        return passOn(next)
    }

    private func passOn(_ next: HeldPassingFrame) -> UnsafeMutableRawPointer? {
        added.next()
        return next.frame.take()?.handOn()
    }

    private func hide(_ next: HeldPassingFrame, at time: FrameTime, _ hiding: HidingStage) -> Bool {
        guard let places = hiding.places(on: time) else { return false }
        do {
            try next.frame?.hide(places, hiding.settings.style)
            return true
        } catch {
            element.fail(error)
            return false
        }
    }

    private func carry(
        _ boxes: [FollowedBox], at time: FrameTime, on next: HeldPassingFrame, _ settings: ElementSettings,
        _ results: StageResults
    ) {
        guard let info = next.frame?.info else { return }
        if settings.attachesMetadata {
            let places = boxes.map { results.place(of: $0, at: time, on: info) }
            next.frame?.withBuffer { buffer in for place in places { place.attach(to: buffer) } }
        }
        guard settings.draws else { return }
        do {
            let patches = try painter.patches(for: boxes, at: time.start, on: info)
            if next.frame?.draw(patches) ?? true { return }
            warnOnce(FramegrepError(.pipelineFailed, "Frames of \(info) cannot be drawn on."))
        } catch {
            warnOnce(error as? FramegrepError ?? FramegrepError(.outputFailed, "The boxes cannot be drawn: \(error)."))
        }
    }

    private func warnOnce(_ warning: FramegrepError) {
        if !hasWarned { element.warn(warning) }
        hasWarned = true
    }
}

final class HeldPassingFrame {
    /// The frame; nil once it was pushed downstream.
    var frame: PassingFrame?
    /// The stage that searches the frame, and the frame's time there; nil for a frame that is not searched.
    let place: (stage: ElementStage, time: FrameTime)?
    /// The time of the frame in the stream, which a stage may count differently; nil if there is none.
    let streamTime: StreamTime?

    init(
        _ frame: consuming PassingFrame, _ place: (stage: ElementStage, time: FrameTime)?,
        _ streamTime: StreamTime? = nil
    ) {
        self.frame = consume frame
        self.place = place
        self.streamTime = streamTime
    }
}

/// The held frames, in order. Used by the stream's thread only.
///
/// Buffering: as many as fit into the delay, at most ``OverlayTiming/mostHeld``; beyond that the oldest is pushed at
/// once.
struct HeldFrames {
    private var frames: [HeldPassingFrame] = []
    /// The time of the newest frame, in the stage's count and in the stream's.
    private var newest = StreamTime.zero
    private var newestOwn: StreamTime?
    /// The time for which no frame follows it.
    private var gap = StreamTime.zero

    var count: Int { frames.count }

    mutating func hold(_ frame: HeldPassingFrame) {
        frames.append(frame)
        if let time = frame.place?.time { (newest, newestOwn, gap) = (time.start, frame.streamTime, .zero) }
    }

    /// Records that no frame comes until a time of the stream.
    mutating func pass(gapUntil end: StreamTime) {
        if let newestOwn { gap = max(gap, end - newestOwn) }
    }

    /// Returns the oldest frame, if it is due.
    ///
    /// - Parameters:
    ///   - delay: the time for which each frame is held before it is passed on.
    ///   - all: whether to take it even if its time has not come.
    mutating func next(after delay: StreamTime, all: Bool) -> HeldPassingFrame? {
        guard let first = frames.first else { return nil }
        if !all, frames.count <= OverlayTiming.mostHeld, let (stage, time) = first.place {
            let followed = newest + gap - time.start
            // During a gap nothing arrives that would tell more about the frame.
            guard delay == .zero || followed >= delay, gap > .zero || stage.search.isReady(time) else { return nil }
        }
        return frames.removeFirst()
    }

    mutating func removeAll() { frames = [] }
}

/// A search of the frames that pass, and the object that reports its results.
struct ElementStage: Sendable {
    let search: any PassingSearch
    let results: StageResults
    /// Whether frames are copied while they are held.
    let copiesFrames: Bool

    /// Announces that no frame follows: returns when everything is read and reported.
    func finish() {
        search.finish()
        results.finish()
    }
}

/// A search of frames that pass. Its functions may be called by the threads that those of both kinds of session allow.
protocol PassingSearch: AnyObject, Sendable {
    /// Takes the next frame; returns its time.
    func put(_ sample: borrowing Sample) throws -> FrameTime
    func isReady(_ frame: FrameTime) -> Bool
    func finish()
    func interrupt()
    func whenOver(_ body: @escaping @Sendable () -> Void)
    /// - Returns: false if frames would have to be read again.
    func search(for matcher: Matcher) -> Bool
    func frameWasLate()
    func statistics() -> LiveStatistics
}

/// Provides the places of the words on each frame.
extension PushedSession: PassingSearch {
    func put(_ sample: borrowing Sample) throws -> FrameTime { try take(sample) }
}

/// Provides the places to hide on each frame (the property `redact`): every frame is read before it is passed on.
extension HidingStage: PassingSearch {
    // It waits for its reader and refuses no frame.
    func put(_ sample: borrowing Sample) throws -> FrameTime {
        try take(sample) ?? FrameTime(index: -1, start: .zero, duration: .zero)
    }

    func isReady(_ frame: FrameTime) -> Bool { isTaken(frame) }

    func search(for matcher: Matcher) -> Bool { false }

    // While hiding, late callers have to wait.
    func frameWasLate() {}
}

/// The GObject that a job belongs to, which posts its messages.
///
/// It holds no reference: the GObject owns the job, and ends everything that runs before it is freed.
// @unchecked: the pointer never changes, and elements lock themselves.
struct ElementHandle: @unchecked Sendable {
    let pointer: UnsafeMutableRawPointer

    private var element: UnsafeMutablePointer<GstElement> { pointer.assumingMemoryBound(to: GstElement.self) }

    /// The name of the element in its pipeline.
    var name: String {
        guard let name = gst_object_get_name(pointer.assumingMemoryBound(to: GstObject.self)) else { return "" }
        defer { g_free(name) }
        return String(cString: name)
    }

    /// Whether frames arrive in real time, and are lost if they are not taken.
    var isSourceLive: Bool { fge_is_live(pointer) != 0 }

    /// The source of the stream, without passwords, as far as an element upstream knows it.
    var sourceName: String {
        guard let uri = fge_source_uri(pointer) else { return "the pipeline" }
        defer { g_free(uri) }
        let text = String(cString: uri)
        return (try? SourceURI(text))?.redacted ?? redacted(text)
    }

    /// Posts an element message and emits the corresponding signal.
    ///
    /// - Parameters:
    ///   - structure: taken over by this function.
    ///   - signal: nil for none.
    func tell(_ structure: UnsafeMutablePointer<GstStructure>, signal: String?, postsMessage: Bool) {
        if let signal { fge_emit(pointer, signal, structure) }
        guard postsMessage else { return gst_structure_free(structure) }
        gst_element_post_message(
            element, gst_message_new_element(pointer.assumingMemoryBound(to: GstObject.self), structure))
    }

    /// Posts an error, which stops the pipeline.
    func fail(_ error: FramegrepError) {
        post(GST_MESSAGE_ERROR, error)
        DebugLog.warning("\(name): \(error.message)")
    }

    /// Posts a warning for users.
    func warn(_ warning: FramegrepError) {
        post(GST_MESSAGE_WARNING, warning)
        DebugLog.warning("\(name): \(warning.message)")
    }

    private func post(_ type: GstMessageType, _ error: FramegrepError) {
        let (domain, code) = error.code.gstreamer
        gst_element_message_full(
            element, type, domain, code, g_strdup(redacted(error.inTermsOfProperties)), g_strdup(error.code.rawValue),
            "GstFramegrep", "framegrep", 0)
    }
}

extension FramegrepError.Code {
    /// The corresponding error domain and code of GStreamer.
    fileprivate var gstreamer: (GQuark, gint) {
        switch self {
        case .badPattern, .badArgument: (gst_library_error_quark(), gint(GST_LIBRARY_ERROR_SETTINGS.rawValue))
        case .engineUnavailable: (gst_library_error_quark(), gint(GST_LIBRARY_ERROR_INIT.rawValue))
        default: (gst_stream_error_quark(), gint(GST_STREAM_ERROR_FAILED.rawValue))
        }
    }
}

extension FramegrepError {
    /// The sentence with the program's options replaced by the element's properties: `engine=tesseract` for `--engine
    /// tesseract`. Quoted commands, such as `'framegrep setup --system'`, are commands of the program and stay as they
    /// are.
    var inTermsOfProperties: String {
        let all = message.split(separator: " ", omittingEmptySubsequences: false)
        var words: [Substring] = []
        var isBehindOption = false
        var endOfCommand = 0
        for (index, word) in all.enumerated() {
            if index >= endOfCommand { endOfCommand = index + Self.lengthOfCommand(in: all[index...]) }
            guard index >= endOfCommand else {
                words.append(word)
                isBehindOption = false
                continue
            }
            let isOption = word.hasPrefix("--")
            if isBehindOption, let last = words.last, ["engine", "level", "language"].contains(last),
                word.first?.isLowercase == true
            {
                words[words.count - 1] = last + "=" + word
            } else {
                words.append(isOption ? word.dropFirst(2) : word)
            }
            isBehindOption = isOption
        }
        return words.joined(separator: " ")
    }

    /// Returns the number of words of the quoted command that these words begin with; 0 if there is none.
    private static func lengthOfCommand(in words: ArraySlice<Substring>) -> Int {
        guard let first = words.first, first.hasPrefix("'") || first.hasPrefix("('"),
            let end = words.firstIndex(where: endsQuote)
        else { return 0 }
        let command = words[...end].joined(separator: " ")
        let isOurs = command.contains("'framegrep") || command.contains(" framegrep")
        return isOurs ? end - words.startIndex + 1 : 0
    }

    /// Returns whether a word ends with a quotation mark, ignoring the punctuation of the sentence.
    private static func endsQuote(_ word: Substring) -> Bool {
        var bare = word
        while let last = bare.last, ".,;:)".contains(last) { bare.removeLast() }
        return bare.count > 1 && bare.last == "'"
    }
}
