public import TextSpotting

/// The kind of display that shows a text.
public enum ClipDisplay: Sendable, Hashable {
    case font
    /// Seven bars a digit, as on clocks and meters: digits, minus, point, colon, and a space as wide as the colon. The anchor is the
    /// left end of the baseline, and the size is the height of a digit.
    case segments
    /// A drum that turns to another text of the same length in the last frames, seen through a window of the color of what is around
    /// it; in a font whose digits are of one width, on its baseline.
    case rolling(to: String, over: Int, window: OverlayColor)

    /// How far the drum has turned, 0 to 1.
    func rolled(inFrame frame: Int, of count: Int) -> Double {
        guard case .rolling(_, let length, _) = self else { return 0 }
        return max(0, Double(frame - (count - length) + 1) / Double(max(1, length) + 1))
    }
}
