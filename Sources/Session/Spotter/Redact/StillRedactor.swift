public import Errors
public import GStreamerMedia
import OverlayDrawing
public import TextSpotting

/// Makes a copy of a still picture with hidden places: it contains only the pixels, no metadata.
public struct StillRedactor: Sendable {
    /// The file formats for copies of stills.
    public enum Format: String, Sendable {
        case png, jpeg

        /// - Throws: `FramegrepError` (`badArgument`) for another ending.
        public init(ofFileNamed name: String) throws(FramegrepError) {
            let ending = name.split(separator: ".").last.map { $0.lowercased() } ?? ""
            switch ending {
            case "png": self = .png
            case "jpg", "jpeg": self = .jpeg
            default:
                throw FramegrepError(
                    .badArgument, "\(name) cannot be written: the copy of a still picture ends in .png, .jpg or .jpeg.")
            }
        }
    }

    private let source: OpenedSource

    public init(_ source: OpenedSource) { self.source = source }

    /// Returns the picture in its displayed orientation, with pixels as stored, square or not.
    ///
    /// - Returns: the picture, and the width of a pixel divided by its height.
    /// - Throws: `FramegrepError` if it cannot be decoded.
    public func picture() async throws -> (picture: Picture, pixelAspect: Double) {
        let pipeline = try Pipeline(parsing: SourceDescription.search(source))
        return try await pipeline.stopping {
            let sink = try pipeline.appSink(named: Pipeline.framesName)
            _ = try sink.configure(maxBuffers: 1, drop: false, sync: false)
            _ = try await pipeline.prepare()
            guard let sample = sink.firstSample() else {
                throw FramegrepError(.sourceNotVideo, "\(source.uri.redacted) has no picture that could be decoded.")
            }
            let picture = try PictureConverter().picture(from: sample, format: .rgb)
            return (picture, sample.info?.pixelAspect ?? 1)
        }
    }

    /// Writes the copy.
    ///
    /// - Parameter path: the file, which is replaced.
    /// - Throws: `FramegrepError` if the picture cannot be decoded or the copy cannot be written.
    public func write(hiding brush: HidingBrush, as format: Format, to path: String) async throws {
        var (picture, aspect) = try await picture()
        // Hide places of any time, because a still has no times.
        let places = brush.plan.things.flatMap(\.paths).flatMap { $0.places.map(\.quad) }
        picture.hide(places.map { $0.scaled(x: 1 / aspect, y: 1) }, brush.style)
        let canvas = try Canvas(picture)
        switch format {
        case .png: try PNGWriter.write(canvas, to: path)
        case .jpeg: try await Self.writeJPEG(canvas.bgra, width: picture.width, height: picture.height, to: path)
        }
    }

    /// Writes with a color for each pixel, so finely that no difference is visible. JPEG files use full range (JFIF).
    private static func writeJPEG(_ bgra: [UInt8], width: Int, height: Int, to path: String) async throws {
        let pipeline = try Pipeline(
            parsing:
                "appsrc name=in ! videoconvert ! video/x-raw,format=Y444,colorimetry=1:4:0:0 ! jpegenc quality=98 ! filesink location="
                + PipelineTemplate.escaped(path))
        guard let input = pipeline.appSource(named: "in") else {
            throw FramegrepError(.badPipeline, "The picture's pipeline has no appsrc named 'in'.")
        }
        input.configure(maxBuffers: 1, block: false, isLive: false)
        try await pipeline.stopping {
            _ = try await pipeline.prepare()
            try await pipeline.play()
            let duration = FrameTime.stillDuration
            guard input.push(bgra: bgra, width: width, height: height, at: .zero, duration: duration) == .ok else {
                throw FramegrepError(.outputFailed, "The picture could not be encoded.")
            }
            input.endOfStream()
            messages: for await message in pipeline.bus.messages {
                switch message {
                case .endOfStream: break messages
                case .error(let report): throw report.error
                default: continue
                }
            }
        }
    }
}
