import GStreamerMedia
import TextSpotting

/// Turns decoded frames into steps: makes the thumbnail of each and asks the gate which to read.
///
/// Runs on a thread of its own, because pulling a frame blocks. Not thread-safe: used only by that thread.
struct FrameSelector: ~Copyable {
    private let settings: FindSettings
    private var selection: FrameSelection
    private var clock: FrameClock
    private var geometry: FrameGeometry?
    private var pending: [FrameHistory.Frame] = []
    private var sinceReading: [FrameHistory.Frame] = []
    private var lastDistinct: Picture?
    /// The last two frames.
    private var newestFrames: [FrameHistory.Frame] = []
    private var previous: Sample?
    /// The plan for which frames are considered; nil for all.
    private var skim: SkimPlan.Follower?
    /// The latest frame: how long it is visible is known only when the next one arrives.
    private var newest: Sample?
    /// The parts that the recording is read in; nil to read it as a whole.
    private let borders: PartBorders?
    /// The part of the latest frame; nil before the first.
    private var part: Int?

    /// - Parameters:
    ///   - format: the picture format that the reader needs.
    ///   - origin: the stream's own time that counts as 0.
    ///   - borders: the parts that the recording is read in; nil to read it as a whole.
    init(
        settings: FindSettings, format: Picture.Format, origin: StreamTime = .zero, borders: PartBorders? = nil
    ) {
        self.borders = borders
        self.settings = settings
        selection = FrameSelection(
            SearchedPart(region: settings.reading.region, size: .compared), format, settings.gate)
        clock = FrameClock(origin: origin)
        skim = settings.skim.map(SkimPlan.Follower.init)
    }

    /// Whether a frame arrived that begins at or after the end of the searched part, or at which another reader takes
    /// over; it and all later ones are left out.
    private(set) var isBeyond = false

    /// Takes the next frame and considers the one before it; returns the steps that it completes: at most three, and
    /// two more at the end of a part.
    ///
    /// - Throws: ``FramegrepError`` if the frame cannot be converted or the region is outside it.
    mutating func consider(_ sample: consuming Sample) throws -> [ReadRequest] {
        let begins = sample.streamTime
        // Skipped frames do not count: a frame lasts until the next one that is considered.
        guard skim?.takes(begins) ?? true else { return [] }
        let before = newest.take()
        newest = consume sample
        guard let before else { return [] }
        return try look(at: before, until: begins)
    }

    /// Takes the next frame and considers it at once, however long it lasts; returns the steps that it completes, at
    /// most three.
    ///
    /// - Throws: ``FramegrepError`` as ``consider(_:)`` does. Use only one of the two methods for one instance.
    mutating func considerNow(_ sample: consuming Sample) throws -> [ReadRequest] { try look(at: sample, until: nil) }

    private mutating func look(at sample: consuming Sample, until next: StreamTime?) throws -> [ReadRequest] {
        guard !isBeyond, sample.info != nil else { return [] }
        var time = clock.time(of: sample, until: next)
        if let from = settings.from {
            if time.end <= from { return [] }
            // As if the decoder began there: the picture that is visible at that time counts from it on.
            if time.start < from { time = FrameTime(index: time.index, start: from, duration: time.end - from) }
        }
        if let to = settings.to, time.start >= to {
            isBeyond = true
            return []
        }
        let part = borders?.grid.part(at: time.start) ?? 0
        if let borders, part < borders.first { return [] }
        let geometry = try selection.part.geometry(of: sample.info)
        let thumbnail = try selection.part.thumbnail(of: sample, geometry)
        var steps = try begin(PartBeginning(part: part, time: time, geometry: geometry, thumbnail: thumbnail))
        if isBeyond { return steps }
        steps += begin(with: geometry)
        let decision = selection.decide(on: thumbnail, at: time)
        DebugLog.tell(of: decision, at: time)
        if let step = try readPrevious(decision, geometry) { steps.append(step) }
        let next = FrameHistory.Frame(time: time, picture: thumbnail)
        if let step = rereadPrevious(decision.rereadsPrevious, geometry, before: next) { steps.append(step) }
        note(thumbnail, at: time, isRepeat: decision.isRepeat)
        if let step = try read(sample, decision, geometry) { steps.append(step) }
        previous = consume sample
        return steps
    }

    /// Ends a part before a frame that belongs to a later one, which is read without any knowledge of the earlier
    /// frames.
    private mutating func begin(_ beginning: PartBeginning) throws -> [ReadRequest] {
        guard let borders else { return [] }
        defer { part = beginning.part }
        guard let part else {
            borders.begun(beginning)
            return []
        }
        guard beginning.part > part else { return [] }
        var steps = try lastSteps()
        if let last = steps.popLast(), !last.frames.isEmpty {
            steps.append(last)
            steps[steps.count - 1].endsPart = last.picture == nil
        }
        selection.startAnew()
        geometry = nil
        forget()
        isBeyond = borders.isTaken(beginning, clock.isRegular)
        return steps
    }

    /// Forgets all frames, with which coming ones cannot be compared.
    private mutating func forget() {
        pending = []
        sinceReading = []
        newestFrames = []
        lastDistinct = nil
        previous = nil
    }

    /// Starts again with pictures of another size: earlier findings cannot be compared with new ones and are joined as
    /// they are.
    private mutating func begin(with geometry: FrameGeometry) -> [ReadRequest] {
        defer { self.geometry = geometry }
        guard let before = self.geometry, before != geometry else { return [] }
        let steps = [
            rereadPrevious(selection.unseen, before),
            ReadRequest(frames: pending, picture: nil, part: part ?? 0, geometry: before),
        ]
        forget()
        return steps.compactMap(\.self)
    }

