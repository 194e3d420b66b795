package import CCairo
package import Errors
package import TextSpotting

/// Owns a Cairo image surface (32 bits per pixel, premultiplied BGRA in memory) and the context that draws on it. Not
/// thread-safe.
package final class Drawing {
    package let width: Int
    package let height: Int
    private let surface: OpaquePointer
    /// The context for drawing code; valid as long as this object.
    package let context: OpaquePointer

    /// Cairo's image surfaces are no larger than this in either direction, in pixels.
    static let maximumSide = 32767

    /// Creates a fully transparent surface.
    /// - Throws: `FramegrepError` (`outputFailed`) if the size cannot be drawn or there is not enough memory.
    package convenience init(width: Int, height: Int) throws(FramegrepError) {
        guard width > 0, height > 0, width <= Self.maximumSide, height <= Self.maximumSide else {
            throw FramegrepError(
                .outputFailed,
                "Cannot draw a picture of \(width)×\(height) pixels: each side must be between 1 and \(Self.maximumSide)."
            )
        }
        let surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, Int32(width), Int32(height))
        try self.init(takingOwnershipOf: surface, width: width, height: height)
    }

    /// - Parameter surface: An ARGB32 image surface, or one in an error state; destroyed with this object, or at once
    ///   when this throws.
    package init(takingOwnershipOf surface: OpaquePointer?, width: Int, height: Int) throws(FramegrepError) {
        let context = cairo_create(surface)
        let status = cairo_status(context)
        guard let surface, let context, status == CAIRO_STATUS_SUCCESS else {
            cairo_destroy(context)
            cairo_surface_destroy(surface)
            throw FramegrepError(
                .outputFailed,
                "Cannot make a drawing surface of \(width)×\(height) pixels: \(Self.text(of: status)).")
        }
        self.surface = surface
        self.context = context
        self.width = width
        self.height = height
    }

    deinit {
        cairo_destroy(context)
        cairo_surface_destroy(surface)
    }

    /// Calls `body` with the pixels, rows `stride` bytes apart, and tells Cairo that they may have changed.
    package func withPixels<Result>(_ body: (_ bytes: UnsafeMutableBufferPointer<UInt8>, _ stride: Int) -> Result)
        -> Result
    {
        cairo_surface_flush(surface)
        let stride = Int(cairo_image_surface_get_stride(surface))
        let bytes = UnsafeMutableBufferPointer(
            start: cairo_image_surface_get_data(surface), count: stride * height)
        let result = body(bytes, stride)
        cairo_surface_mark_dirty(surface)
        return result
    }

    /// The pixels, tightly packed, premultiplied.
    package var bgra: [UInt8] {
        withPixels { bytes, stride in
            let row = width * 4
            guard stride != row else { return Array(bytes) }
            return (0..<height).flatMap { bytes[$0 * stride..<$0 * stride + row] }
        }
    }

    /// Paints `other` with its top-left corner at (x, y), with its opacity multiplied by `alpha`, 0 to 1.
    package func paint(_ other: Drawing, x: Double, y: Double, alpha: Double = 1) {
        cairo_set_source_surface(context, other.surface, x, y)
        cairo_paint_with_alpha(context, alpha)
    }

    /// Sets `color` as the color for painting.
    package func setSource(_ color: OverlayColor) {
        cairo_set_source_rgba(context, color.red, color.green, color.blue, color.alpha)
    }

    /// Calls `body` with the surface, which is valid until it returns.
    package func withSurface<Result>(_ body: (OpaquePointer) -> Result) -> Result {
        cairo_surface_flush(surface)
        return body(surface)
    }

    package static func text(of status: cairo_status_t) -> String {
        cairo_status_to_string(status).map { String(cString: $0) } ?? "unknown error \(status.rawValue)"
    }
}
