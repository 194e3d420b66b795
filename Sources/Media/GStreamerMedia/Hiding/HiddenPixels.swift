import CGStreamer
public import Errors
public import TextSpotting

/// Makes places of a mapped frame unreadable in the frame's own format, or places of an RGB picture. Valid while the
/// pixels are borrowed; used by one thread.
struct HiddenPixels {
    /// The values of one component of a frame: brightness or one of two color differences, or red, green or blue.
    private struct Plane {
        let start: UnsafeMutablePointer<UInt8>
        let stride: Int
        /// The distance from one value of a row to the next, in bytes.
        let pitch: Int
        let width: Int
        let height: Int
        /// The number of pixels, horizontally and vertically, that share a value: 1, 2 or 4.
        let step: (x: Int, y: Int)
        let black: UInt8

        subscript(x: Int, y: Int) -> UInt8 {
            get { start[y &* stride &+ x &* pitch] }
            nonmutating set { start[y &* stride &+ x &* pitch] = newValue }
        }

        func fill(_ y: Int, _ columns: Range<Int>, _ value: UInt8) {
            if pitch == 1 {
                return (start + y * stride + columns.lowerBound).update(repeating: value, count: columns.count)
            }
            for x in columns { self[x, y] = value }
        }
    }

    private let planes: [Plane]
    private let width: Int
    private let height: Int

    /// - Returns: nil for a frame whose values are not bytes or are not in plain rows, and for an interlaced one:
    ///   nothing may pass that cannot be drawn on.
    init?(_ frame: GstVideoFrame) {
        guard let format = frame.info.finfo, fgst_format_is_plain(format) != 0,
            frame.info.interlace_mode == GST_VIDEO_INTERLACE_MODE_PROGRESSIVE
        else { return nil }
        (width, height) = (Int(frame.info.width), Int(frame.info.height))
        let isYUV = fgst_format_is_yuv(format) != 0
        let isGray = fgst_format_is_gray(format) != 0
        let isFull = frame.info.colorimetry.range == GST_VIDEO_COLOR_RANGE_0_255
        var planes: [Plane] = []
        // Bytes after the third are a pixel's opacity, and are kept.
        for component in 0..<min(3, Int(format.pointee.n_components)) {
            let part = Self.part(component, of: format.pointee)
            let base = withUnsafeBytes(of: frame.data) { $0.assumingMemoryBound(to: gpointer?.self)[part.plane] }
            guard let base else { return nil }
            let stride = withUnsafeBytes(of: frame.info.stride) {
                Int($0.assumingMemoryBound(to: gint.self)[part.plane])
            }
            let step = (x: 1 << part.subsampling.x, y: 1 << part.subsampling.y)
            planes.append(
                Plane(
                    start: base.assumingMemoryBound(to: UInt8.self) + part.offset, stride: stride, pitch: part.pitch,
                    width: (width + step.x - 1) / step.x, height: (height + step.y - 1) / step.y, step: step,
                    black: (isYUV || isGray) && component == 0 ? (isFull ? 0 : 16) : isYUV ? 128 : 0))
        }
        self.planes = planes
    }

    /// Returns the layout of the values of one component.
    private static func part(
        _ index: Int, of format: GstVideoFormatInfo
    ) -> (plane: Int, offset: Int, pitch: Int, subsampling: (x: Int, y: Int)) {
        let planes = [format.plane.0, format.plane.1, format.plane.2]
        let offsets = [format.poffset.0, format.poffset.1, format.poffset.2]
        let pitches = [format.pixel_stride.0, format.pixel_stride.1, format.pixel_stride.2]
        let (across, down) = (
            [format.w_sub.0, format.w_sub.1, format.w_sub.2], [format.h_sub.0, format.h_sub.1, format.h_sub.2]
        )
        return (Int(planes[index]), Int(offsets[index]), Int(pitches[index]), (Int(across[index]), Int(down[index])))
    }

    /// Creates the same for red, green and blue.
    private init(rgb start: UnsafeMutablePointer<UInt8>, width: Int, height: Int) {
        (self.width, self.height) = (width, height)
        planes = (0..<3).map { color in
            Plane(
                start: start + color, stride: 3 * width, pitch: 3, width: width, height: height, step: (1, 1), black: 0)
        }
    }

    /// Makes places of a picture unreadable.
    static func hide(_ quads: [Quad], _ style: HidingStyle, in picture: inout Picture) {
        let (width, height) = (picture.width, picture.height)
        picture.bytes.withUnsafeMutableBufferPointer { bytes in
            guard let start = bytes.baseAddress else { return }
            let pixels = HiddenPixels(rgb: start, width: width, height: height)
            // Extend all places before any of them is hidden.
            for quad in quads.map(pixels.coveringStrokes) { pixels.hide(quad, style) }
        }
    }

