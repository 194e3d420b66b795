import CGStreamer

/// One plane of a mapped frame; valid as long as the frame is mapped.
struct Plane {
    /// Nil if the frame has no memory for it.
    let start: UnsafeRawPointer?
    /// From one row to the next, in bytes.
    let stride: Int
    /// All bytes from the first row to the end of the last.
    let count: Int
}

/// How many planes a mapped frame has.
func planeCount(_ frame: borrowing GstVideoFrame) -> Int { Int(frame.info.finfo?.pointee.n_planes ?? 0) }

/// A plane of a mapped frame, with the strides that it really has.
///
/// - Precondition: `index` is below ``planeCount(_:)``.
func plane(_ index: Int, of frame: borrowing GstVideoFrame) -> Plane {
    let data = [frame.data.0, frame.data.1, frame.data.2, frame.data.3]
    let strides = [frame.info.stride.0, frame.info.stride.1, frame.info.stride.2, frame.info.stride.3]
    let stride = Int(strides[index])
    // Tiled formats keep their tile counts in the stride, so their rows cannot be counted out.
    var info = frame.info
    let isTiled = info.finfo.map { fgst_format_is_tiled($0) != 0 } ?? false
    let count = isTiled ? 0 : stride * planeRows(index, &info)
    return Plane(start: data[index].map { UnsafeRawPointer($0) }, stride: stride, count: count)
}

/// How many rows a plane has: fewer than the picture where its colors are subsampled.
private func planeRows(_ index: Int, _ info: inout GstVideoInfo) -> Int {
    guard let format = info.finfo?.pointee else { return 0 }
    let planes = [format.plane.0, format.plane.1, format.plane.2, format.plane.3]
    let subsampling = [format.h_sub.0, format.h_sub.1, format.h_sub.2, format.h_sub.3]
    for component in 0..<Int(min(4, format.n_components)) where planes[component] == UInt32(index) {
        // Rounds up: three rows of luma have two of color at half the height.
        return Int((info.height + (1 << subsampling[component]) - 1) >> subsampling[component])
    }
    return Int(info.height)
}
