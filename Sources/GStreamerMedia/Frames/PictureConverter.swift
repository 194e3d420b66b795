import CGStreamer
import Errors
public import TextSpotting

/// Makes pictures of frames: any of GStreamer's raw formats to brightness or RGB, whole or in part, larger or smaller.
///
/// Luma is full range (0 black, 255 white) whatever the frame's range is, so that the same scene gives the same luma in
/// every format. For YUV and gray frames it is their own Y; for RGB frames it is Y by BT.601's weights. Frames that can be seen through
/// are laid on white (``LaidFrame``).
///
/// Safe to use from any thread, by several at once. Keeps the tables of the last few kinds of conversion, and gets along
/// with formats that change in mid-stream.
public final class PictureConverter: Sendable {
    private let pool = ConverterPool()

    public init() {}

    /// Keeps nothing for pictures to come any more: what GStreamer made for them is given back now, whoever still holds this.
    public func close() { pool.close() }

    /// A picture of a frame, or of a part of it.
    ///
    /// Luma of 8-bit frames with a Y plane of their own is copied row by row; reduced to a whole fraction (a half, a third,
    /// to a sixteenth) it is the mean of the pixels. Everything else takes GStreamer's converter, linear when scaling.
    /// - Parameters:
    ///   - size: in pixels; the region's own size when left out. Proportions are the caller's business, and so are pixels
    ///     that are not square.
    ///   - region: in pixels of the frame, grown to whole pixels and cut at the frame's edges; all of it when left out.
    /// - Throws: `FramegrepError` `.badArgument` for a region outside of the frame or an impossible size,
    ///   `.pipelineFailed` for a format that GStreamer cannot convert or memory that cannot be read.
    public func picture(
        from sample: borrowing Sample, format: Picture.Format, size: (width: Int, height: Int)? = nil,
        region: Rect? = nil
    ) throws -> Picture {
        guard let info = sample.videoInfo else {
            throw FramegrepError(
                .pipelineFailed, "The frame is no raw video. Put videoconvert in front of the appsink.")
        }
        let part = try PixelRegion(region, width: Int(info.width), height: Int(info.height))
        let target = size ?? (part.width, part.height)
        guard (1...Self.largestSide).contains(target.width), (1...Self.largestSide).contains(target.height) else {
            throw FramegrepError(.badArgument, "A picture of \(target.width)×\(target.height) pixels cannot be made.")
        }
        return try sample.withFrame { frame in
            if let laid = try LaidFrame(frame, info, pool: pool) {
                return try laid.picture(part, format: format, width: target.width, height: target.height, pool: pool)
            }
            if format == .luma, let plane = LumaPlane(frame, part),
                let picture = plane.picture(width: target.width, height: target.height)
            {
                return picture
            }
            let conversion = Conversion(info, part, format: format, width: target.width, height: target.height)
            let converter = try pool.take(conversion) ?? FrameConverter(conversion, from: info)
            defer { pool.giveBack(converter) }
            return Picture(
                format: format, width: target.width, height: target.height, bytes: converter.bytes(of: frame))
        }
    }

    /// In pixels: what GStreamer's caps allow in practice.
    private static let largestSide = 32768
}

/// A part of a frame in whole pixels, not empty, inside the frame.
struct PixelRegion: Hashable {
    let x: Int
    let y: Int
    let width: Int
    let height: Int

    /// - Parameter region: nil for the whole frame.
    init(_ region: Rect?, width: Int, height: Int) throws {
        let whole = Rect(x: 0, y: 0, width: Double(width), height: Double(height))
        let part = (region ?? whole).intersection(whole)
        guard !part.isEmpty, part.width.isFinite, part.height.isFinite else {
            throw FramegrepError(
                .badArgument, "The region lies outside of the picture, which is \(width)×\(height) pixels.")
        }
        x = Int(part.minX.rounded(.down))
        y = Int(part.minY.rounded(.down))
        self.width = Int(part.maxX.rounded(.up)) - x
        self.height = Int(part.maxY.rounded(.up)) - y
    }
}
