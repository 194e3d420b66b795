import TextSpotting

/// The size a picture is given for the detector: both sides multiples of 32, as the network wants them.
public struct DetectionSize: Hashable, Sendable {
    /// In pixels.
    public let width: Int
    /// In pixels.
    public let height: Int

    /// The longer side chosen for a picture of this size when the user names none.
    ///
    /// Pictures up to 1280 pixels keep their size, larger ones are brought down to it.
    public static func defaultSide(width: Int, height: Int) -> Int {
        min(1280, max(width, height))
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
