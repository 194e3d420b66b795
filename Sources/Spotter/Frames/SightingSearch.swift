import TextMatching
import TextSpotting

/// Searches the lines of one reading after the other and joins what matches over time: the same for recordings and running
/// pictures.
struct SightingSearch {
    private let minimumScore: Double
    private var timeline: SightingTimeline
    /// Used if matches count only while all patterns are in view, and earlier pictures are not kept.
    private var presence: PatternPresence?

    /// - Parameters:
    ///   - minimumScore: matches below it are ignored.
    ///   - timeline: an empty one.
    ///   - cutsLater: where all patterns must be in view together, sightings are kept whole and cut afterwards
    ///     (`CommonTimes`); else a match counts only where all of them were just read.
    init(minimumScore: Double, timeline: SightingTimeline, cutsLater: Bool) {
        self.minimumScore = minimumScore
        self.timeline = timeline
        presence = cutsLater ? nil : PatternPresence()
    }

    /// The sightings that go on.
    var open: [Sighting] { timeline.open }
    /// The sightings that go on, as far as they are known, each with its boxes since this was last asked.
    mutating func takeOpen(keepingBoxes: Bool) -> [Sighting] { timeline.takeOpen(keepingBoxes: keepingBoxes) }

    /// The matches of the latest reading that are sure to be sightings, with the numbers of these.
    var confirmed: [(id: Int, match: Match)] { timeline.confirmed }
    /// The number of the next sighting.
    var nextID: Int { timeline.nextID }
    /// The size of the thumbnails divided by that of the searched part.
    var scale: Double { timeline.scale }

    /// Takes what was read of a frame; returns the sightings that are over.
    ///
    /// - Parameters:
    ///   - lines: all that are in view, in pixels of the part of the frame that was read.
    ///   - isComplete: all of the picture was looked at; otherwise lines that are not among these are there as before.
    ///   - frames: the thumbnails since the reading before, up to and including this one.
    ///   - meaningAllowance: of lines that are seen for the first time, how many characters are looked into for what they mean; nil for all.
    mutating func add(
        _ lines: [TextLine], at time: FrameTime, isComplete: Bool = true, frames: [FrameHistory.Frame],
        with matcher: Matcher, meaningAllowance: Int? = nil
    ) -> [Sighting] {
        var matches = matcher.matches(in: lines, meaningAllowance: meaningAllowance).filter { $0.score >= minimumScore }
        for index in matches.indices {
            matches[index].isOneOfMany = !matcher.patterns[matches[index].patternIndex].isText
        }
        if matcher.manner.requiresAll, let together = presence?.together(matches, of: matcher.patterns.count) {
            matches = together
        }
        return timeline.add(
            FrameReading(time: time, matches: matches, lines: lines, isComplete: isComplete, frames: frames))
    }

    /// Nothing more comes: returns the sightings that were still open.
    mutating func finish() -> [Sighting] { timeline.finish() }
}
