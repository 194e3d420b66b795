import TextMatching
import TextSpotting

/// The places to hide in the frames of a running picture, given what has been read so far: a value that takes readings
/// in order.
///
/// Uses the planner for recordings, for as far back as anything can matter. It cannot look ahead: a place that stood
/// still stays hidden for a second after it was last seen.
struct RunningHidingPlan: Sendable {
    private var planner: HidingPlanner
    private var plan = HidingPlan()
    /// The places on frames that look like the last one read, and the number of their sightings.
    private var standing: (plan: HidingPlan, count: Int)?
    private var isStale = false
    /// The number of frames when old data was last discarded.
    private var framesWhenForgetting = 0

    /// The time in seconds after which a text that was gone no longer comes back as the same.
    private static let linger = 1.0
    /// The number of seconds that are kept: longer than any trace that is followed.
    private static let memory = 6.0
    /// The additional number of seconds that may accumulate before old data is discarded.
    private static let spareMemory = 1.0

    init(_ settings: HidingPlanner.Settings, _ matcher: Matcher) {
        var settings = settings
        settings.linger = Self.linger
        settings.hidesBeginnings = true
        planner = HidingPlanner(settings, matcher: matcher)
    }

    mutating func take(_ event: FindEvent) {
        planner.take(event)
        isStale = true
    }

    mutating func take(_ step: SightingStep) {
        planner.take(step)
        isStale = true
        guard planner.frames - framesWhenForgetting >= Int(Self.spareMemory * planner.rate) else { return }
        framesWhenForgetting = planner.frames
        planner.forget(before: planner.frames - Int(Self.memory * planner.rate))
    }

    /// Returns the places to hide in a frame, in pixels of the picture as displayed.
    ///
    /// A frame after the last one read shows the same as that one; otherwise it would have been read.
    mutating func quads(in frame: FrameTime) -> [Quad] {
        if isStale {
            plan = HidingPlan(planner.things())
            standing = nil
            isStale = false
        }
        guard let last = planner.last else { return [] }
        guard frame.index > last.index else { return plan.quads(in: frame) }
        return plan.quads(in: frame) + stillHidden(on: frame, after: last)
    }

    /// Returns the places of text that was there in the last frame read, or disappeared only shortly before.
    private mutating func stillHidden(on frame: FrameTime, after last: FrameTime) -> [Quad] {
        let isWanted: (Sighting) -> Bool = { sighting in
            guard let seen = sighting.boxes.last?.time else { return false }
            return seen.index >= last.index || (frame.start - seen.end).seconds < Self.linger
        }
        let count = planner.count(where: isWanted)
        let plan = standing.flatMap { $0.count == count ? $0.plan : nil } ?? HidingPlan(planner.things(where: isWanted))
        standing = (plan, count)
        return plan.quads(in: last)
    }
}
