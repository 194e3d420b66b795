import TextSpotting

/// The size a picture is given for the detector: both sides multiples of 32, as the network wants them.
public struct DetectionSize: Hashable, Sendable {
    /// In pixels.
    public let width: Int
    /// In pixels.
    public let height: Int

    /// The longer side chosen for a picture of this size when the user names none: pictures up to 960 pixels keep their
    /// size, larger ones are brought down to two thirds of it, but not below 960 nor above 1920.
    ///
    /// The network finds lines best when their letters are some 7 to 20 pixels high; enlarging found nothing more, and
    /// two thirds of a screen's size finds as much as the whole in half the time (docs/NEURAL.md).
    public static func defaultSide(width: Int, height: Int) -> Int {
        let longer = max(width, height)
        return min(longer, max(960, min(1920, longer * 2 / 3)))
    }

    /// - Parameter side: the wanted length of the longer side; nil for ``defaultSide(width:height:)``.
    public init(forWidth width: Int, height: Int, side: Int? = nil) {
        let longer = Double(max(1, width, height))
        let side = Double(side ?? Self.defaultSide(width: width, height: height))
        func fitted(_ length: Int) -> Int { max(1, Int((Double(length) * side / longer / 32).rounded())) * 32 }
        self.width = fitted(width)
        self.height = fitted(height)
    }
}
