/// How large the overlay's parts are, from the size of the picture they are drawn on.
///
/// Everything grows with the picture's short side, so that the overlay looks the same on 640×360 and on 4K, with
/// lower bounds below which lines and letters would not be seen.
public struct OverlayStyle: Hashable, Sendable {
    /// The picture's size in pixels.
    public let pictureWidth: Int
    public let pictureHeight: Int
    /// The width of a box's bright line.
    public let lineThickness: Double
    /// The size of the labels' font, pixels an em.
    public let fontSize: Double
    /// The least distance of labels from the picture's edges.
    public let margin: Double
    /// The greatest distance of a box's line from its text.
    let largestLine: Double

    public init(pictureWidth: Int, pictureHeight: Int) {
        self.pictureWidth = pictureWidth
        self.pictureHeight = pictureHeight
        let unit = Double(min(pictureWidth, pictureHeight)) / 720
        lineThickness = max(1.5, 3 * unit)
        fontSize = max(11, 19 * unit)
        margin = max(3, 12 * unit)
        largestLine = .infinity
    }

    /// Sizes in a window's own pixels: letters are as large as users read them in any window, and only a little larger in a large one.
    ///
    /// - Parameters:
    ///   - width: of the frame that comes to the window, in pixels.
    ///   - height: the same.
    ///   - scale: how many pixels of the window one of the frame's takes.
    public init(windowWidth width: Int, height: Int, scale: Double) {
        pictureWidth = width
        pictureHeight = height
        let scale = scale.isFinite && scale > 0 ? scale : 1
        // The power of three quarters: twice as large a window is looked at from a little further away.
        let root = (Double(min(width, height)) * scale / 720).squareRoot()
        let unit = root * root.squareRoot()
        lineThickness = max(1.5, 3 * unit) / scale
        fontSize = max(12, 17 * unit) / scale
        margin = max(4, 10 * unit) / scale
        largestLine = 12 * unit / scale
    }

    public var labelHeight: Double { (fontSize * 1.55).rounded() }

    /// The inside of the picture where labels may be.
    var labelArea: Rect {
        Rect(x: 0, y: 0, width: Double(pictureWidth), height: Double(pictureHeight)).grown(by: -margin)
    }

    /// The line around a box of text `height` pixels high: thinner around small text, so that it never swallows it.
    func thickness(forTextHeight height: Double) -> Double {
        max(1.5, min(lineThickness, height * 0.16))
    }

    /// Labels, on a dark tab that keeps them readable over anything.
    static let tab = OverlayColor(hex: 0x0B1014, alpha: 0.82)
    /// Behind the list of keys, of which there are more letters to be read.
    static let panel = OverlayColor(hex: 0x0B1014, alpha: 0.96)
    /// Around text that was not searched for.
    static let other = OverlayColor(hex: 0xFFFFFF, alpha: 0.6)
    static let faint = OverlayColor(hex: 0xB8C4CC)
    static let warning = OverlayColor(hex: 0xFFB020)
    static let failure = OverlayColor(hex: 0xFF5C5C)
}
