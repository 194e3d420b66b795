import Errors
public import TextSpotting

/// The part of the picture to be searched: `x,y,w,h`, each in pixels or, with `%`, in hundredths of the picture.
public struct RegionOfInterest: Sendable, Hashable {
    enum Length: Sendable, Hashable {
        case pixels(Double)
        case percent(Double)

        func resolved(in whole: Int) -> Double {
            switch self {
            case .pixels(let value): value
            case .percent(let value): value / 100 * Double(whole)
            }
        }
    }

    let x: Length
    let y: Length
    let width: Length
    let height: Length

    /// - Throws: `FramegrepError` (`badArgument`) with the form that is expected.
    public init(parsing text: String) throws {
        let lengths = text.split(separator: ",", omittingEmptySubsequences: false).map { part -> Length? in
            let trimmed = part.filter { !$0.isWhitespace }
            if trimmed.last == "%" { return Double(trimmed.dropLast()).map(Length.percent) }
            return Double(trimmed).map(Length.pixels)
        }
        let values = lengths.compactMap { $0 }
        guard lengths.count == 4, values.count == 4 else {
            throw FramegrepError(
                .badArgument,
                "The region '\(text)' is not of the form x,y,w,h in pixels or percent, such as 0,50%,100%,50%.")
        }
        (x, y, width, height) = (values[0], values[1], values[2], values[3])
        guard width.resolved(in: 100) > 0, height.resolved(in: 100) > 0, width.resolved(in: 100).isFinite,
            height.resolved(in: 100).isFinite, x.resolved(in: 100).isFinite, y.resolved(in: 100).isFinite
        else {
            throw FramegrepError(.badArgument, "The region '\(text)' is empty: its width and height must be above 0.")
        }
    }

    /// The region in whole pixels of a picture, cut to the picture.
    ///
    /// - Throws: `FramegrepError` (`badArgument`) when nothing of it is inside.
    public func rect(width pictureWidth: Int, height pictureHeight: Int) throws -> Rect {
        let left = max(0, x.resolved(in: pictureWidth).rounded())
        let top = max(0, y.resolved(in: pictureHeight).rounded())
        let right = min(
            Double(pictureWidth), (x.resolved(in: pictureWidth) + width.resolved(in: pictureWidth)).rounded())
        let bottom = min(
            Double(pictureHeight), (y.resolved(in: pictureHeight) + height.resolved(in: pictureHeight)).rounded())
        guard right - left >= 1, bottom - top >= 1 else {
            throw FramegrepError(
                .badArgument, "The region lies outside the picture, which is \(pictureWidth)×\(pictureHeight) pixels.")
        }
        return Rect(x: left, y: top, width: right - left, height: bottom - top)
    }
}
