import CCairo
import Glibc
import TextSpotting

/// A picture with text on it whose words' places are known.
struct RenderedText {
    struct Word {
        var text: String
        /// The rectangle around the word's visible pixels, turned with the text.
        var quad: Quad
    }

    /// One line of text and how it is drawn.
    struct Line {
        var text: String
        var font = "DejaVu Sans"
        /// The font's size in pixels: about 1.4 times the height of its capitals.
        var size = 32.0
        /// The place of the line's top-left corner, in pixels; the line is rotated about it.
        var origin = Point(20, 20)
        /// Clockwise, in degrees.
        var angle = 0.0
        /// Brightness of the text, 0 to 1.
        var ink = 0.0
    }

    let picture: Picture
    let lines: [Line]

    /// The words of all lines, in order.
    var words: [Word] {
        lines.flatMap { line in
            line.text.wordRanges.map { Word(text: String(line.text[$0]), quad: Self.quad(of: $0, in: line)) }
        }
    }

    /// Whether a font with the letters of a language (`zh`) is installed, as fontconfig says.
    static func hasFont(for language: String) -> Bool {
        guard let list = popen("fc-list :lang=\(language) family", "r") else { return false }
        defer { pclose(list) }
        return fgetc(list) != EOF
    }

    /// - Parameter paper: the background's brightness, 0 to 1.
    init(width: Int, height: Int, paper: Double = 1, lines: [Line]) {
        self.lines = lines
        picture = Self.drawn(width: width, height: height, paper: paper) { cairo in
            for line in lines { Self.draw(line, only: nil, on: cairo) }
        }
    }

    private static func quad(of range: Range<String.Index>, in line: Line) -> Quad {
        // The pixels of a line drawn alone and upright, on a canvas with room on all sides, are the truth.
        var upright = line
        let margin = 50.0
        upright.origin = Point(margin, margin)
        upright.angle = 0
        upright.ink = 0
        let length = Int(2 * margin + line.size * Double(line.text.count + 2))
        let alone = drawn(width: length, height: Int(2 * margin + 2 * line.size), paper: 1) {
            draw(upright, only: range, on: $0)
        }
        var (left, right, top, bottom) = (alone.width, 0, alone.height, 0)
        alone.bytes.withUnsafeBufferPointer { bytes in
            for y in 0..<alone.height {
                for x in 0..<alone.width where bytes[(y * alone.width + x) * 3] < 128 {
                    (left, right) = (min(left, x), max(right, x + 1))
                    (top, bottom) = (min(top, y), max(bottom, y + 1))
                }
            }
        }
        let box = Rect(
            x: Double(left), y: Double(top), width: Double(right - left), height: Double(bottom - top))
        let turn = line.angle * .pi / 180
        let along = Point(cos(turn), sin(turn))
        let down = Point(-along.y, along.x)
        return Quad(box).mapped { line.origin + along * ($0.x - margin) + down * ($0.y - margin) }
    }

    private static func draw(_ line: Line, only range: Range<String.Index>?, on cairo: OpaquePointer?) {
        cairo_save(cairo)
        cairo_translate(cairo, line.origin.x, line.origin.y)
        cairo_rotate(cairo, line.angle * .pi / 180)
        cairo_set_source_rgb(cairo, line.ink, line.ink, line.ink)
        let layout = pango_cairo_create_layout(cairo)
        // Rotated and upright text get the same places, not ones rounded to the pixels of their direction.
        let options = cairo_font_options_create()
        cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF)
        cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE)
        pango_cairo_context_set_font_options(pango_layout_get_context(layout), options)
        pango_context_set_round_glyph_positions(pango_layout_get_context(layout), 0)
        pango_layout_context_changed(layout)
        cairo_font_options_destroy(options)
        let font = pango_font_description_from_string(line.font)
        pango_font_description_set_absolute_size(font, line.size * Double(PANGO_SCALE))
        pango_layout_set_font_description(layout, font)
        pango_layout_set_text(layout, line.text, -1)
        if let range {
            let attributes = pango_attr_list_new()
            for (start, end) in [(line.text.startIndex, range.lowerBound), (range.upperBound, line.text.endIndex)] {
                guard start < end, let hidden = pango_attr_foreground_alpha_new(1) else { continue }
                hidden.pointee.start_index = UInt32(start.byteOffset(in: line.text))
                hidden.pointee.end_index = UInt32(end.byteOffset(in: line.text))
                pango_attr_list_insert(attributes, hidden)
            }
            pango_layout_set_attributes(layout, attributes)
            pango_attr_list_unref(attributes)
        }
        pango_cairo_show_layout(cairo, layout)
        pango_font_description_free(font)
        g_object_unref(layout.map { UnsafeMutableRawPointer($0) })
        cairo_restore(cairo)
    }

    private static func drawn(
        width: Int, height: Int, paper: Double, _ body: (OpaquePointer?) -> Void
    ) -> Picture {
        let surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, Int32(width), Int32(height))
        let cairo = cairo_create(surface)
        cairo_set_source_rgb(cairo, paper, paper, paper)
        cairo_paint(cairo)
        body(cairo)
        cairo_destroy(cairo)
        cairo_surface_flush(surface)
        let stride = Int(cairo_image_surface_get_stride(surface))
        var bytes: [UInt8] = []
        bytes.reserveCapacity(width * height * 3)
        if let data = cairo_image_surface_get_data(surface) {
            for y in 0..<height {
                for x in 0..<width {
                    let pixel = data + y * stride + 4 * x
                    bytes.append(pixel[2])
                    bytes.append(pixel[1])
                    bytes.append(pixel[0])
                }
            }
        }
        cairo_surface_destroy(surface)
        return Picture(format: .rgb, width: width, height: height, bytes: bytes)
    }
}

extension String {
    /// The runs of characters without white space.
    fileprivate var wordRanges: [Range<String.Index>] {
        split(whereSeparator: \.isWhitespace).map { $0.startIndex..<$0.endIndex }
    }
}

extension String.Index {
    /// Returns the number of bytes of UTF-8 before the index, which is how Pango counts.
    fileprivate func byteOffset(in text: String) -> Int { text.utf8.distance(from: text.startIndex, to: self) }
}
