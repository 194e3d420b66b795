/// The places in a still picture where lines of text may stand, from detections in several parts of it and at several sizes.
struct StillPlaces {
    /// A place where a detector found a line.
    struct Piece: Sendable {
        var quad: Quad
        /// How high it was in what the detector saw, in pixels.
        var seenHeight: Double
        /// Of the part it was found in.
        var look: Int
        var scale: Double
        /// The part ends where the line may go on.
        var isCut: Bool
    }

    /// Detectors place lines best that are so high, in pixels.
    private static let bestHeight = 26.0

    /// Each place once; the first of its quads is the best, the others are of the same line.
    let places: [[Quad]]

    /// - Parameters:
    ///   - found: what was found in each of the plan's parts, in pixels of the whole picture.
    ///   - most: no more places are kept.
    init(_ found: [[TextRegion]], _ plan: StillPlan, in picture: Rect, most: Int) {
        var pieces: [Piece] = []
        for (number, regions) in found.enumerated() {
            let look = plan.looks[number]
            for region in regions {
                pieces.append(
                    Piece(
                        quad: region.quad, seenHeight: min(region.quad.height, region.quad.width) * look.scale,
                        look: number, scale: look.scale, isCut: Self.isCut(region.quad, by: look, in: picture)))
            }
        }
        let whole = pieces.filter { !$0.isCut }
        let cut = Self.joined(pieces.filter(\.isCut)).filter { piece in
            !whole.contains { piece.quad.share(in: $0.quad) > 0.7 }
        }
        let sorted = (whole + cut).sorted { Self.unfitness($0) < Self.unfitness($1) }
        var places: [[Quad]] = []
        for piece in sorted {
            if let known = places.firstIndex(where: { $0[0].isOne(with: piece.quad) }) {
                places[known].append(piece.quad)
            } else if places.count < most {
                places.append([piece.quad])
            }
        }
        self.places = places
    }

    private static func unfitness(_ piece: Piece) -> Double {
        let ratio = max(piece.seenHeight, 1) / bestHeight
        return ratio > 1 ? ratio : 1 / ratio
    }

    private static func isCut(_ quad: Quad, by look: StillPlan.Look, in picture: Rect) -> Bool {
        let (bounds, part, margin) = (quad.bounds, look.part, 3 / look.scale)
        return (part.minX > 0 && bounds.minX <= part.minX + margin)
            || (part.minY > 0 && bounds.minY <= part.minY + margin)
            || (part.maxX < picture.maxX && bounds.maxX >= part.maxX - margin)
            || (part.maxY < picture.maxY && bounds.maxY >= part.maxY - margin)
    }

    /// The halves of lines that two neighboring parts cut, put together.
    private static func joined(_ pieces: [Piece]) -> [Piece] {
        var pieces = pieces
        var index = 0
        while index < pieces.count {
            if let other = pieces.indices.first(where: { $0 > index && goesOn(pieces[index], in: pieces[$0]) }) {
                let direction = pieces[index].quad.direction
                if let quad = Quad.spanning([pieces[index].quad, pieces[other].quad], along: direction) {
                    pieces[index].quad = quad
                }
                pieces.remove(at: other)
            } else {
                index += 1
            }
        }
        return pieces
    }

    private static func goesOn(_ a: Piece, in b: Piece) -> Bool {
        guard a.look != b.look, a.scale == b.scale else { return false }
        return LineLocation(a.quad).goesOn(in: LineLocation(b.quad))
    }
}
