import GStreamerMedia
import Synchronization
import TextMatching
import TextSpotting
import Threads

/// Plays a recording in a window: connects the keys, the display, the source and the reader. Thread-safe.
///
/// ``Playback`` interprets each wish, ``ReadingAhead`` decides what to read; here they come together. The display asks for the boxes of
/// each frame, ``AheadReader`` brings them.
final class RecordingPlayer: Sendable {
    private struct State {
        var playback = Playback()
        var ahead = ReadingAhead()
        var known = KnownSightings() {
            didSet { marks = nil }
        }
        /// Those of the bar, which is drawn with each frame; nil where they have changed since.
        var marks: [OverlayPlayer.Mark]?
        var shown = ShownSightings()
        /// The readings, by time.
        var readings: [LatestText.Reading] = []
        var pipeline: Pipeline?
        var isFrozen = false
        var part = 0
        /// When the frame begins that was shown last.
        var lastShown: StreamTime?
        /// When the part that is being read was begun, until its first reading is there, and how long that takes.
        var begun: ContinuousClock.Instant?
        var latency = 2.0
        var hasRead = false
        /// Since when frames are shown that have not been read.
        var blindSince: ContinuousClock.Instant?
        /// Sightings of an earlier search that were shown and are over with it.
        var leftOver: [Sighting] = []

        /// How fast the picture goes on; 0 where it stands still.
        var speed: Double { isFrozen || playback.isAtEnd ? 0 : playback.speed }

        /// Nothing is left to be found after the shown frame.
        var isComplete: Bool { ahead.isComplete(after: playback.place, of: playback.duration ?? .infinity) }

        /// Makes one of sightings that go on over the border of two parts, of which the later one was read first.
        mutating func joinSightings(at border: StreamTime) {
            while let (earlier, later) = known.seam(at: border) {
                let (number, over) = shown.join(earlier, later)
                leftOver += known.all.map(\.sighting).filter { $0.id == over }
                known.join(earlier, later, as: number)
            }
        }

        /// Keeps a reading, in the order of time; those furthest from the shown frame are forgotten first.
        mutating func keep(_ reading: LatestText.Reading) {
            let place = readings.firstIndex { $0.time.start >= reading.time.start } ?? readings.count
            if place < readings.count, readings[place].time.start == reading.time.start { readings.remove(at: place) }
            readings.insert(reading, at: place)
            guard readings.count > RecordingPlayer.readingLimit, let first = readings.first, let last = readings.last
            else { return }
            let now = playback.place
            if now - first.time.start.seconds > last.time.start.seconds - now {
                readings.removeFirst()
            } else {
                readings.removeLast()
            }
        }
    }

    /// The number of readings that are kept, for outlining the shown text and for clicks.
    private static let readingLimit = 400
    /// A frame that will not be read ahead within this time is read as it is shown.
    private static let blindness = Duration.seconds(2)
    /// More frames than this a second are not visible.
    private static let framesPerSecond = 50.0

    /// Rings when the source is to go somewhere.
    let jumps = TaskWakeEvent()
    /// Rings when something else may have to be read.
    let reading = TaskWakeEvent()
    private let words: SearchedWords
    private let zoom: DigitalZoom
    private let state = Mutex(State())

    /// - Parameter zoom: enlarges the frames that are shown, not those that are read.
    init(_ words: SearchedWords, _ zoom: DigitalZoom) {
        self.words = words
        self.zoom = zoom
    }

    // MARK: The user

    /// Carries out a command of the user; returns a sentence for the user.
    func press(_ command: PlayerCommand) -> String? {
        let notice = state.withLock { state in
            state.playback.press(command, starts: state.known.starts, isComplete: state.isComplete)
        }
        ring()
        return notice
    }

    /// The user has stopped the picture, or lets it go on.
    func freeze(_ isFrozen: Bool) {
        state.withLock { state in
            state.isFrozen = isFrozen
            if !isFrozen { state.playback.resume() }
        }
        ring()
    }

    /// The source sends another picture of the same moment, as it was enlarged: one that stands still is shown anew.
    func pictureChanged() {
        state.withLock { state in if state.speed == 0 { state.playback.stay() } }
        jumps.ring()
    }

