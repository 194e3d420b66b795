import TextSpotting

/// Text of one reading, carried along with the picture to a later frame.
///
/// A value, used by one thread at a time.
struct CarriedText {
    /// Following text costs time for each piece of it: more than this many stay out.
    static let limit = 60

    private var follower: BoxFollower
    private var last: Int
    /// Of the pictures that it is followed through; nil if there are none.
    private let geometry: FrameGeometry?

    /// - Parameters:
    ///   - texts: each with its quad in pixels of the frame as stored; results refer to them by index.
    ///   - time: of the frame that was read.
    ///   - end: the frame to carry it to.
    init(
        _ texts: [(text: String, quad: Quad)], readAt time: FrameTime, to end: StreamTime,
        _ frameHistory: LiveFrameHistory
    ) {
        let (frames, geometry) = frameHistory.frames(from: time.start, through: end)
        self.geometry = geometry
        var settings = BoxFollower.Settings()
        settings.limit = Self.limit
        settings.maximumAge = LiveFrameHistory.memory
        follower = BoxFollower(settings: settings, scale: geometry?.scale ?? 1)
        last = frames.last?.time.index ?? time.index
        for frame in frames { follower.advance(to: frame) }
        let matches = texts.prefix(Self.limit).enumerated().map { index, text in
            let match = Match(
                patternIndex: 0, pattern: "", text: text.text, line: text.text,
                quad: geometry?.part(text.quad) ?? text.quad, score: 1,
                characterRange: 0..<text.text.count)
            return (id: index, match: match)
        }
        follower.renew(with: matches, readAt: time)
    }

    /// The quads at the last frame, by the index of their text; lost ones are missing.
    var quads: [Int: Quad] {
        Dictionary(follower.boxes.map { ($0.id, geometry?.frame($0.quad) ?? $0.quad) }, uniquingKeysWith: { $1 })
    }

    /// Goes on to a later frame.
    mutating func advance(to end: StreamTime, _ frameHistory: LiveFrameHistory) {
        let (frames, geometry) = frameHistory.frames(after: last, upTo: end)
        guard geometry == self.geometry else { return }
        for frame in frames {
            follower.advance(to: frame)
            last = frame.time.index
        }
    }
}

/// The outlines of all text that is read, on a running picture. Used by the display thread only.
struct OtherText {
    private var carried: (text: CarriedText, readAt: FrameTime, count: Int)?

    /// Where the text of the latest reading is in the frame of `time`.
    mutating func quads(of reading: LatestText.Reading?, at time: StreamTime, _ frameHistory: LiveFrameHistory)
        -> [Quad]
    {
        guard let reading else {
            carried = nil
            return []
        }
        if carried?.readAt == reading.time, carried?.count == reading.lines.count {
            carried?.text.advance(to: time, frameHistory)
        } else {
            let text = CarriedText(
                reading.lines.map { ($0.text, $0.quad) }, readAt: reading.time, to: time, frameHistory)
            carried = (text, reading.time, reading.lines.count)
        }
        return carried.map { Array($0.text.quads.values) } ?? []
    }
}
