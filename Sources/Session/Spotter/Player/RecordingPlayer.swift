import GStreamerMedia
import Synchronization
import TextMatching
import TextSpotting
import Threads

/// Plays a recording in a window: connects the keys, the display, the source and the reader. Thread-safe.
///
/// ``Playback`` interprets each command, ``ReadingAhead`` decides what to read; they are combined here. The display
/// asks for the boxes of each frame, which ``AheadReader`` provides.
final class RecordingPlayer: Sendable {
    private struct State {
        var playback = Playback()
        var ahead = ReadingAhead()
        var known = KnownSightings() {
            didSet { marks = nil }
        }
        /// The marks of the bar, which is drawn with each frame; nil if they have changed since.
        var marks: [OverlayPlayer.Mark]?
        var shown = ShownSightings()
        /// The readings, by time.
        var readings: [LatestText.Reading] = []
        var pipeline: Pipeline?
        var isFrozen = false
        var part = 0
        /// The start of the frame that was shown last.
        var lastShown: StreamTime?
        /// The time at which the part being read was begun, until its first reading is available, and the duration of
        /// that.
        var begun: ContinuousClock.Instant?
        var latency = 2.0
        var hasRead = false
        /// The time since which unread frames have been shown.
        var blindSince: ContinuousClock.Instant?
        /// Sightings of an earlier search that were shown and ended with it.
        var leftOver: [Sighting] = []

        /// The effective speed; 0 if the picture stands still.
        var speed: Double { isFrozen || playback.isAtEnd ? 0 : playback.speed }

        /// The time up to which everything after the shown frame has been read; infinity for all of it.
        var readEnd: Double {
            guard !playback.readingFailed else { return .infinity }
            let end = ahead.readEnd(after: playback.place, of: playback.duration ?? .infinity)
            // What begins where the part in progress ends may continue something in that part.
            guard let part = ahead.current, part.to.isFinite, playback.place < part.to,
                end >= part.to - ReadingAhead.crack
            else { return end }
            return max(playback.place, part.to - 2 * ReadingAhead.crack)
        }

        /// The place that must be read next: the shown frame, or, while the user waits for a sighting, the first place
        /// after it that has not been read.
        var needed: Double {
            let place = playback.place
            return playback.awaitsSighting && readEnd.isFinite ? readEnd + 2 * ReadingAhead.crack : place
        }

        /// Merges sightings that continue over the border of two parts, of which the later one was read first.
        mutating func joinSightings(at border: StreamTime) {
            while let (earlier, later) = known.seam(at: border) {
                let (number, over) = shown.join(earlier, later)
                leftOver += known.all.map(\.sighting).filter { $0.id == over }
                known.join(earlier, later, as: number)
            }
        }

        /// Keeps a reading, ordered by time; those furthest from the shown frame are discarded first.
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

    /// The largest number of readings kept, for outlining the shown text and for clicks.
    private static let readingLimit = 400
    /// A frame that will not be read ahead within this time is read when it is shown.
    private static let blindness = Duration.seconds(2)
    /// The largest number of frames shown per second; more are not perceived.
    private static let framesPerSecond = 50.0

    /// Rings when the source must move.
    let jumps = TaskWakeEvent()
    /// Rings when something else may have to be read.
    let reading = TaskWakeEvent()
    private let words: SearchedWords
    private let zoom: DigitalZoom
    private let state = Mutex(State())

    /// - Parameter zoom: enlarges the shown frames, not those that are read.
    init(_ words: SearchedWords, _ zoom: DigitalZoom) {
        self.words = words
        self.zoom = zoom
    }

    // MARK: The user

    /// Carries out a command of the user; returns a sentence for the user.
    func press(_ command: PlayerCommand) -> String? {
        let notice = state.withLock { state in
            state.playback.press(command, starts: state.known.starts, readEnd: state.readEnd)
        }
        ring()
        return notice
    }

    /// Records that the user has stopped or resumed the picture.
    func freeze(_ isFrozen: Bool) {
        state.withLock { state in
            state.isFrozen = isFrozen
            if !isFrozen { state.playback.resume() }
        }
        ring()
    }

    /// Requests another picture of the same moment because the zoom changed: a picture that stands still is shown
    /// again.
    func pictureChanged() {
        state.withLock { state in if state.speed == 0 { state.playback.stay() } }
        jumps.ring()
    }

