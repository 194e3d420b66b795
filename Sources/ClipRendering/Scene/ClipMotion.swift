import Foundation
public import OverlayDrawing
public import TextSpotting

/// Where something is at each moment of a clip. Times are seconds from the clip's beginning, also for a text that
/// appears later, so that several with the same velocity move as one.
public struct ClipMotion: Sendable, Hashable {
    /// At the beginning, in pixels.
    public var center: Point
    /// Pixels a second.
    public var velocity: Point
    /// How many times as large at the beginning.
    public var scale: Double
    /// How many times as large after each second: 1 keeps the size, 2 doubles it.
    public var growth: Double
    /// Clockwise at the beginning.
    public var degrees: Double
    public var degreesPerSecond: Double

    public init(
        _ center: Point, velocity: Point = Point(0, 0), scale: Double = 1, growth: Double = 1, degrees: Double = 0,
        degreesPerSecond: Double = 0
    ) {
        self.center = center
        self.velocity = velocity
        self.scale = scale
        self.growth = growth
        self.degrees = degrees
        self.degreesPerSecond = degreesPerSecond
    }

    /// From coordinates around the center, at their original size, to the picture's pixels.
    public func placement(atSecond seconds: Double) -> Affine {
        .place(
            center + velocity * seconds, scale: growth == 1 ? scale : scale * pow(growth, seconds),
            degrees: degrees + degreesPerSecond * seconds)
    }
}