    /// Returns the first component at a place: brightness, or red; nil outside the frame.
    func brightness(at place: Point) -> UInt8? {
        guard let plane = planes.first, place.x >= 0, place.y >= 0, place.x < Double(width), place.y < Double(height)
        else {
            return nil
        }
        return plane[Int(place.x) / plane.step.x, Int(place.y) / plane.step.y]
    }

    /// - Parameter quad: the place in pixels of the frame; parts outside the frame are left out.
    func hide(_ quad: Quad, _ style: HidingStyle) {
        let spans = ConvexSpans(quad, width: width, height: height)
        // The blocks are as coarse as the letters are high, so that nothing of a letter's shape is left.
        let coarse = max(8, Int((quad.height * 0.75).rounded(.up)))
        for plane in planes {
            let rows = Self.rows(spans, of: plane)
            guard !rows.isEmpty else { continue }
            switch style {
            case .black: for row in rows { plane.fill(row.y, row.columns, plane.black) }
            case .pixelate:
                Self.pixelate(rows, of: plane, cell: (max(4, coarse / plane.step.x), max(4, coarse / plane.step.y)))
            case .blur:
                Self.blur(rows, of: plane, radius: (max(4, coarse / plane.step.x), max(4, coarse / plane.step.y)))
            }
        }
    }

    /// Adjacent values of one row of a plane.
    private typealias Row = (y: Int, columns: Range<Int>)

    private static func rows(_ spans: ConvexSpans, of plane: Plane) -> [Row] {
        var rows: [Row] = []
        for (offset, columns) in spans.rows.enumerated() where !columns.isEmpty {
            let y = (spans.top + offset) / plane.step.y
            let own =
                columns.lowerBound
                / plane.step.x..<min(
                    plane.width, (columns.upperBound + plane.step.x - 1) / plane.step.x)
            guard y < plane.height, !own.isEmpty else { continue }
            if let last = rows.last, last.y == y {
                let lower = min(last.columns.lowerBound, own.lowerBound)
                rows[rows.count - 1].columns = lower..<max(last.columns.upperBound, own.upperBound)
            } else {
                rows.append((y, own))
            }
        }
        return rows
    }

    private static func pixelate(_ rows: [Row], of plane: Plane, cell: (x: Int, y: Int)) {
        guard let top = rows.first?.y, let left = rows.map(\.columns.lowerBound).min(),
            let right = rows.map(\.columns.upperBound).max()
        else { return }
        for begin in stride(from: 0, to: rows.count, by: cell.y) {
            let band = rows[begin..<min(rows.count, begin + cell.y)]
            for column in stride(from: left, to: right, by: cell.x) {
                let columns = column..<min(right, column + cell.x)
                var (sum, count) = (0, 0)
                for y in top + begin..<top + begin + band.count {
                    for x in columns { sum += Int(plane[x, y]) }
                    count += columns.count
                }
                let mean = UInt8(clamping: count > 0 ? sum / count : 0)
                for row in band {
                    let own = row.columns.clamped(to: columns)
                    if !own.isEmpty { plane.fill(row.y, own, mean) }
                }
            }
        }
    }

    /// Replaces each value by the mean of a square around it, three times, which is nearly a Gaussian blur.
    private static func blur(_ rows: [Row], of plane: Plane, radius: (x: Int, y: Int)) {
        guard let top = rows.first?.y, let bottom = rows.last?.y, let left = rows.map(\.columns.lowerBound).min(),
            let right = rows.map(\.columns.upperBound).max()
        else { return }
        let (width, height) = (right - left, bottom - top + 1)
        var values = [Int32](repeating: 0, count: width * height)
        for y in 0..<height {
            for x in 0..<width { values[y * width + x] = Int32(plane[left + x, top + y]) }
        }
        for _ in 0..<3 {
            for y in 0..<height { mean(&values, from: y * width, step: 1, count: width, radius.x) }
            for x in 0..<width { mean(&values, from: x, step: width, count: height, radius.y) }
        }
        for row in rows {
            for x in row.columns {
                plane[x, row.y] = UInt8(clamping: values[(row.y - top) * width + x - left])
            }
        }
    }

    /// Replaces each of some values by the mean of those around it.
    private static func mean(_ values: inout [Int32], from start: Int, step: Int, count: Int, _ radius: Int) {
        guard count > 1 else { return }
        let line = (0..<count).map { values[start + $0 * step] }
        var sum = line[0..<min(count, radius)].reduce(0, +)
        for index in 0..<count {
            if index + radius < count { sum += line[index + radius] }
            if index - radius - 1 >= 0 { sum -= line[index - radius - 1] }
            let width = min(count - 1, index + radius) - max(0, index - radius) + 1
            values[start + index * step] = sum / Int32(width)
        }
    }
}