    /// Discards everything known because the search changed.
    func searchAnew() {
        state.withLock { state in
            // Earlier readings are no longer accepted.
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

    /// Records that the source is open.
    func open(_ pipeline: Pipeline) {
        let duration = pipeline.duration?.seconds
        state.withLock { state in
            state.pipeline = pipeline
            state.playback.duration = duration.flatMap { $0 > 0 ? $0 : nil }
        }
        reading.ring()
    }

    /// Records that the source has sent its last frame.
    func reachEnd() {
        state.withLock { $0.playback.reachEnd() }
        jumps.ring()
    }

    /// Whether the last frame has arrived and no further one is wanted.
    var isAtEnd: Bool { state.withLock { $0.playback.isAtEnd } }

    /// Moves the source to the user's targets, until the task is cancelled.
    func follow(_ frames: SourceFrames) async {
        while !Task.isCancelled {
            while let (pipeline, time) = state.withLock({ state in
                state.pipeline.flatMap { pipeline in state.playback.takeJump().map { (pipeline, $0) } }
            }) {
                let hasMoved = await frames.jump {
                    let hasMoved = await pipeline.seek(to: StreamTime(seconds: time) + frames.origin, accurate: true)
                    // A jump that comes while the pipeline is still busy with the previous one leaves it paused.
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

    /// Returns the part of a frame that is shown enlarged; nil for all of it.
    func part(ofFrameAt timestamp: StreamTime?) -> EnlargedPart? { zoom.part(ofFrameAt: timestamp) }

    var speed: Double { state.withLock { $0.playback.speed } }

    /// Returns whether an arriving frame must be shown; at high speed some are left out.
    func wants(_ time: StreamTime) -> Bool {
        state.withLock { state in
            guard state.playback.speed > 1, let last = state.lastShown, time > last else { return true }
            return (time - last).seconds / state.playback.speed >= 1 / Self.framesPerSecond
        }
    }

    /// Returns the boxes on a frame that is shown now, in pixels of the picture as displayed, with the sightings that
    /// appear with it and those that are over. The boxes are nil if the frame was not read ahead.
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

    /// Returns the sightings that were shown and are not over, at the end of the job.
    func finish() -> [Sighting] { state.withLock { $0.leftOver + $0.shown.finish(among: $0.known.all) } }

    /// Returns whether a frame must be read when it is shown, because it was not read ahead and will not be soon.
    func leavesUnread(_ time: StreamTime) -> Bool {
        state.withLock { state in
            guard !state.ahead.covers(time.seconds) else {
                state.blindSince = nil
                return false
            }
            // Reading a picture that stands still twice would delay what is read ahead.
            guard state.speed > 0 || !state.ahead.comes(to: time.seconds) else { return false }
            let since = state.blindSince ?? .now
            state.blindSince = since
            // Its very first reading is of the same picture, and an additional reading would be no sooner.
            return state.hasRead && .now - since > Self.blindness
        }
    }

    /// Returns the reading of the frame at this time, in pixels of the picture as displayed; nil if it was not read.
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

    /// Returns the part to read next, with its number; nil if everything has been read. Before the source is open it is
    /// the whole recording, so that the first boxes come sooner.
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

    /// Returns whether the part with this number must not be read further: another is needed sooner, or the search
    /// changed.
    func isElsewhere(_ number: Int) -> Bool {
        state.withLock { state in
            state.part != number
                || state.ahead.isElsewhere(from: state.needed, speed: state.speed, latency: state.latency)
        }
    }

    /// Records that a part has been read up to the end of this frame.
    func take(_ step: SightingStep, ofPart number: Int) -> String? {
        let notice = state.withLock { state -> String? in
            guard state.part == number else { return nil }
            state.ahead.reach(step.time.end.seconds)
            if let begun = state.begun {
                // Add a margin, because not every reading takes as long as the last one did.
                state.latency = min(10, max(1, (.now - begun).milliseconds / 1000 * 1.3))
                (state.begun, state.hasRead) = (nil, true)
            }
            state.known.see(step.open, inPart: number)
            if let lines = step.lines { state.keep(LatestText.Reading(lines: lines, time: step.time)) }
            return state.playback.found(starts: state.known.starts, readEnd: state.readEnd)
        }
        jumps.ring()
        return notice
    }

    func take(_ sighting: Sighting, ofPart number: Int) {
        state.withLock { state in
            if state.part == number { state.known.finish(sighting, inPart: number) }
        }
    }

    /// Ends a part.
    ///
    /// - Parameters:
    ///   - isWhole: whether it was read to its end.
    ///   - hasFailed: whether it cannot be.
    func finishPart(_ number: Int, isWhole: Bool, hasFailed: Bool) -> String? {
        let notice = state.withLock { state -> String? in
            guard state.part == number else { return nil }
            if hasFailed { state.playback.readingFailed = true }
            let end = state.ahead.current?.to
            state.ahead.finish(isWhole: isWhole)
            state.known.close(part: number)
            if isWhole, let end, end.isFinite { state.joinSightings(at: StreamTime(seconds: end)) }
            return state.playback.found(starts: state.known.starts, readEnd: state.readEnd)
        }
        jumps.ring()
        return notice
    }
}

extension FollowedBox {
    /// Creates a box for a sighting at its place in a frame.
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
