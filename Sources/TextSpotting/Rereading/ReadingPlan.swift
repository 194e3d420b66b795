/// Which parts of a picture have to be looked at again, when it is known what changed since it was last read.
///
/// Bands as wide as the picture and a fraction as high: as wide, because then no line is cut at their sides; of one
/// height, because an engine prepares anew for each size of picture.
struct ReadingPlan: Sendable, Hashable {
    /// Rows of the picture to look at; nil for all of it.
    let bands: [Rect]?
    /// The changed tiles, in pixels of the grid's picture.
    private let changed: TileMask
    /// Pixels of the grid's picture for one of the picture.
    private let scaleX: Double
    private let scaleY: Double

    /// A band's share of the picture's height.
    static let bandShare = 0.25
    /// Where a larger share of the tiles changed, all of the picture is looked at.
    static let most = 0.5

    init(for picture: Picture, changed: TileMask) {
        self.changed = changed
        scaleX = Double(changed.grid.width) / Double(max(1, picture.width))
        scaleY = Double(changed.grid.height) / Double(max(1, picture.height))
        bands = changed.share > Self.most ? nil : Self.bands(over: changed.rowRanges, in: picture, scaleY)
    }

    /// One or two bands that hold all changed rows with a margin; nil when they do not do.
    private static func bands(over ranges: [ClosedRange<Double>], in picture: Picture, _ scaleY: Double) -> [Rect]? {
        let height = Double(picture.height)
        let bandHeight = (height * bandShare).rounded(.up)
        // A changed tile may hold a corner of a letter only: the rest of its line is above or below.
        let margin = height / 24
        var bands: [(top: Double, bottom: Double)] = []
        for range in ranges {
            let (top, bottom) = (range.lowerBound / scaleY - margin, range.upperBound / scaleY + margin)
            if let last = bands.last, bottom - last.top <= bandHeight {
                bands[bands.count - 1].bottom = bottom
            } else {
                bands.append((top, bottom))
            }
        }
        guard bands.count <= 2, bands.allSatisfy({ $0.bottom - $0.top <= bandHeight }) else { return nil }
        return bands.map { band in
            let top = min(height - bandHeight, max(0, ((band.top + band.bottom - bandHeight) / 2).rounded()))
            return Rect(x: 0, y: max(0, top), width: Double(picture.width), height: min(height, bandHeight))
        }
    }

    /// Something changed where the quad is, which is in pixels of the picture.
    func isChanged(_ quad: Quad) -> Bool { changed.intersects(quad.scaled(x: scaleX, y: scaleY).bounds) }

    /// Size of the grid's picture divided by that of the picture.
    var scale: Double { scaleX }

    /// A displacement of the grid's picture, in pixels of the picture.
    func offset(of displacement: Displacement) -> Point {
        Point(Double(displacement.dx) / scaleX, Double(displacement.dy) / scaleY)
    }

    /// The quad reaches over the edge of a band inside the picture, so that part of it may be missing.
    func isCut(_ quad: Quad, by band: Rect, in picture: Picture) -> Bool {
        let bounds = quad.bounds
        return (band.minY > 0 && bounds.minY <= band.minY + 2)
            || (band.maxY < Double(picture.height) && bounds.maxY >= band.maxY - 2)
    }
}
