import GStreamerMedia
import Synchronization
import TextMatching
public import TextSpotting

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

    /// Searches for other patterns from now on: the sightings of those that stay go on, unless only what all have in common counts.
    ///
    /// - Returns: those that are over.
    mutating func change(from old: Matcher, to new: Matcher) -> [Sighting] {
        presence = presence.map { _ in PatternPresence() }
        var places: [Int: Int] = [:]
        if !old.manner.requiresAll, !new.manner.requiresAll {
            for (index, pattern) in new.patterns.enumerated() {
                let before = old.patterns.indices.first { places[$0] == nil && old.patterns[$0] == pattern }
                if let before { places[before] = index }
            }
        }
        return timeline.search(places, of: new.patterns.count)
    }

    /// Nothing more comes: returns the sightings that were still open.
    mutating func finish() -> [Sighting] { timeline.finish() }
}

/// The state of a search as soon as a part of the recording has been joined, before its sightings are over.
struct SightingStep: Sendable {
    /// The last frame of it.
    let time: FrameTime
    /// The lines in view then, in pixels of the picture as displayed; nil where nothing was read.
    let lines: [TextLine]?
    /// The sightings that go on, each with its boxes since the step before, in pixels of the picture as displayed.
    let open: [Sighting]
}

/// The complete result of one reading, matched or not: for keeping it to be searched later.
public struct FrameResult: Sendable {
    /// How the pictures that are read lie in the picture that people see.
    public struct Geometry: Sendable, Hashable {
        /// Where the searched part begins, in pixels of the frame as stored.
        public var origin: Point
        /// Width of a displayed pixel divided by its height.
        public var pixelAspect: Double
        /// Size of the thumbnails divided by that of the searched part.
        public var scale: Double
        /// Of the frame as stored, in pixels.
        public var width: Int
        public var height: Int
    }

    /// Of the frame that was read, or of the last one where none was.
    public var time: FrameTime
    public var geometry: Geometry
    /// The lines in view, in pixels of the searched part.
    public var tracks: [TextTrack]
    /// All of the picture was looked at; otherwise only what was read at ``time`` is known to be there.
    public var isComplete = true
    /// The frames since the finding before, up to and including this one, as thumbnails.
    public var frames: [FrameHistory.Frame]
}

extension FrameGeometry {
    var finding: FrameResult.Geometry {
        FrameResult.Geometry(
            origin: origin, pixelAspect: pixelAspectRatio, scale: scale, width: frameWidth, height: frameHeight)
    }
}

/// Where there was text in a recording while it was searched, matched or not: labels that are drawn later cover none of it.
///
/// Text that stands still is kept once, so that an hour of it takes little memory. Thread-safe.
public final class TextRegions: Sendable {
    private struct Entry {
        let from: StreamTime
        let places: [SIMD4<Float>]
    }

    private let entries = Mutex<[Entry]>([])

    public init() {}

    /// The lines in view from this time on, in pixels of the picture as displayed. Times only get later.
    func add(_ quads: some Sequence<Quad>, from time: StreamTime) {
        let places = quads.map { quad in
            let bounds = quad.bounds
            return SIMD4(Float(bounds.x), Float(bounds.y), Float(bounds.width), Float(bounds.height))
        }
        entries.withLock { entries in
            guard entries.last?.places != places else { return }
            entries.append(Entry(from: time, places: places))
        }
    }

    /// Where text is in a frame of this time, as far as it was read; before the first reading, where that found it.
    func places(at time: StreamTime) -> [Rect] {
        let places = entries.withLock { entries -> [SIMD4<Float>] in
            var (low, high) = (0, entries.count)
            while low < high {
                let middle = (low + high) / 2
                if entries[middle].from <= time { low = middle + 1 } else { high = middle }
            }
            return entries.isEmpty ? [] : entries[max(0, low - 1)].places
        }
        return places.map { Rect(x: Double($0[0]), y: Double($0[1]), width: Double($0[2]), height: Double($0[3])) }
    }
}

/// A frame on its way to the reader, and when it came.
struct LiveFrame: ~Copyable, Sendable {
    /// Nil: no frame, but the news that the source was lost. What was seen is over.
    let sample: Sample?
    let time: FrameTime
    let arrival: ContinuousClock.Instant
    /// Frames of different connections have nothing in common.
    let connection: Int
    /// The picture stands still at this frame, so there is time to read it closely.
    var isFrozen = false
}
