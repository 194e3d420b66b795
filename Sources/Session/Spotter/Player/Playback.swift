import TextSpotting

/// Where a recording is being played, and where it is to go next: a state machine without clocks, threads or pipelines.
///
/// Its owner tells it the user's wishes and what happens, and asks ``takeJump()`` whether the source must go somewhere. Times are seconds
/// of the recording. Several wishes while the source is still on its way are one: the last counts.
struct Playback: Sendable, Hashable {
    private enum Awaited: Sendable, Hashable { case nothing, nextSighting }

    /// How fast it can be played.
    static let speeds = [0.25, 0.5, 0.75, 1, 1.25, 1.5, 2, 3, 4, 8]
    /// A sighting that begins this soon after the shown frame counts as the shown one.
    static let nearness = 0.05
    /// Going back within this many seconds of a sighting's beginning goes to the one before it.
    static let grace = 1.0
    /// So far before its end one can go: there is a last frame to be shown.
    private static let margin = 0.1

    /// The recording's length; nil if unknown, or if it has none, as a still picture.
    var duration: Double?
    /// The time of the frame that is shown.
    private(set) var position = 0.0
    private(set) var speed = 1.0
    private(set) var isLooping = false
    /// The last frame has come.
    private(set) var isAtEnd = false
    private var wanted: Double?
    private var going: Double?
    private var awaited = Awaited.nothing

    /// Where it is shown, or will be in a moment.
    var place: Double { wanted ?? going ?? position }

    /// Carries out a command of the user.
    ///
    /// - Parameters:
    ///   - starts: when the sightings begin that are known by now.
    ///   - isComplete: no others will be found after ``place``.
    /// - Returns: a sentence for the user; nil if the picture says it all.
    mutating func press(_ command: PlayerCommand, starts: [Double], isComplete: Bool) -> String? {
        awaited = .nothing
        switch command {
        case .skip(let seconds): go(to: place + seconds)
        case .seek(let time): go(to: time)
        case .nextSighting:
            if let next = next(in: starts) {
                go(to: next)
            } else {
                guard !isComplete else { return "no sighting after this" }
                awaited = .nextSighting
                return "reading on to the next sighting…"
            }
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

    /// More sightings are known: one that is waited for may be among them.
    mutating func found(starts: [Double], isComplete: Bool) -> String? {
        guard awaited == .nextSighting else { return nil }
        if let next = next(in: starts) {
            awaited = .nothing
            go(to: next)
        } else if isComplete {
            awaited = .nothing
            return "no sighting after this"
        }
        return nil
    }

    /// The words changed: sightings are no longer waited for.
    mutating func forgetSightings() { awaited = .nothing }

    /// The user lets a picture that stands still go on; at the end that is from the beginning.
    mutating func resume() { if isAtEnd { go(to: 0) } }

    /// Asks for the shown frame once more.
    mutating func stay() { go(to: place) }

    /// A frame of this time is shown.
    mutating func show(_ time: Double) {
        // One of before the jump may be shown yet.
        if wanted == nil, going == nil { position = time }
    }

    /// Where the source is to go now; nil if it is to stay, or is still on its way.
    mutating func takeJump() -> Double? {
        guard going == nil, let target = wanted else { return nil }
        (going, wanted) = (target, nil)
        return target
    }

    /// The source has gone where it was to go, or could not.
    mutating func arrive(_ hasMoved: Bool) {
        if hasMoved, let going {
            position = going
            isAtEnd = false
        }
        going = nil
    }

    /// No frames follow.
    mutating func reachEnd() {
        guard wanted == nil, going == nil else { return }
        isAtEnd = true
        if isLooping, duration != nil { go(to: 0) }
    }

    private func next(in starts: [Double]) -> Double? { starts.filter { $0 > place + Self.nearness }.min() }

    /// The first sighting, where one is shown that is it, and not yet at its very beginning.
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
    /// Seconds to go forward, or back if negative.
    case skip(Double)
    /// To this second of it.
    case seek(Double)
    case nextSighting
    case previousSighting
    case faster
    case slower
    case ownSpeed
    case toggleLoop
}
