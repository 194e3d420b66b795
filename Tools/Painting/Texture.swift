import CCairo
public import Errors
public import OverlayDrawing
public import TextSpotting

/// A square picture that repeats without seams: made once, painted cheaply on many frames.
///
/// Not `Sendable`; one task uses it at a time.
public final class Texture {
    let drawing: Drawing

    private init(_ drawing: Drawing) {
        self.drawing = drawing
    }

    /// Cloudy, photo-like structure between two colors, coarse to fine: value noise summed over octaves, each twice as
    /// fine and `roughness` times as strong as the one before (Perlin's fractal sum).
    ///
    /// - Parameters:
    ///   - side: In pixels; a power of two of at least 16.
    ///   - roughness: 0 (smooth) to 1 (as much fine structure as coarse).
    public static func clouds(
        side: Int = 256, from dark: OverlayColor, to bright: OverlayColor, roughness: Double = 0.55, seed: UInt64
    ) throws(FramegrepError) -> Texture {
        precondition(side >= 16 && side & (side - 1) == 0, "a texture's side is a power of two")
        var generator = SeededGenerator(seed: seed)
        var values = [Double](repeating: 0, count: side * side)
        var strength = 1.0
        var total = 0.0
        var cells = 4
        while cells <= side / 2 {
            let lattice = (0..<cells * cells).map { _ in generator.nextFraction() }
            add(lattice, cells: cells, times: strength, to: &values, side: side)
            total += strength
            strength *= roughness
            cells *= 2
        }
        let bytes = values.flatMap { value in
            // Sums of octaves crowd around the middle: stretch them to use the whole range.
            let color = dark.mixed(with: bright, at: max(0, min(1, (value / total - 0.5) * 2 + 0.5)))
            return [color.blue, color.green, color.red, 1].map { UInt8(max(0, min(1, $0)) * 255) }
        }
        let drawing = try Drawing(width: side, height: side)
        drawing.copy(bgra: bytes)
        return Texture(drawing)
    }

    /// Grain as of a camera's sensor: transparent, each pixel made brighter or darker by up to `amplitude` (0 to 1) of
    /// the way to white or black, evenly distributed.
    public static func grain(side: Int = 256, amplitude: Double, seed: UInt64) throws(FramegrepError) -> Texture {
        precondition(side > 0, "a texture has a side")
        var generator = SeededGenerator(seed: seed)
        let bytes = (0..<side * side).flatMap { _ -> [UInt8] in
            let value = (generator.nextFraction() * 2 - 1) * max(0, min(1, amplitude))
            let alpha = UInt8(abs(value) * 255)
            let level = value > 0 ? alpha : 0
            return [level, level, level, alpha]
        }
        let drawing = try Drawing(width: side, height: side)
        drawing.copy(bgra: bytes)
        return Texture(drawing)
    }

    /// Blends one value of a lattice into each pixel, smoothly between lattice points, wrapping at the edges.
    private static func add(_ lattice: [Double], cells: Int, times factor: Double, to values: inout [Double], side: Int)
    {
        let steps = side / cells
        let eased = (0..<steps).map { step -> Double in
            let t = Double(step) / Double(steps)
            return t * t * (3 - 2 * t)
        }
        for y in 0..<side {
            let top = y / steps * cells
            let bottom = (y / steps + 1) % cells * cells
            let v = eased[y % steps]
            for x in 0..<side {
                let left = x / steps
                let right = (left + 1) % cells
                let u = eased[x % steps]
                let above = lattice[top + left] + (lattice[top + right] - lattice[top + left]) * u
                let below = lattice[bottom + left] + (lattice[bottom + right] - lattice[bottom + left]) * u
                values[y * side + x] += (above + (below - above) * v) * factor
            }
        }
    }
}

extension Canvas {
    /// Paints the whole canvas with `texture`, its origin at `offset`, `scale` times as large, `alpha` as opaque.
    public func fill(_ texture: Texture, offset: Point = Point(0, 0), scale: Double = 1, alpha: Double = 1) {
        let context = drawing.context
        cairo_save(context)
        cairo_translate(context, offset.x, offset.y)
        cairo_scale(context, scale, scale)
        texture.drawing.withSurface { cairo_set_source_surface(context, $0, 0, 0) }
        cairo_pattern_set_extend(cairo_get_source(context), CAIRO_EXTEND_REPEAT)
        cairo_paint_with_alpha(context, alpha)
        cairo_restore(context)
    }
}

/// Random numbers that are the same for the same seed, everywhere: SplitMix64 (Steele, Lea and Flood, "Fast splittable
/// pseudorandom number generators", OOPSLA 2014).
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    public init(seed: UInt64) {
        state = seed
    }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number from 0 up to but not including 1.
    public mutating func nextFraction() -> Double {
        Double(next() >> 11) / Double(1 << 53)
    }
}
