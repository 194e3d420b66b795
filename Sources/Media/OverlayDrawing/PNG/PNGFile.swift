import CCairo
public import Errors
import Glibc
public import TextSpotting

/// Writes pictures as PNG files, 8 bits a channel. May be used from any thread.
public enum PNGWriter {
    /// Writes `picture` with `patches` blended over it to the file `path`, replacing an existing one.
    /// - Throws: `FramegrepError` (`outputFailed`) naming the file and the system's reason.
    public static func write(
        _ picture: Picture, patches: [OverlayPatch] = [], to path: String
    ) throws(FramegrepError) {
        let canvas = try Canvas(picture)
        try canvas.draw(patches)
        try write(canvas, to: path)
    }

    /// Writes a canvas to the file `path`, replacing an existing one.
    /// - Throws: As the other ``write(_:patches:to:)``.
    public static func write(_ canvas: Canvas, to path: String) throws(FramegrepError) {
        let bytes = try encode(canvas)
        guard let file = fopen(path, "wb") else { throw failure(path) }
        let isWritten = fwrite(bytes, 1, bytes.count, file) == bytes.count
        let reason = errno
        // Closing writes what is still buffered, so a full disk may show only here.
        let isClosed = fclose(file) == 0
        guard isWritten else { throw failure(path, reason) }
        guard isClosed else { throw failure(path) }
    }

    /// The bytes of a PNG file.
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

/// Cairo's sink for encoded bytes; `sink` is the `[UInt8]` of ``PNGWriter/encode(_:)``, alive for the whole call.
private func appendBytes(
    _ sink: UnsafeMutableRawPointer?, _ data: UnsafePointer<UInt8>?, _ length: UInt32
) -> cairo_status_t {
    guard let sink, let data else { return CAIRO_STATUS_WRITE_ERROR }
    sink.assumingMemoryBound(to: [UInt8].self).pointee
        .append(contentsOf: UnsafeBufferPointer(start: data, count: Int(length)))
    return CAIRO_STATUS_SUCCESS
}

/// Reads PNG files. May be used from any thread.
public enum PNGReader {
    /// The picture in the file `path`, transparent parts over white.
    /// - Throws: `FramegrepError` (`sourceUnavailable` or `sourceDamaged`) naming the file and the reason.
    public static func read(_ path: String) throws(FramegrepError) -> Canvas {
        let surface = cairo_image_surface_create_from_png(path)
        let status = cairo_surface_status(surface)
        guard status == CAIRO_STATUS_SUCCESS else {
            cairo_surface_destroy(surface)
            let isMissing = status == CAIRO_STATUS_FILE_NOT_FOUND
            throw FramegrepError(
                isMissing ? .sourceUnavailable : .sourceDamaged,
                "Cannot read \(path) as a PNG picture: \(Drawing.text(of: status)).")
        }
        let width = Int(cairo_image_surface_get_width(surface))
        let height = Int(cairo_image_surface_get_height(surface))
        // The file decides the surface's pixel format; the canvas is always ARGB32.
        let loaded = try Drawing(takingOwnershipOf: surface, width: width, height: height)
        let canvas = try Canvas(width: width, height: height)
        canvas.drawing.paint(loaded, x: 0, y: 0)
        return canvas
    }
}