    /// Something else is searched for: all that is known says nothing about it.
    func searchAnew() {
        state.withLock { state in
            // Earlier readings are not taken any more.
            state.part += 1
            state.playback.forgetSightings()
            state.leftOver += state.shown.finish(among: state.known.all)
            state.known.forget()
            state.ahead.forget()
        }
        reading.ring()
    }

    private func ring() {
        jumps.ring()
        reading.ring()
    }

    // MARK: The source

    /// The source is open.
    func open(_ pipeline: Pipeline) {
        let duration = pipeline.duration?.seconds
        state.withLock { state in
            state.pipeline = pipeline
            state.playback.duration = duration.flatMap { $0 > 0 ? $0 : nil }
        }
        reading.ring()
    }

    /// The source has sent its last frame.
    func reachEnd() {
        state.withLock { $0.playback.reachEnd() }
        jumps.ring()
    }

    /// The last frame has come, and no further one is wanted.
    var isAtEnd: Bool { state.withLock { $0.playback.isAtEnd } }

    /// Has the source go where the user wants it, until the task is cancelled.
    func follow(_ frames: SourceFrames) async {
        while !Task.isCancelled {
            while let (pipeline, time) = state.withLock({ state in
                state.pipeline.flatMap { pipeline in state.playback.takeJump().map { (pipeline, $0) } }
            }) {
                let hasMoved = await frames.jump {
                    let hasMoved = await pipeline.seek(to: StreamTime(seconds: time) + frames.origin, accurate: true)
                    // One that came while the pipeline was still on its way from the one before leaves it paused.
                    try? await pipeline.play()
                    return hasMoved
                }
                state.withLock { $0.playback.arrive(hasMoved) }
                reading.ring()
            }
            await jumps.wait()
        }
    }

    // MARK: The display

    /// The part of a frame that is shown enlarged; nil for all of it.
    func part(ofFrameAt timestamp: StreamTime?) -> EnlargedPart? { zoom.part(ofFrameAt: timestamp) }

    /// How fast it is played.
    var speed: Double { state.withLock { $0.playback.speed } }

    /// Whether a frame that comes is to be shown; at high speed some are left out.
    func wants(_ time: StreamTime) -> Bool {
        state.withLock { state in
            guard state.playback.speed > 1, let last = state.lastShown, time > last else { return true }
            return (time - last).seconds / state.playback.speed >= 1 / Self.framesPerSecond
        }
    }

    /// The boxes on a frame that is shown now, in pixels of the picture as displayed, with the sightings that appear with it and
    /// those that are over. The boxes are nil if the frame was not read ahead.
    func show(_ time: FrameTime) -> (boxes: [FollowedBox]?, new: [Sighting], over: [Sighting]) {
        let together = words.matcher.manner.requiresAll ? words.matcher.patterns.count : 1
        let result = state.withLock { state in
            state.lastShown = time.start
            state.playback.show(time.start.seconds)
            let shown = state.known.shown(in: time, together: together)
            let (new, over) = state.shown.show(shown.map(\.known), at: time.start, among: state.known.all)
            defer { state.leftOver = [] }
            let boxes = shown.map { FollowedBox($0.known.sighting, at: $0.quad, in: time.start) }
            let isKnown = !boxes.isEmpty || state.ahead.covers(time.start.seconds)
            return (isKnown ? boxes : nil, new, state.leftOver + over)
        }
        reading.ring()
        return result
    }

    /// Those that were shown and are not over, at the end of the job.
    func finish() -> [Sighting] { state.withLock { $0.leftOver + $0.shown.finish(among: $0.known.all) } }

    /// Whether a frame is to be read as it is shown, because it was not read ahead and will not be soon.
    func leavesUnread(_ time: StreamTime) -> Bool {
        state.withLock { state in
            guard !state.ahead.covers(time.seconds) else {
                state.blindSince = nil
                return false
            }
            let since = state.blindSince ?? .now
            state.blindSince = since
            // Its very first reading is of the same picture, and comes no sooner for another one beside it.
            return state.hasRead && .now - since > Self.blindness
        }
    }