    /// Reads what was lost with the previous frame, if the gate asks for it.
    private mutating func readPrevious(_ decision: ChangeGate.Decision, _ geometry: FrameGeometry) throws
        -> ReadRequest?
    {
        guard let changed = decision.readsPrevious, !pending.isEmpty, let before = previous?.retained() else {
            return nil
        }
        let picture = try selection.picture(of: before, geometry)
        defer { passReading() }
        return ReadRequest(
            frames: pending, sinceReading: sinceReading, picture: picture, changed: changed,
            displacement: decision.previousDisplacement, part: part ?? 0, geometry: geometry)
    }

    /// Reads known lines of the previous frame, if it shows something that was never read and will not be read later.
    private mutating func rereadPrevious(
        _ lost: TileMask?, _ geometry: FrameGeometry, before next: FrameHistory.Frame? = nil
    ) -> ReadRequest? {
        guard let lost, !pending.isEmpty, newestFrames.count > 1, let before = previous?.retained() else { return nil }
        let reread = DeferredReading(
            of: before, selection.part, selection.format, geometry, lost,
            frames: newestFrames + [next].compactMap(\.self))
        defer { pending = [] }
        return ReadRequest(frames: pending, reread: reread, part: part ?? 0, geometry: geometry)
    }

    /// Keeps the thumbnail of a frame for the next reading; repeats share their bytes.
    private mutating func note(_ thumbnail: Picture, at time: FrameTime, isRepeat: Bool) {
        let kept = isRepeat ? lastDistinct ?? thumbnail : thumbnail
        lastDistinct = kept
        let frame = FrameHistory.Frame(time: time, picture: kept)
        pending.append(frame)
        sinceReading.append(frame)
        newestFrames = newestFrames.suffix(1) + [frame]
    }

    /// Reads a frame if the gate asks for it.
    private mutating func read(
        _ sample: borrowing Sample, _ decision: ChangeGate.Decision, _ geometry: FrameGeometry
    ) throws -> ReadRequest? {
        guard let changed = decision.reads else { return nil }
        let picture = try selection.picture(of: sample, geometry)
        defer { passReading() }
        return ReadRequest(
            frames: pending, sinceReading: sinceReading, picture: picture, changed: changed,
            displacement: decision.displacement,
            isThorough: [.age, .everyFrame, .close].contains(decision.reason),
            readsAnew: [.everyFrame, .close].contains(decision.reason), part: part ?? 0, geometry: geometry)
    }

    /// Returns the last step when no more frames follow: the last frame is read if it shows anything unread.
    mutating func finish() throws -> [ReadRequest] {
        var steps: [ReadRequest] = []
        if let last = newest.take() { steps = try look(at: last, until: settings.skim?.end) }
        return try steps + lastSteps()
    }

    /// Returns the last steps before a break: the last frame is read if it shows anything unread.
    private mutating func lastSteps() throws -> [ReadRequest] {
        guard let geometry else { return [] }
        var steps: [ReadRequest] = []
        var picture: Picture?
        let changed = selection.unread.change
        if changed != nil, !pending.isEmpty, let last = previous?.retained() {
            picture = try selection.picture(of: last, geometry)
        } else if let step = rereadPrevious(selection.unseen, geometry) {
            steps.append(step)
        }
        return steps + [
            ReadRequest(
                frames: pending, sinceReading: sinceReading, picture: picture, changed: changed,
                displacement: selection.unread.displacement, part: part ?? 0, geometry: geometry)
        ]
    }

    /// Releases all frames; none follow.
    mutating func close() {
        newest = nil
        previous = nil
        selection.part.close()
    }

    /// Records that the last of the pending frames is read: later frames count from there.
    private mutating func passReading() {
        sinceReading = sinceReading.suffix(1)
        pending = []
    }
}

/// Debug messages of a search of a recording, in the category `framegrep`; docs/DEBUGGING.md shows them.
extension DebugLog {
    /// Logs the gate's decision about a frame.
    static func tell(of decision: ChangeGate.Decision, at time: FrameTime) {
        if let lost = decision.readsPrevious {
            debug("reads \(lost.sentence) of frame \(time.index - 1): what stood there is gone in the next")
        }
        guard let reads = decision.reads, let reason = decision.reason else {
            return log(
                "frame \(time.index) at \(time.start.seconds) s is not read\(decision.isRepeat ? ": it repeats" : "")")
        }
        let (dx, dy) = (decision.displacement.dx, decision.displacement.dy)
        debug(
            "reads \(reads.sentence) of frame \(time.index) at \(time.start.seconds) s: \(reason)"
                + (dx == 0 && dy == 0 ? "" : "; the rest moved by \(dx), \(dy)"))
    }

    /// Logs the result of a reading and the time since its picture was available, including the wait for the previous
    /// reading.
    static func tell(of tracker: TextTracker, at time: FrameTime, after duration: Duration) {
        debug(
            "read frame \(time.index) within \(Int(duration.milliseconds)) ms: \(tracker.linesRead) lines recognized, "
                + "\(tracker.linesKnown) known from before, \(tracker.visible.count) in view")
    }
}

extension TileMask {
    fileprivate var sentence: String { isEmpty ? "nothing" : "\(Int((share * 100).rounded(.up))) %" }
}
