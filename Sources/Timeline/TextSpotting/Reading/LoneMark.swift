extension Picture {
    /// The share of a picture that has the color of an even ground.
    private static let even = 0.85
    /// The number of levels by which the pixels of a mark differ from the ground.
    private static let contrast = 64
    /// The longer side of a mark: the least in pixels, and the largest as a share of the picture's shorter side.
    private static let leastSide = 12.0
    private static let largestShare = 0.3
    /// The longer side of a letter that is a stroke in its shorter ones. A text cursor is thinner, an icon thicker.
    private static let stroke = 2.5...9.0
    /// The least share of its bounds that a stroke fills.
    private static let full = 0.75
    /// The largest share of its middle that has another color: in a box, letters have one.
    private static let mostOther = 0.05
    /// The least longer side of a stroke, in pixels.
    private static let leastStroke = 20.0
    /// The share of a stroke that lies in a place that shows nothing else.
    private static let most = 0.9
    /// The height of the line around a stroke, in longer sides of it.
    private static let lineHeight = 1.4
    /// The width of that line in its heights: the least for which a recognizer has no blank columns to read.
    private static let lineWidth = 4.0 / 3

    /// The largest height and width of the place of a sign, and of the gap after it, in heights of the line.
    private static let signHeight = 0.7
    private static let signWidth = 0.9
    private static let signGap = 0.6
    /// The largest distance of its middle from that of the line, in heights of the line.
    private static let offMiddle = 0.15
    /// The largest height of a bar in heights of the line, and its least width in heights of the bar.
    private static let barHeight = 0.25
    private static let barWidth = 1.2
    /// The least cosine of a line's angle at which a bar before it is looked for.
    private static let level = 0.95

    /// The bounds of the only thing that stands on an otherwise even ground; nil if there is none, or more, or it is
    /// larger or smaller than a letter.
    var loneMark: Rect? { markAndInk?.mark }

    /// Returns the ``loneMark`` and the number of its pixels that differ from the ground.
    private var markAndInk: (mark: Rect, ink: Int)? {
        let whole = Quad(bounds)
        guard width > 1, height > 1, evenness(of: whole) ?? 0 >= Self.even,
            let (mark, ink) = ink(on: ground(of: whole))
        else { return nil }
        let side = max(mark.width, mark.height)
        return side >= Self.leastSide && side <= Self.largestShare * Double(min(width, height)) ? (mark, ink) : nil
    }

    /// Returns the places to read, given those that were found. Detectors are trained with lines: they miss strokes that
    /// stand alone, and find some signs apart from the number after them.
    func places(toRead found: [Quad]) -> [Quad] { withSigns(withLoneStroke(found)) }

    /// Returns the places that were found, or a line around a ``loneMark`` that is a mere stroke, such as `I` or `一`.
    private func withLoneStroke(_ found: [Quad]) -> [Quad] {
        guard found.count < 2, let stroke = loneStroke else { return found }
        // A badge or a button with a text in it is no stroke.
        return found.allSatisfy { $0.bounds.intersection(stroke.mark).area >= Self.most * stroke.mark.area }
            ? [stroke.line] : found
    }

    /// Returns the places with each bar that may be a minus as one with the line after it.
    private func withSigns(_ found: [Quad]) -> [Quad] {
        var places = found
        for sign in found where found.count > 1 {
            let lines = places.indices.filter { isSign(sign, of: places[$0]) }
            // A dash between two numbers or words is no sign.
            guard !found.contains(where: { $0 != sign && Self.isDirectlyBefore(sign, $0) }),
                let line = lines.min(by: { places[$0].bounds.minX < places[$1].bounds.minX }),
                let whole = Quad.spanning([sign, places[line]], along: places[line].direction)
            else { continue }
            places[line] = whole
            places.removeAll { $0 == sign }
        }
        return places
    }

    /// Returns whether another place ends directly before a sign, level with its middle.
    private static func isDirectlyBefore(_ sign: Quad, _ other: Quad) -> Bool {
        let (place, before) = (sign.bounds, other.bounds)
        return before.minX < place.minX && place.minX - before.maxX <= before.height
            && before.minY < place.center.y && place.center.y < before.maxY
    }

    /// Returns whether a place shows only a bar, level with the middle of a line and directly before it.
    private func isSign(_ sign: Quad, of line: Quad) -> Bool {
        let (place, height) = (sign.bounds, line.bounds.height)
        guard line.direction.x > Self.level, place.height <= Self.signHeight * height,
            place.width <= Self.signWidth * height,
            place.minX < line.bounds.minX, line.bounds.minX - place.maxX <= Self.signGap * height,
            abs(place.center.y - line.bounds.center.y) <= Self.offMiddle * height,
            let (bar, ink) = cropped(to: place.intersection(bounds)).ink(on: ground(of: sign))
        else { return false }
        // Small letters leave their box emptier than a bar does.
        return Double(ink) >= Self.full * bar.area && bar.height <= Self.barHeight * height
            && bar.width >= Self.barWidth * bar.height
    }

    /// The ``loneMark`` and the line around it; nil if it is no mere stroke.
    private var loneStroke: (mark: Rect, line: Quad)? {
        guard let (mark, ink) = markAndInk else { return nil }
        let (side, other) = (max(mark.width, mark.height), min(mark.width, mark.height))
        // A short word is as long and not as full.
        guard side >= Self.leastStroke, Self.stroke.contains(side / other), Double(ink) >= Self.full * mark.area,
            !holdsText(mark)
        else { return nil }
        let (width, height) = (Self.lineWidth * Self.lineHeight * side, Self.lineHeight * side)
        let line = Rect(
            x: mark.minX + (mark.width - width) / 2, y: mark.minY + (mark.height - height) / 2, width: width,
            height: height)
        return (mark, Quad(line))
    }

    /// Returns whether the middle of a mark has two colors, so that it is a box with a text in it and no stroke. The ends
    /// of a stroke may be of other colors, and its edges are blurred.
    private func holdsText(_ mark: Rect) -> Bool {
        let isUpright = mark.height > mark.width
        let (side, other) = (max(mark.width, mark.height), min(mark.width, mark.height))
        let (along, across) = (side / 4, max(1, other / 4))
        let inset = isUpright ? (x: across, y: along) : (x: along, y: across)
        let middle = Rect(
            x: mark.minX + inset.x, y: mark.minY + inset.y, width: max(1, mark.width - 2 * inset.x),
            height: max(1, mark.height - 2 * inset.y))
        let part = cropped(to: middle)
        let letters = part.ink(on: ground(of: Quad(middle)))?.1 ?? 0
        return Double(letters) > Self.mostOther * Double(part.width * part.height)
    }

    /// Returns the bounds of all pixels that differ from the color of the ground, and their number; nil if there are
    /// none.
    private func ink(on color: [Int]) -> (Rect, Int)? {
        let step = format.bytesPerPixel
        var (left, right, top, bottom, count) = (width, -1, height, -1, 0)
        bytes.withUnsafeBufferPointer { bytes in
            for y in 0..<height {
                let row = y &* width
                for x in 0..<width {
                    let at = (row &+ x) &* step
                    guard color.indices.contains(where: { abs(Int(bytes[at &+ $0]) &- color[$0]) > Self.contrast })
                    else { continue }
                    (left, right) = (min(left, x), max(right, x))
                    (top, bottom) = (min(top, y), y)
                    count += 1
                }
            }
        }
        guard right >= left else { return nil }
        return (
            Rect(
                x: Double(left), y: Double(top), width: Double(right + 1 - left), height: Double(bottom + 1 - top)),
            count
        )
    }
}
