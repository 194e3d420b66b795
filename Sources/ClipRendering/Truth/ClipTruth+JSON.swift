public import Errors
import Foundation
import TextSpotting

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