extension Picture {
    /// Makes places of the picture unreadable.
    ///
    /// - Parameter quads: in pixels of the picture.
    /// - Precondition: the format is RGB.
    public mutating func hide(_ quads: [Quad], _ style: HidingStyle) {
        precondition(format == .rgb, "places are hidden in colors")
        HiddenPixels.hide(quads, style, in: &self)
    }
}

extension AppSource {
    /// Sends a frame on with some places made unreadable and without any metadata: captions, which an encoder would
    /// write into the file, contain words too.
    ///
    /// - Parameters:
    ///   - places: in pixels of the frame as stored.
    ///   - time: the time at which it is shown.
    /// - Throws: `FramegrepError` (`pipelineFailed`) for a frame that cannot be drawn on; it is not sent.
    public func push(
        _ sample: consuming Sample, hiding places: [Quad], _ style: HidingStyle, at time: StreamTime
    ) throws(FramegrepError) -> PushResult {
        guard let caps = gst_sample_get_caps(sample.pointer), let shared = gst_sample_get_buffer(sample.pointer),
            let info = sample.videoInfo, let buffer = drawableCopy(of: shared)
        else { return .failed }
        guard hide(places, style, in: buffer, info) else {
            gst_buffer_unref(buffer)
            throw .cannotHide(in: sample.info)
        }
        buffer.pointee.pts = GstClockTime(max(0, time.nanoseconds))
        buffer.pointee.dts = noClockTime
        return push(takingOwnershipOf: buffer, caps: caps)
    }
}

extension PassingFrame {
    /// Makes places of the frame unreadable, and removes its metadata.
    ///
    /// - Parameter places: in pixels of the frame as stored.
    /// - Throws: `FramegrepError` (`pipelineFailed`) for a frame that cannot be drawn on; it must not be passed on.
    package mutating func hide(_ places: [Quad], _ style: HidingStyle) throws(FramegrepError) {
        let info = info
        let isHidden = withVideo { buffer, video in GStreamerMedia.hide(places, style, in: buffer, video) }
        guard isHidden else { throw .cannotHide(in: info) }
    }
}

extension FramegrepError {
    fileprivate static func cannotHide(in info: VideoInfo?) -> FramegrepError {
        FramegrepError(
            .pipelineFailed,
            "A frame came in a format that cannot be drawn on (\(info?.format ?? "unknown")), so nothing can be hidden in it; put videoconvert "
                + "and deinterlace in front."
        )
    }
}

/// Makes places unreadable, and removes the metadata.
///
/// - Parameter buffer: writable; it is mapped for writing, so it gets its own memory.
/// - Returns: false if it cannot be drawn on.
private func hide(
    _ places: [Quad], _ style: HidingStyle, in buffer: UnsafeMutablePointer<GstBuffer>, _ info: GstVideoInfo
) -> Bool {
    gst_buffer_foreach_meta(buffer, keepVideoMeta, nil)
    guard !places.isEmpty else { return true }
    var info = info
    var frame = GstVideoFrame()
    let access = GstMapFlags(rawValue: GST_MAP_READ.rawValue | GST_MAP_WRITE.rawValue)
    guard gst_video_frame_map(&frame, &info, buffer, access) != 0 else { return false }
    defer { gst_video_frame_unmap(&frame) }
    guard let pixels = HiddenPixels(frame) else { return false }
    // Extend all places before any of them is hidden.
    for place in places.map(pixels.coveringStrokes) { pixels.hide(place, style) }
    return true
}

/// `GstBufferForeachMetaFunc`: keeps metadata about the layout of the pixels, and removes all others.
private func keepVideoMeta(
    _ buffer: UnsafeMutablePointer<GstBuffer>?, _ meta: UnsafeMutablePointer<UnsafeMutablePointer<GstMeta>?>?,
    _ context: gpointer?
) -> gboolean {
    guard let meta, let info = meta.pointee?.pointee.info else { return 1 }
    if info.pointee.api != gst_video_meta_api_get_type() { meta.pointee = nil }
    return 1
}

extension Pipeline {
    /// Keeps the text that accompanies a stream from getting past an element: titles and other tags, and chapters. It
    /// would otherwise be written into a file.
    ///
    /// - Parameter name: the name of an element with one output; it is ignored if there is no such element. Call this
    ///   before the pipeline is prepared.
    public func dropWords(behindElementNamed name: String) {
        guard let found = find(name) else { return }
        PadProbe.add(to: found.pointer, pad: "src", [GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM]) { passing in
            guard let type = passing.event?.pointee.type else { return GST_PAD_PROBE_OK }
            return [GST_EVENT_TAG, GST_EVENT_TOC].contains(type) ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK
        }
    }
}
