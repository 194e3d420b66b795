public import Errors

/// Combines two detectors: a quick one searches every picture; a careful one searches again if the quick one found only
/// a few lines and probably parts of them.
///
/// A small network misses a letter that stands alone, or words of a short line on an even background, or it cuts the line
/// between its words. In a picture full of text it does so less often, and the careful one would take several times as
/// long. On a background that changes, some frames would be searched by one detector and some by the other, so that
/// readings of the same line would differ; such pictures are not searched again.
public struct CascadeDetector: TextDetector {
    private let quick: any TextDetector
    private let careful: any TextDetector
    private let isSmall: @Sendable (TextRegion, Picture) -> Bool
    private let failed: @Sendable (FramegrepError) -> Void
    private let failure = FirstTime()

    /// The largest number of lines, or parts of them, in a picture that is searched again.
    private static let mostLines = 6
    /// Pictures whose longer side has fewer pixels are not searched again: small lines in them cannot be read anyway.
    private static let leastSide = 480
    /// The score from which a line counts as whole.
    private static let sure = 0.8
    /// The largest gap between parts of one line, in heights.
    private static let mostApart = 2.0
    /// The least height of the lower of two parts, as a share of the other's.
    private static let leastAlike = 0.7
    /// Whatever is shorter than this, in heights, is a speck or a single letter.
    fileprivate static let leastLength = 1.2
    /// The share of the ground above and below a line that has one color if it is even.
    fileprivate static let even = 0.85

    /// - Parameters:
    ///   - isSmall: returns whether a line is so small in this picture that the quick detector misses parts of it.
    ///   - failed: called once, on any thread, when the careful one first fails; less is found from then on.
    /// - Precondition: both need the same picture format.
    public init(
        quick: any TextDetector, careful: any TextDetector,
        failed: @escaping @Sendable (FramegrepError) -> Void = { _ in },
        isSmall: @escaping @Sendable (TextRegion, Picture) -> Bool
    ) {
        precondition(quick.pictureFormat == careful.pictureFormat, "a cascade searches the same pictures")
        self.quick = quick
        self.careful = careful
        self.failed = failed
        self.isSmall = isSmall
    }

    public var pictureFormat: Picture.Format { quick.pictureFormat }

    public func prepare(forWidth width: Int, height: Int) { quick.prepare(forWidth: width, height: height) }

    public func detect(in picture: Picture) async throws -> [TextRegion] {
        let found = try await quick.detect(in: picture)
        guard isDoubtful(found, in: picture) else { return found }
        do {
            let regions = try await careful.detect(in: picture)
            return regions.isEmpty ? found : regions
        } catch let error as FramegrepError {
            if failure.isNow() { failed(error) }
            return found
        }
    }

    private func isDoubtful(_ found: [TextRegion], in picture: Picture) -> Bool {
        guard found.count <= Self.mostLines, max(picture.width, picture.height) >= Self.leastSide else { return false }
        if found.isEmpty { return picture.loneMark != nil }
        return found.contains { region in
            guard region.score < Self.sure, region.isLine,
                isSmall(region, picture)
                    || found.contains(where: { $0 != region && Self.arePieces($0.quad, region.quad) })
            else { return false }
            return region.isOnEvenGround(in: picture)
        }
    }

    /// Returns whether two places may show parts of one line.
    private static func arePieces(_ a: Quad, _ b: Quad) -> Bool {
        min(a.height, b.height) >= leastAlike * max(a.height, b.height)
            && (a.continues(b, gap: mostApart) || b.continues(a, gap: mostApart))
    }
}

extension TextRegion {
    /// Whether it is longer than a letter.
    fileprivate var isLine: Bool {
        max(quad.width, quad.height) >= CascadeDetector.leastLength * min(quad.width, quad.height)
    }

    /// Returns whether what lies above and below it, and beside that, has one color.
    fileprivate func isOnEvenGround(in picture: Picture) -> Bool {
        let wide = quad.grown(along: 3 * quad.height, across: 0)
        let around = [wide.rows(from: -1.6, to: -0.8), wide.rows(from: 1.8, to: 2.6)].compactMap(picture.evenness)
        return around.allSatisfy { $0 >= CascadeDetector.even }
    }
}
