import TextMatching
import TextSpotting

/// The places to hide in the frames of a running picture, from what was read until now: a value fed with readings, in order.
///
/// The same planner as for recordings, for as long back as anything can matter. It knows nothing of what comes: what stood still stays hidden
/// for a second after it was last seen.
struct RunningHidingPlan: Sendable {
    private var planner: HidingPlanner
    private var plan = HidingPlan()
    /// The places on frames that look as the last one that was read, and of how many sightings they are.
    private var standing: (plan: HidingPlan, count: Int)?
    private var isStale = false
    private var steps = 0

    /// A text that was gone for so many seconds does not come back as the same.
    private static let linger = 1.0
    /// So many seconds of the past are kept: longer than any trace that is followed.
    private static let memory = 6.0
    /// After so many readings the past is looked through.
    private static let stepsBetweenForgetting = 32

    init(_ settings: HidingPlanner.Settings, _ matcher: Matcher) {
        var settings = settings
        settings.linger = Self.linger
        planner = HidingPlanner(settings, matcher: matcher)
    }

    mutating func take(_ event: FindEvent) {
        planner.take(event)
        isStale = true
    }

    mutating func take(_ step: SightingStep) {
        planner.take(step)
        isStale = true
        steps += 1
        if steps % Self.stepsBetweenForgetting == 0 {
            planner.forget(before: planner.frames - Int(Self.memory * planner.rate))
        }
    }

    /// The places to hide in a frame, in pixels of the picture as displayed.
    ///
    /// A frame that is newer than the last that was read shows what that one shows, else it would have been read.
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

    /// The places of what was there when a frame was read last, and of what is not gone for long.
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
