import CGStreamer
import CGstFramegrep
import GStreamerMedia
import Spotter
import TextSpotting

/// A place on a frame where a pattern stands, as it is attached to the frame: a GstVideoRegionOfInterestMeta of the type
/// `framegrep`, whose number is the sighting's.
///
/// Its parameter `framegrep` has the fields of the events contract and all of them as JSON; `detection` has those that DL Streamer's
/// elements look for. docs/ELEMENT.md describes both.
struct MatchedRegion {
    private let number: Int
    private let match: Match
    private let quad: Quad
    private let bounds: Rect
    private let size: (width: Double, height: Double)
    private let json: String

    /// - Parameters:
    ///   - number: of its sighting.
    ///   - info: of the frame that it lies on.
    init(_ box: FollowedBox, number: Int, at time: StreamTime, source: String, on info: VideoInfo) {
        self.number = number
        match = box.match
        quad = box.quad
        size = (Double(info.width), Double(info.height))
        bounds = box.quad.bounds.intersection(Rect(x: 0, y: 0, width: size.width, height: size.height))
        var object = JSONObject(type: "box")
        object.add("id", number)
        object.add("source", source)
        object.add("t", time.seconds, decimals: 6)
        object.add("pattern", match.pattern)
        object.add("text", match.text)
        object.add("line", match.line)
        object.add("score", match.score, decimals: 3)
        object.add("quad", json: JSONLinesFormatter.quad(quad))
        json = object.text
    }

    /// - Parameter buffer: a GstBuffer that may be written to.
    func attach(to buffer: UnsafeMutableRawPointer) {
        guard !bounds.isEmpty else { return }
        let (left, top) = (bounds.minX.rounded(.down), bounds.minY.rounded(.down))
        let meta = gst_buffer_add_video_region_of_interest_meta(
            buffer.assumingMemoryBound(to: GstBuffer.self), "framegrep", guint(left), guint(top),
            guint(bounds.maxX.rounded(.up) - left), guint(bounds.maxY.rounded(.up) - top))
        guard let meta else { return }
        meta.pointee.id = gint(clamping: number)
        meta.pointee.parent_id = -1
        gst_video_region_of_interest_meta_add_param(meta, fields)
        gst_video_region_of_interest_meta_add_param(meta, detection)
    }

    private var fields: UnsafeMutablePointer<GstStructure> {
        let fields = Fields(named: "framegrep")
        fields.set("version", UInt32(JSONObject.version))
        fields.set("id", UInt32(clamping: number))
        fields.set("pattern", match.pattern)
        fields.set("text", match.text)
        fields.set("line", match.line)
        fields.set("score", match.score)
        fields.set("quad", quad)
        fields.set("json", json)
        // As classifiers of DL Streamer call what they found.
        fields.set("label", match.text)
        fields.set("confidence", match.score)
        return fields.structure
    }

    /// Where it is in parts of the frame's width and height.
    private var detection: UnsafeMutablePointer<GstStructure> {
        let fields = Fields(named: "detection")
        fields.set("confidence", match.score)
        fields.set("label", match.pattern)
        fields.set("x_min", bounds.minX / size.width)
        fields.set("y_min", bounds.minY / size.height)
        fields.set("x_max", bounds.maxX / size.width)
        fields.set("y_max", bounds.maxY / size.height)
        return fields.structure
    }
}
