/// A color of the overlay: red, green, blue and opacity, each 0 to 1, in the picture's own (non-linear) values, not
/// multiplied by the opacity.
public struct OverlayColor: Hashable, Sendable {
    public var red: Double
    public var green: Double
    public var blue: Double
    /// 0 is invisible, 1 is opaque.
    public var alpha: Double

    public init(red: Double, green: Double, blue: Double, alpha: Double = 1) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
    }

    /// The color written as in CSS, `0xRRGGBB`.
    public init(hex: UInt32, alpha: Double = 1) {
        self.init(
            red: Double(hex >> 16 & 0xFF) / 255, green: Double(hex >> 8 & 0xFF) / 255, blue: Double(hex & 0xFF) / 255,
            alpha: alpha)
    }

    /// The same color, `factor` times as opaque.
    public func faded(to factor: Double) -> OverlayColor {
        OverlayColor(red: red, green: green, blue: blue, alpha: alpha * factor)
    }

    /// How bright the color looks, 0 to 1: the luma weights of ITU-R BT.709 applied to the non-linear values.
    public var brightness: Double { 0.2126 * red + 0.7152 * green + 0.0722 * blue }

    /// The color between this one and `other`, at `fraction` of the way.
    public func mixed(with other: OverlayColor, at fraction: Double) -> OverlayColor {
        func between(_ a: Double, _ b: Double) -> Double { a + (b - a) * fraction }
        return OverlayColor(
            red: between(red, other.red), green: between(green, other.green), blue: between(blue, other.blue),
            alpha: between(alpha, other.alpha))
    }

    public static let black = OverlayColor(hex: 0x000000)
    public static let white = OverlayColor(hex: 0xFFFFFF)

    /// Bright colors with different hues and brightness, one for each searched pattern in turn.
    public static let patterns: [OverlayColor] = [
        OverlayColor(hex: 0x3DF5A0), OverlayColor(hex: 0xFFC53D), OverlayColor(hex: 0x5AC8FF),
        OverlayColor(hex: 0xFF7AB8), OverlayColor(hex: 0xC9A6FF), OverlayColor(hex: 0xF4F46A),
    ]

    /// The color of the pattern with this index; it starts again after the last one.
    public static func pattern(_ index: Int) -> OverlayColor {
        let place = index % patterns.count
        return patterns[place < 0 ? place + patterns.count : place]
    }
}
