public import TextMatching

extension TextBlocks {
    /// More lines than this are not joined: the work grows with their square.
    private static let maximumLines = 600

    /// Which lines of one picture go on in which others: in one just below that is about as tall, close, and overlaps it
    /// along the text; or in the piece just beside it on the same row.
    public init(_ lines: [TextLine]) {
        guard lines.count > 1, lines.count <= Self.maximumLines else {
            self.init(below: [], beside: [])
            return
        }
        let places = lines.map { LineLocation($0.quad) }
        self.init(
            below: places.indices.map { Self.nearest(to: $0, in: places) { $0.distance(toBelow: $1) } },
            beside: places.indices.map { Self.nearest(to: $0, in: places) { $0.distance(toBeside: $1) } })
    }

    private static func nearest(
        to index: Int, in places: [LineLocation], _ distance: (_ from: LineLocation, _ to: LineLocation) -> Double?
    ) -> Int? {
        var best: (index: Int, distance: Double)?
        for other in places.indices where other != index {
            guard let length = distance(places[index], places[other]), length < best?.distance ?? .infinity else {
                continue
            }
            best = (other, length)
        }
        return best?.index
    }
}
