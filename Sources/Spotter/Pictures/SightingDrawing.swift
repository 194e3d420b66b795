public import Errors
import GStreamerMedia
import OverlayDrawing
public import TextSpotting

/// A sighting in the picture in which it was read.
public enum SightingDrawing {
    /// As a JPEG file, its box drawn, at most 1280 pixels wide or high.
    ///
    /// - Parameter sighting: its peak says where it is, in pixels of the frame.
    /// - Throws: `FramegrepError` (`outputFailed`, `missingPlugin`).
    public static func jpeg(_ sighting: Sighting, in frame: Picture) throws(FramegrepError) -> [UInt8] {
        let canvas = try canvas(sighting, in: frame)
        return try JPEGEncoder.encode(bgra: canvas.bgra, width: frame.width, height: frame.height, longestSide: 1280)
    }

    static func canvas(_ sighting: Sighting, in frame: Picture) throws(FramegrepError) -> Canvas {
        let canvas = try Canvas(frame)
        let box = OverlayBox(
            quad: sighting.peak.quad, text: sighting.pattern, score: sighting.score,
            patternIndex: sighting.patternIndex)
        let list = OverlayComposer(pictureWidth: frame.width, pictureHeight: frame.height).compose([box])
        try canvas.draw(try OverlayRasterizer().rasterize(list, width: frame.width, height: frame.height))
        return canvas
    }
}
