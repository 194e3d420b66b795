import Foundation
import TextSpotting

/// A request to a decoding process: one line of JSON on its standard input.
///
/// Decoders are large C libraries, and some damaged recording crashes one of them. So they run in processes of their own, which may die
/// without taking the page along, and which can be ended when their result is no longer needed.
struct MediaJob: Codable, Hashable, Sendable {
    var path: String
    /// In seconds; nil for a still picture.
    var time: Double?
    /// Not wider than this, in pixels.
    var width: Int
    /// Of a clip: where it ends.
    var end: Double?
    /// Of a picture: the corners of a place, in pixels of the recording as displayed.
    var corners: [Double] = []
    /// Only the surroundings of that place.
    var isCut = false
    /// Of such a picture: how far the line goes on before and behind the place, as multiples of the place's width.
    var before = 0.0
    var behind = 0.0
    /// The place gets a box.
    var isBoxed = false
    /// Of a whole picture: the corners of further places that get one.
    var boxes: [[Double]] = []

    /// The place, where eight numbers name one.
    var quad: Quad? { Self.quad(corners) }

    /// A quad from eight numbers; nil for any other count.
    static func quad(_ corners: [Double]) -> Quad? {
        guard corners.count == 8, corners.allSatisfy(\.isFinite) else { return nil }
        let points = stride(from: 0, to: 8, by: 2).map { Point(corners[$0], corners[$0 + 1]) }
        return Quad(topLeft: points[0], topRight: points[1], bottomRight: points[2], bottomLeft: points[3])
    }

    /// The line that the place is part of, by its letters; nil if all is shown.
    var wholeLine: Quad? {
        guard isCut, let quad, [before, behind].allSatisfy({ (0...1000).contains($0) }) else { return nil }
        let (top, bottom) = (quad.topRight - quad.topLeft, quad.bottomRight - quad.bottomLeft)
        return Quad(
            topLeft: quad.topLeft - top * before, topRight: quad.topRight + top * behind,
            bottomRight: quad.bottomRight + bottom * behind, bottomLeft: quad.bottomLeft - bottom * before)
    }

    func line() throws -> [UInt8] { Array(try JSONEncoder().encode(self)) + [0x0A] }
}

/// The purpose of such a process, on its command line.
public enum MediaWork: String, Sendable {
    /// Pictures, one after the other.
    case pictures
    /// One clip.
    case clip

    /// The option that makes `framegrep-serve` such a process.
    public static let option = "--decode-for-the-page"
}

/// The header before the bytes of a picture that a process has made.
struct PictureHead: Equatable {
    /// Else the bytes are a sentence with the reason.
    var isPicture: Bool
    var length: Int
    /// Of the recording as displayed, in pixels.
    var width: Int
    var height: Int

    static let size = 13

    init(isPicture: Bool, length: Int, width: Int, height: Int) {
        self.isPicture = isPicture
        self.length = length
        self.width = width
        self.height = height
    }

    init(_ bytes: [UInt8]) {
        func number(_ first: Int) -> Int { bytes[first..<first + 4].reduce(0) { $0 << 8 | Int($1) } }
        self.init(isPicture: bytes[0] == 1, length: number(1), width: number(5), height: number(9))
    }

    var bytes: [UInt8] {
        [isPicture ? 1 : 0]
            + [length, width, height].flatMap { number in
                (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
            }
    }
}
