import TextSpotting

/// The position of a recording being played, and its next target: a state machine without clocks, threads or pipelines.
///
/// Its owner reports the user's commands and other events to it, and asks ``takeJump()`` whether the source must move.
/// Times are seconds of the recording. Several commands while the source is still moving are combined: the last counts.
struct Playback: Sendable, Hashable {
    /// The available playback speeds.
    static let speeds = [0.25, 0.5, 0.75, 1, 1.25, 1.5, 2, 3, 4, 8]
    /// A sighting that begins this soon after the shown frame counts as the shown one.
    static let nearness = 0.05
    /// Going back within this many seconds after a sighting's beginning goes to the previous one.
    static let grace = 1.0
    /// The least distance of a target from the end, so that there is a last frame to be shown.
    private static let margin = 0.1

    /// The length of the recording; nil if unknown, or for a still picture, which has none.
    var duration: Double?
    /// The time of the shown frame.
    private(set) var position = 0.0
    private(set) var speed = 1.0
    private(set) var isLooping = false
    /// Whether the last frame has arrived.
    private(set) var isAtEnd = false
    private var wanted: Double?
    private var going: Double?
    /// Whether the user waits for a sighting that has not been read yet.
    private(set) var awaitsSighting = false
    /// Whether a part could not be read, after which no other is read until the words change.
    var readingFailed = false

    /// The position that is shown, or will be in a moment.
    var place: Double { wanted ?? going ?? position }

    /// Carries out a command of the user.
    ///
    /// - Parameters:
    ///   - starts: the starts of the sightings known so far.
    ///   - readEnd: the time up to which everything after ``place`` has been read; infinity for all of it. A sighting
    ///     known after that may not be the next one.
    /// - Returns: a sentence for the user; nil if the picture says enough.
    mutating func press(_ command: PlayerCommand, starts: [Double], readEnd: Double) -> String? {
        awaitsSighting = false
        switch command {
        case .skip(let seconds): go(to: place + seconds)
        case .seek(let time): go(to: time)
        case .nextSighting:
            awaitsSighting = true
            guard let notice = found(starts: starts, readEnd: readEnd) else {
                return awaitsSighting ? "reading on to the next sighting…" : nil
            }
            return notice
        case .previousSighting:
            guard let before = starts.filter({ $0 < place - Self.grace }).max() ?? earliest(in: starts) else {
                return "no sighting before this"
            }
            go(to: before)
        case .faster: return change(speed: Self.speeds.first { $0 > speed })
        case .slower: return change(speed: Self.speeds.last { $0 < speed })
        case .ownSpeed: return change(speed: 1)
        case .toggleLoop:
            isLooping.toggle()
            if isLooping, isAtEnd { go(to: 0) }
            return isLooping ? "begins again at its end" : "stops at its end"
        }
        return nil
    }

    /// Records that more sightings are known, possibly including an awaited one.
    mutating func found(starts: [Double], readEnd: Double) -> String? {
        guard awaitsSighting else { return nil }
        let next = starts.filter { $0 > place + Self.nearness && $0 <= readEnd }.min()
        awaitsSighting = next == nil && readEnd < .infinity
        if let next { go(to: next) }
        guard next == nil, !awaitsSighting else { return nil }
        return readingFailed ? "no sighting after this in what could be read" : "no sighting after this"
    }

    /// Forgets what is awaited and what could not be read because the words changed.
    mutating func forgetSightings() { (awaitsSighting, readingFailed) = (false, false) }

    /// Resumes a picture that stands still; at the end, from the beginning.
    mutating func resume() { if isAtEnd { go(to: 0) } }

    /// Requests the shown frame again.
    mutating func stay() { go(to: place) }

    /// Records that a frame at this time is shown.
    mutating func show(_ time: Double) {
        // A frame from before the jump may still be shown.
        if wanted == nil, going == nil { position = time }
    }

    /// Returns the target of the source; nil if it must stay, or is still moving.
    mutating func takeJump() -> Double? {
        guard going == nil, let target = wanted else { return nil }
        (going, wanted) = (target, nil)
        return target
    }

    /// Records that the source reached its target, or could not.
    mutating func arrive(_ hasMoved: Bool) {
        if hasMoved, let going {
            position = going
            isAtEnd = false
        }
        going = nil
    }

    /// Records that no frames follow.
    mutating func reachEnd() {
        guard wanted == nil, going == nil else { return }
        isAtEnd = true
        if isLooping, duration != nil { go(to: 0) }
    }

    /// Returns the first sighting, if it is being shown but not at its very beginning.
    private func earliest(in starts: [Double]) -> Double? {
        starts.min().flatMap { $0 < place - Self.nearness ? $0 : nil }
    }

    private mutating func go(to time: Double) {
        guard let duration else { return }
        wanted = max(0, min(duration - Self.margin, time))
    }

    private mutating func change(speed new: Double?) -> String? {
        speed = new ?? speed
        return "speed " + OverlayPlayer.factor(speed)
    }
}

/// The user's commands for a recording that is being played.
enum PlayerCommand: Sendable, Hashable {
    /// The number of seconds to go forward, or back if negative.
    case skip(Double)
    /// Go to this second.
    case seek(Double)
    case nextSighting
    case previousSighting
    case faster
    case slower
    case ownSpeed
    case toggleLoop
}
