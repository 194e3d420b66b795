import CCairo
public import Errors
import Glibc

/// Writes pictures as PNG files, 8 bits a channel. May be used from any thread.
public enum PNGWriter {
    /// Writes a canvas to the file `path`, replacing an existing one.
    /// - Throws: `FramegrepError` (`outputFailed`) naming the file and the system's reason.
    public static func write(_ canvas: Canvas, to path: String) throws(FramegrepError) {
        let bytes = try encode(canvas)
        guard let file = fopen(path, "wb") else { throw failure(path) }
        let isWritten = fwrite(bytes, 1, bytes.count, file) == bytes.count
        let reason = errno
        // Closing writes buffered bytes, so a full disk may be noticed only here.
        let isClosed = fclose(file) == 0
        guard isWritten else { throw failure(path, reason) }
        guard isClosed else { throw failure(path) }
    }

    /// Returns the bytes of a PNG file.
    /// - Throws: `FramegrepError` (`outputFailed`) when Cairo cannot encode the picture.
    public static func encode(_ canvas: Canvas) throws(FramegrepError) -> [UInt8] {
        var bytes: [UInt8] = []
        let status = withUnsafeMutablePointer(to: &bytes) { sink in
            canvas.drawing.withSurface { cairo_surface_write_to_png_stream($0, appendBytes, sink) }
        }
        guard status == CAIRO_STATUS_SUCCESS else {
            throw FramegrepError(
                .outputFailed,
                "Cannot encode a picture of \(canvas.width)×\(canvas.height) pixels as PNG: \(Drawing.text(of: status))."
            )
        }
        return bytes
    }

    private static func failure(_ path: String, _ reason: Int32 = errno) -> FramegrepError {
        FramegrepError(
            .outputFailed,
            "Cannot write the picture \(path): \(String(cString: strerror(reason))). Check that the folder exists, can be written to and has room."
        )
    }
}

/// Cairo's sink for encoded bytes; `sink` is the `[UInt8]` of ``PNGWriter/encode(_:)``, valid for the whole call.
private func appendBytes(
    _ sink: UnsafeMutableRawPointer?, _ data: UnsafePointer<UInt8>?, _ length: UInt32
) -> cairo_status_t {
    guard let sink, let data else { return CAIRO_STATUS_WRITE_ERROR }
    sink.assumingMemoryBound(to: [UInt8].self).pointee
        .append(contentsOf: UnsafeBufferPointer(start: data, count: Int(length)))
    return CAIRO_STATUS_SUCCESS
}
