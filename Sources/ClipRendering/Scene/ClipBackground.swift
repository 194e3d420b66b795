public import TextSpotting

/// The picture behind a clip's texts.
public enum ClipBackground: Sendable {
    case flat(OverlayColor)
    /// Changes evenly from the first color at the top-left to the second at the bottom-right.
    case gradient(OverlayColor, OverlayColor)
    /// Cloudy structure, coarse to fine, as in a photograph.
    case texture(ClipTexture)
    /// A picture made of shapes, which moves as a whole.
    case wall(ClipWall)

    /// A photo-like texture that stands still or moves.
    public static func texture(
        from dark: OverlayColor, to bright: OverlayColor, velocity: Point = Point(0, 0)
    ) -> ClipBackground {
        .texture(ClipTexture(from: dark, to: bright, velocity: velocity))
    }
}

/// Cloudy structure between two colors.
public struct ClipTexture: Sendable, Hashable {
    public var dark: OverlayColor
    public var bright: OverlayColor
    /// 0 (smooth) to 1 (as much fine structure as coarse).
    public var roughness: Double
    /// How often it repeats, in pixels; a power of two of at least 16.
    public var side: Int
    /// Pixels a second.
    public var velocity: Point

    public init(
        from dark: OverlayColor, to bright: OverlayColor, roughness: Double = 0.55, side: Int = 256,
        velocity: Point = Point(0, 0)
    ) {
        self.dark = dark
        self.bright = bright
        self.roughness = roughness
        self.side = side
        self.velocity = velocity
    }
}

/// A wide picture of shapes that the camera passes. At the clip's beginning its top-left corner is the frame's.
public struct ClipWall: Sendable {
    /// Pixels.
    public var width: Int
    /// Pixels.
    public var height: Int
    public var color: OverlayColor
    /// First ones at the bottom.
    public var shapes: [Shape]
    /// Pixels a second.
    public var velocity: Point

    public init(width: Int, height: Int, color: OverlayColor, shapes: [Shape], velocity: Point = Point(0, 0)) {
        self.width = width
        self.height = height
        self.color = color
        self.shapes = shapes
        self.velocity = velocity
    }

    /// A rounded rectangle.
    public struct Shape: Sendable, Hashable {
        public var rect: Rect
        public var color: OverlayColor
        public var cornerRadius: Double

        public init(_ rect: Rect, _ color: OverlayColor, cornerRadius: Double = 0) {
            self.rect = rect
            self.color = color
            self.cornerRadius = cornerRadius
        }
    }
}
