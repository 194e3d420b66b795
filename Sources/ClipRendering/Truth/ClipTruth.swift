public import TextSpotting

/// The words of a rendered clip, where and when, exact to the frame.
public struct ClipTruth: Sendable, Hashable {
    public let name: String
    /// Pixels.
    public let width: Int
    /// Pixels.
    public let height: Int
    /// Frames a second.
    public let frameRate: Int
    public let frameCount: Int
    /// One for each text of the scene, in its order.
    public let texts: [Text]
    /// Words that are not in the clip.
    public let absent: [String]

    /// One text of the scene.
    public struct Text: Sendable, Hashable {
        public let text: String
        /// The unbroken stretches of frames in which all of it can be read (``Place/isWhole``), in order.
        public let spans: [Span]
        /// Every frame in which any of its ink is inside the picture, in order.
        public let places: [Place]

        /// When all of it can first be read; nil if it never can.
        public var start: StreamTime? { spans.first?.start }
        /// The first moment after it could last be read; nil if it never can.
        public var end: StreamTime? { spans.last?.end }

        /// Where it is in a frame; nil if it is not in the picture.
        public func place(inFrame frame: Int) -> Place? {
            // Sorted by frame, without gaps in most clips: then the offset from the first one is the place.
            guard let first = places.first?.frame else { return nil }
            let guess = frame - first
            if places.indices.contains(guess), places[guess].frame == frame { return places[guess] }
            return places.first { $0.frame == frame }
        }

        /// Where it is in the frame that is visible at `time`; nil if it is not in the picture.
        public func place(at time: StreamTime, frameRate: Int) -> Place? {
            // A millisecond more than needed, for the containers that round times to milliseconds.
            place(inFrame: Int((time.nanoseconds + 1_000_000) * Int64(frameRate) / 1_000_000_000))
        }
    }

    /// An unbroken stretch of frames.
    public struct Span: Sendable, Hashable {
        public let frames: Range<Int>
        /// The first moment of the first frame.
        public let start: StreamTime
        /// The first moment after the last frame.
        public let end: StreamTime
    }

    /// A text in one frame.
    public struct Place: Sendable, Hashable {
        public let frame: Int
        /// The ink that the frame shows, in pixels; may reach beyond the picture.
        public let quad: Quad
        /// Above 0, up to 1.
        public let opacity: Double
        /// Every character is drawn, inside the picture, at least half opaque, and under no other text's plate.
        public let isWhole: Bool
    }

    /// The text with these words; nil if the scene has none, the first one where it has several.
    public func text(_ words: String) -> Text? { texts.first { $0.text == words } }
}
