import CCairo
import TextSpotting

/// Owns a shaped line of text.
///
/// Its own coordinates have their origin at the left end of the baseline, in pixels, y down.
package struct TextLayout: ~Copyable {
    package let layout: OpaquePointer?
    package let text: String

    init(takingOwnershipOf layout: OpaquePointer?, text: String, font: OpaquePointer?) {
        self.layout = layout
        self.text = text
        pango_layout_set_font_description(layout, font)
        pango_layout_set_single_paragraph_mode(layout, 1)
        pango_layout_set_auto_dir(layout, 0)
        var text = text
        text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                pango_layout_set_text(layout, $0.baseAddress, Int32(clamping: $0.count))
            }
        }
    }

    deinit {
        if let layout { g_object_unref(UnsafeMutableRawPointer(layout)) }
    }

    /// Sets the color and weight of consecutive runs of the text.
    func apply(_ runs: [OverlayLabel.Run]) {
        let list = pango_attr_list_new()
        defer { pango_attr_list_unref(list) }
        var start: UInt32 = 0
        for run in runs {
            let end = start + UInt32(clamping: run.text.utf8.count)
            func channel(_ value: Double) -> UInt16 { UInt16(max(0, min(1, value)) * 65535) }
            let color = pango_attr_foreground_new(
                channel(run.color.red), channel(run.color.green), channel(run.color.blue))
            let weight = pango_attr_weight_new(run.isBold ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL)
            for attribute in [color, weight] {
                attribute?.pointee.start_index = start
                attribute?.pointee.end_index = end
                pango_attr_list_insert(list, attribute)
            }
            start = end
        }
        pango_layout_set_attributes(layout, list)
    }

    /// Shortens the line with an ellipsis if it is wider than `width` pixels.
    func limit(toWidth width: Double) {
        pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_END)
        pango_layout_set_width(layout, Int32(max(0, min(65536, width)) * Double(PANGO_SCALE)))
    }

    /// The advance of the line, in pixels.
    var width: Double {
        var logical = PangoRectangle()
        pango_layout_line_get_extents(pango_layout_get_line_readonly(layout, 0), nil, &logical)
        return pixels(logical.width)
    }

    /// Draws with the context's current point at the left end of the baseline, in the colors of the runs.
    func show(on context: OpaquePointer) {
        pango_cairo_show_layout_line(context, pango_layout_get_line_readonly(layout, 0))
    }

    package func pixels(_ units: Int32) -> Double { Double(units) / Double(PANGO_SCALE) }
}

/// Owns a Pango font map and the context that shapes text with it.
///
/// Pango's default font map belongs to one thread; this one may be used on any thread, by one at a time.
package final class TextShaper {
    private let fontMap: UnsafeMutablePointer<PangoFontMap>?
    private let context: OpaquePointer?

    /// Letters are placed and drawn without hinting, so that they are the same at every place and scale.
    init() {
        // Neither call returns nil (GLib ends the process if memory runs out), but they are imported as optional.
        fontMap = pango_cairo_font_map_new()
        context = pango_font_map_create_context(fontMap)
        let options = cairo_font_options_create()
        cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY)
        cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE)
        cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF)
        pango_cairo_context_set_font_options(context, options)
        cairo_font_options_destroy(options)
        pango_context_set_round_glyph_positions(context, 0)
        pango_context_set_base_dir(context, PANGO_DIRECTION_LTR)
    }

    deinit {
        if let context { g_object_unref(UnsafeMutableRawPointer(context)) }
        if let fontMap { g_object_unref(UnsafeMutableRawPointer(fontMap)) }
    }

    /// A layout of one line of `text`, without attributes.
    package func layout(_ text: String, font: FontFace, size: Double) -> TextLayout {
        let description = font.description(size: size)
        defer { pango_font_description_free(description) }
        return TextLayout(takingOwnershipOf: pango_layout_new(context), text: text, font: description)
    }
}

/// A font by name, before its size is known.
public struct FontFace: Hashable, Sendable {
    /// A family or several with commas, as fontconfig knows them: `DejaVu Sans`, `Noto Sans CJK KR`, `monospace`.
    public var family: String
    /// 100 (thin) to 900 (black); 400 is normal, 700 bold.
    public var weight: Int
    public var isItalic: Bool

    public init(_ family: String, weight: Int = 400, isItalic: Bool = false) {
        self.family = family
        self.weight = weight
        self.isItalic = isItalic
    }

    public static let sans = FontFace("DejaVu Sans,sans-serif")

    /// Owned by the caller, who frees it. `size` is in pixels per em.
    func description(size: Double) -> OpaquePointer? {
        let description = pango_font_description_new()
        pango_font_description_set_family(description, family)
        pango_font_description_set_weight(description, PangoWeight(rawValue: UInt32(max(1, min(1000, weight)))))
        pango_font_description_set_style(description, isItalic ? PANGO_STYLE_ITALIC : PANGO_STYLE_NORMAL)
        pango_font_description_set_absolute_size(description, max(1, min(4096, size)) * Double(PANGO_SCALE))
        return description
    }
}
