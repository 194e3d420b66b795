internal import TextSpotting

/// How a picture of a given size is put before Tesseract: how much larger or smaller, and in which mode.
///
/// The rule was measured; the table is in `docs/TESSERACT.md`. Pictures of up to 240 rows are read three times as large
/// as one block of lines, all others as they are, as sparse text.
struct PagePlan: Hashable, Sendable {
    enum Mode: Hashable, Sendable { case page, block, line, sparse }

    var mode: Mode
    /// The size that Tesseract sees.
    var width: Int
    var height: Int

    /// Pictures with fewer rows are enlarged: the letters in them are smaller than Tesseract can read.
    static let smallHeight = 240
    static let enlargement = 3
    /// Anything smaller holds no letter.
    static let leastSide = 6
    /// A bound on memory and time: an 8K picture is just below. Tesseract itself refuses sides from 32,768 on.
    static let mostPixels = 34_000_000
    static let longestSide = 16_000

    /// Nil if nothing can be read: a picture of hardly any pixels.
    init?(width: Int, height: Int, layout: TesseractSettings.Layout) {
        guard width >= Self.leastSide, height >= Self.leastSide else { return nil }
        let isSmall = height <= Self.smallHeight && width <= 4 * Self.smallHeight
        mode =
            switch layout {
            case .automatic: isSmall ? .block : .sparse
            case .page: .page
            case .block: .block
            case .sparse: .sparse
            }
        var scale = isSmall ? Double(Self.enlargement) : 1
        let longest = Double(max(width, height))
        scale = min(scale, Double(Self.longestSide) / longest)
        scale = min(scale, (Double(Self.mostPixels) / (Double(width) * Double(height))).squareRoot())
        self.width = max(Self.leastSide, Int(Double(width) * scale))
        self.height = max(Self.leastSide, Int(Double(height) * scale))
    }
}
