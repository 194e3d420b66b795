import TextMatching

extension TextLine {
    /// The marks as which the right edge of a frame is read.
    private static let edges: Set<Character> = ["]", "|"]
    /// Where the edges of a frame are looked for: the distance outside the line and inside of its place, in heights.
    private static let reach = (outside: 0.8, inside: 0.12)

    /// Returns the line without a mark at its end that is the edge of the frame around it.
    public func withoutFrame(in picture: Picture) -> TextLine {
        guard let word = words.last, let mark = word.characters.last, Self.edges.contains(mark.character),
            words.count > 1 || word.characters.count > 1, quad.direction.x > 0.99, !text.contains("["),
            isFramed(in: picture)
        else { return self }
        let count = words.reduce(0) { $0 + $1.characters.count } - 1
        var line = self
        line.evidence = evidence.compactMap { $0.part(ofCharacters: 0..<count) }
        if word.characters.count == 1 {
            line.words.removeLast()
        } else {
            line.words[words.count - 1].characters.removeLast()
        }
        return line
    }

    /// Returns whether a bar runs along the line above it, and another below it.
    private func isFramed(in picture: Picture) -> Bool {
        let (place, height) = (quad.bounds, quad.bounds.height)
        let rows = (Self.reach.outside + Self.reach.inside) * height
        func strip(at y: Double) -> Rect { Rect(x: place.minX, y: y, width: place.width, height: rows) }
        return picture.hasBar(in: strip(at: place.minY - Self.reach.outside * height))
            && picture.hasBar(in: strip(at: place.maxY - Self.reach.inside * height))
    }
}

extension Picture {
    /// The number of levels by which a bar differs from the ground, and the share of the columns that it fills.
    private static let bar = (contrast: 24, share: 0.9)

    /// Returns whether some row of a place differs from the ground in almost all columns.
    fileprivate func hasBar(in place: Rect) -> Bool {
        let place = place.intersection(bounds)
        let (width, height) = (Int(place.width), Int(place.height))
        guard width > 8, height > 2 else { return false }
        let levels = brightness(left: Int(place.minX), top: Int(place.minY), width: width, height: height)
        let ground = Int(levels.sorted()[levels.count / 2])
        let least = Int(Self.bar.share * Double(width))
        return (0..<height).contains { row in
            let (darker, brighter) = levels[row * width..<(row + 1) * width].reduce(into: (0, 0)) { counts, level in
                if Int(level) - ground <= -Self.bar.contrast { counts.0 += 1 }
                if Int(level) - ground >= Self.bar.contrast { counts.1 += 1 }
            }
            return max(darker, brighter) >= least
        }
    }
}
