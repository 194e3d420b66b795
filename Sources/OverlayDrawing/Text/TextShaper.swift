import CCairo

/// Sole owner of a Pango font map and of the context that shapes text with it.
///
/// Pango's default font map belongs to one thread; this one belongs to its owner, who may be on any thread, but uses it
/// from one at a time.
final class TextShaper {
    private let fontMap: UnsafeMutablePointer<PangoFontMap>?
    private let context: OpaquePointer?

    /// Letters are placed and drawn without hinting, so that they are the same at every place and scale.
    init() {
        // Neither call answers nil (GLib ends the process when memory is short), but their import says optional.
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
    func layout(_ text: String, font: FontFace, size: Double) -> TextLayout {
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
    public static let sansBold = FontFace("DejaVu Sans,sans-serif", weight: 700)
    public static let serif = FontFace("DejaVu Serif,serif")
    public static let mono = FontFace("DejaVu Sans Mono,monospace")

    /// Owned by the caller, who frees it. `size` in pixels an em.
    func description(size: Double) -> OpaquePointer? {
        let description = pango_font_description_new()
        pango_font_description_set_family(description, family)
        pango_font_description_set_weight(description, PangoWeight(rawValue: UInt32(max(1, min(1000, weight)))))
        pango_font_description_set_style(description, isItalic ? PANGO_STYLE_ITALIC : PANGO_STYLE_NORMAL)
        pango_font_description_set_absolute_size(description, max(1, min(4096, size)) * Double(PANGO_SCALE))
        return description
    }
}
