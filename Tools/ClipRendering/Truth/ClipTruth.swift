public import Errors
import Foundation
import OverlayDrawing
import Painting
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

extension ClipTruth {
    /// Computes the truth of `scene` from the fonts' outlines and the scene's motions: nothing is drawn for it.
    /// - Throws: `FramegrepError` (`outputFailed`) when Cairo cannot make a surface.
    public init(of scene: ClipScene) throws(FramegrepError) {
        let canvas = try Canvas(width: 1, height: 1)
        let measured = scene.texts.map { MeasuredText($0, by: canvas) }
        var places = scene.texts.map { _ in [Place]() }
        for frame in 0..<scene.frameCount {
            let states = scene.textsInFrame(frame)
            for (position, state) in states.enumerated() {
                guard let quad = measured[state.index].ink(state) else { continue }
                let visible = quad.bounds.intersection(scene.bounds)
                // Later shapes are drawn on top.
                let plates = states[(position + 1)...].compactMap {
                    measured[$0.index].plate(scene.texts[$0.index], $0)?.intersection(visible)
                }
                guard !visible.isEmpty, !plates.contains(visible) else { continue }
                let isWhole =
                    visible == quad.bounds && state.opacity >= 0.5 && plates.allSatisfy(\.isEmpty)
                    && state.rolled == 0 && state.shown == scene.texts[state.index].text.count
                places[state.index].append(
                    Place(frame: frame, quad: quad, opacity: state.opacity, isWhole: isWhole))
            }
        }
        self.init(
            name: scene.name, width: scene.width, height: scene.height, frameRate: scene.frameRate,
            frameCount: scene.frameCount,
            texts: zip(scene.texts, places).map { text, places in
                Text(text: text.text, spans: Self.spans(of: places, in: scene), places: places)
            },
            absent: scene.absent)
    }

    private static func spans(of places: [Place], in scene: ClipScene) -> [Span] {
        var ranges: [Range<Int>] = []
        for frame in places.lazy.filter(\.isWhole).map(\.frame) {
            if let last = ranges.last, last.upperBound == frame {
                ranges[ranges.count - 1] = last.lowerBound..<frame + 1
            } else {
                ranges.append(frame..<frame + 1)
            }
        }
        return ranges.map {
            Span(frames: $0, start: scene.time(ofFrame: $0.lowerBound), end: scene.time(ofFrame: $0.upperBound))
        }
    }
}

extension ClipTruth {
    /// The truth as a JSON document, the same bytes for the same truth.
    ///
    /// Times are seconds, `frames` are the first frame and the first one after the last, quads are four corners
    /// `[x, y]` in pixels, rounded to hundredths, clockwise from the text's own top-left. `start` and `end` are missing
    /// where a text can never be read whole.
    /// - Throws: `FramegrepError` (`outputFailed`) for values that JSON does not have.
    public func json() throws(FramegrepError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return [UInt8](try encoder.encode(Document(self))) + [UInt8(ascii: "\n")]
        } catch {
            throw FramegrepError(.outputFailed, "Cannot write the truth of the clip \(name) as JSON: \(error).")
        }
    }

    /// Writes ``json()`` to a file, replacing an existing one.
    /// - Throws: `FramegrepError` (`outputFailed`) naming the file and the system's reason.
    public func write(to path: String) throws(FramegrepError) {
        let bytes = try json()
        do {
            try Data(bytes).write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw FramegrepError(.outputFailed, "Cannot write \(path): \(error.localizedDescription)")
        }
    }

    /// Where the truth of the clip at `path` is kept: beside it, `clip.mp4` and `clip.truth.json`.
    public static func path(forClip path: String) -> String {
        (path as NSString).deletingPathExtension + ".truth.json"
    }
}

/// The document's own shape, apart from the values' so that either can change.
private struct Document: Encodable {
    struct Text: Encodable {
        let text: String
        let start: Double?
        let end: Double?
        let spans: [Span]
        let places: [Place]
    }

    struct Span: Encodable {
        let start: Double
        let end: Double
        let frames: [Int]
    }

    struct Place: Encodable {
        let frame: Int
        let quad: [[Double]]
        let opacity: Double
        let whole: Bool
    }

    let name: String
    let width: Int
    let height: Int
    let fps: Int
    let frames: Int
    let texts: [Text]
    let absent: [String]

    init(_ truth: ClipTruth) {
        name = truth.name
        width = truth.width
        height = truth.height
        fps = truth.frameRate
        frames = truth.frameCount
        absent = truth.absent
        texts = truth.texts.map { text in
            Text(
                text: text.text, start: text.start?.seconds, end: text.end?.seconds,
                spans: text.spans.map {
                    Span(
                        start: $0.start.seconds, end: $0.end.seconds,
                        frames: [$0.frames.lowerBound, $0.frames.upperBound])
                },
                places: text.places.map { place in
                    Place(
                        frame: place.frame, quad: place.quad.corners.map { [Self.round($0.x), Self.round($0.y)] },
                        opacity: Self.round(place.opacity), whole: place.isWhole)
                })
        }
    }

    private static func round(_ value: Double) -> Double { (value * 100).rounded() / 100 }
}