    /// The reading of the frame at this time, in pixels of the picture as displayed; nil if it was not read.
    func text(at time: StreamTime) -> LatestText.Reading? {
        state.withLock { state in
            guard state.ahead.covers(time.seconds) else { return nil }
            return state.readings.last { $0.time.start <= time }
        }
    }

    /// The contents of the bar.
    var overlay: OverlayPlayer? {
        state.withLock { state in
            guard let duration = state.playback.duration else { return nil }
            let marks =
                state.marks
                ?? state.known.all.map {
                    OverlayPlayer.Mark(
                        start: $0.sighting.start.seconds, end: $0.sighting.end.seconds,
                        patternIndex: $0.sighting.patternIndex)
                }
            state.marks = marks
            return OverlayPlayer(
                duration: duration, position: state.playback.place, marks: marks,
                // A reading made before the source is open has no end yet.
                read: state.ahead.read.map { $0.clamped(to: 0...duration) },
                speed: state.playback.speed, isLooping: state.playback.isLooping)
        }
    }

    /// Whether the shown frame has been read.
    var isRead: Bool { state.withLock { $0.ahead.covers($0.playback.place) } }

    // MARK: The reader

    /// The part to be read next, with its number; nil if all has been. Before the source is open that is all of it: the first
    /// boxes are there the sooner.
    func beginPart() -> (number: Int, range: Range<Double>)? {
        state.withLock { state in
            let end = state.playback.duration ?? .infinity
            guard
                let range = state.ahead.begin(
                    at: state.playback.place, speed: state.speed, latency: state.latency, end: end)
            else { return nil }
            state.part += 1
            state.begun = .now
            return (state.part, range)
        }
    }

    /// Whether the part of this number is not to be read on: another is wanted sooner, or something else is searched for.
    func isElsewhere(_ number: Int) -> Bool {
        state.withLock { state in
            state.part != number
                || state.ahead.isElsewhere(from: state.playback.place, speed: state.speed, latency: state.latency)
        }
    }

    /// A part has been read up to the end of this frame.
    func take(_ step: SightingStep, ofPart number: Int) -> String? {
        let notice = state.withLock { state -> String? in
            guard state.part == number else { return nil }
            state.ahead.reach(step.time.end.seconds)
            if let begun = state.begun {
                // A little more, because not every reading takes as long as the last one did.
                state.latency = min(10, max(1, (.now - begun).milliseconds / 1000 * 1.3))
                (state.begun, state.hasRead) = (nil, true)
            }
            state.known.see(step.open, inPart: number)
            if let lines = step.lines { state.keep(LatestText.Reading(lines: lines, time: step.time)) }
            return state.playback.found(starts: state.known.starts, isComplete: state.isComplete)
        }
        jumps.ring()
        return notice
    }

    /// A sighting of a part is over.
    func take(_ sighting: Sighting, ofPart number: Int) {
        state.withLock { state in
            if state.part == number { state.known.finish(sighting, inPart: number) }
        }
    }

    /// A part is over.
    ///
    /// - Parameter isWhole: it was read to its end.
    func finishPart(_ number: Int, isWhole: Bool) -> String? {
        let notice = state.withLock { state -> String? in
            guard state.part == number else { return nil }
            let end = state.ahead.current?.to
            state.ahead.finish(isWhole: isWhole)
            state.known.close(part: number)
            if isWhole, let end, end.isFinite { state.joinSightings(at: StreamTime(seconds: end)) }
            return state.playback.found(starts: state.known.starts, isComplete: state.isComplete)
        }
        jumps.ring()
        return notice
    }
}

extension FollowedBox {
    /// A sighting where it is in a frame.
    fileprivate init(_ sighting: Sighting, at quad: Quad, in time: StreamTime) {
        self.init(
            id: sighting.id,
            match: Match(
                patternIndex: sighting.patternIndex, pattern: sighting.pattern, text: sighting.text,
                line: sighting.line,
                quad: quad, score: sighting.score, characterRange: 0..<sighting.text.count),
            quad: quad, readAt: time)
    }
}
