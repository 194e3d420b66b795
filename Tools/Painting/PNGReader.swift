import CCairo
public import Errors
public import OverlayDrawing

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
