import TextSpotting

/// Plays pictures and readings to a timeline as the find job would.
struct Playback {
    var timeline: SightingTimeline
    private var next = 0
    private let picture: (Int) -> Picture
    private(set) var finished: [Sighting] = []

    /// - Parameter picture: what frame number so-and-so shows.
    init(keepsBoxes: Bool = false, scale: Double = 1, firstID: Int = 1, _ picture: @escaping (Int) -> Picture) {
        var settings = SightingTimeline.Settings()
        settings.keepsBoxes = keepsBoxes
        timeline = SightingTimeline(settings: settings, scale: scale, firstID: firstID)
        self.picture = picture
    }

    /// The frames up to and including `index` pass and that one is read.
    mutating func read(_ index: Int, _ matches: [Match], lines: [TextLine] = [], isComplete: Bool = true) {
        let frames = (next...index).map { FrameHistory.Frame(time: frameTime($0), picture: picture($0)) }
        next = index + 1
        finished += timeline.add(
            FrameReading(time: frameTime(index), matches: matches, lines: lines, isComplete: isComplete, frames: frames)
        )
    }

    /// The frames before `count` pass unread, and the stream ends.
    mutating func end(_ count: Int) -> [Sighting] {
        let frames = (next..<max(next, count)).map { FrameHistory.Frame(time: frameTime($0), picture: picture($0)) }
        finished += timeline.finish(frames)
        return finished
    }
}

/// Returns the reading of `word` drawn at a place.
func match(
    _ word: String, at x: Int = 40, _ y: Int = 30, score: Double = 0.9, pattern: Int = 0, line: String? = nil
) -> Match {
    Match(
        patternIndex: pattern, pattern: word.lowercased(), text: word, line: line ?? word,
        quad: Sheet.quad(of: word, at: x, y), score: score, characterRange: 0..<word.count)
}

extension Sighting {
    /// The first frame that shows it and the first that does not.
    var frames: Range<Int> {
        Int(start.nanoseconds / 40_000_000)..<Int(end.nanoseconds / 40_000_000)
    }
}
