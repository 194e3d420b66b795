import Foundation

/// A place in the picture, and the texts that stood there one after the other.
public struct ValueRegion: Sendable {
    /// In pixels of the picture as displayed.
    public private(set) var bounds: Rect
    /// Lines, each as long as it stood there; `peak` says where.
    public private(set) var texts: [Sighting]
    /// A word before the value in the same line, as it was read.
    private var labels: [String] = []

    /// All texts as one place: those in a part of the picture that a user chose.
    public init(all texts: [Sighting]) {
        self.texts = texts
        bounds = texts.dropFirst().reduce(texts.first?.peak.quad.bounds ?? Rect(x: 0, y: 0, width: 0, height: 0)) {
            $0.union($1.peak.quad.bounds)
        }
    }

    /// The places of all texts, the one that showed text the longest first.
    public static func all(of texts: [Sighting]) -> [ValueRegion] {
        // First what is the same box, so that a line that was once read together with its neighbours says nothing of where the places are.
        var boxes: [ValueRegion] = []
        for text in texts {
            let quad = text.peak.quad.bounds
            if let index = boxes.firstIndex(where: { $0.bounds.overlap(quad) > 0.5 }) {
                boxes[index].texts.append(text)
                boxes[index].bounds = boxes[index].bounds.union(quad)
            } else {
                boxes.append(ValueRegion(all: [text]))
            }
        }
        var places: [ValueRegion] = []
        for box in boxes.sorted(by: { $0.seconds > $1.seconds }) {
            let shared = places.indices.filter { places[$0].holds(box.bounds) }
            // A long line may hold several places: each takes its own words of it.
            for index in shared { places[index].texts += box.texts }
            if shared.isEmpty { places.append(box) }
        }
        return places
    }

    /// How long something stood there, in seconds.
    private var seconds: Double { texts.reduce(0) { $0 + $1.end.seconds - $1.start.seconds } }

    private func holds(_ other: Rect) -> Bool {
        bounds.intersection(other).area >= 0.6 * min(bounds.area, other.area)
            && max(bounds.height, other.height) < 2.5 * min(bounds.height, other.height)
    }

    // MARK: Near a word

    /// The place after a word, in its line or as the next piece on its row, else below it; nil if there is none.
    ///
    /// - Parameters:
    ///   - labels: sightings of the word.
    ///   - texts: all text.
    ///   - isValue: which texts may be values.
    public static func near(
        _ labels: [Sighting], in texts: [Sighting], where isValue: (String) -> Bool
    ) -> ValueRegion? {
        guard let label = labels.max(by: { $0.end - $0.start < $1.end - $1.start })?.peak.quad.bounds else {
            return nil
        }
        let words = Array(Set(labels.map(\.text)))
        let places = all(of: texts)
        for relation in [isSameLine, isNext, isBelow] {
            let candidates = places.filter { relation(label, $0.bounds) }.map { place in
                var place = place
                // The word may stand in the line or not: a value that is read apart at times is the same value.
                place.labels = words
                return place
            }.filter { place in place.texts.contains { isValue(place.text(of: $0)) } }
            let nearest = candidates.min { distance(label, $0.bounds) < distance(label, $1.bounds) }
            if let nearest { return nearest.withUnit(from: places) }
        }
        return nil
    }

    private static func isSameLine(_ label: Rect, _ place: Rect) -> Bool {
        place.intersection(label).area > 0.7 * label.area
    }

    /// To the right, on the same row: the middle of the one lies beside the other.
    private static func isNext(_ label: Rect, _ place: Rect) -> Bool {
        let isBeside =
            (label.minY..<label.maxY).contains(place.center.y) || (place.minY..<place.maxY).contains(label.center.y)
        return isBeside && place.minX > label.center.x && place.minX - label.maxX < 12 * label.height
    }

    private static func isBelow(_ label: Rect, _ place: Rect) -> Bool {
        let tall = max(label.height, place.height)
        return place.minX < label.maxX + label.height && place.maxX > label.minX - label.height
            && place.minY > label.center.y && place.minY - label.maxY < 2 * tall
    }

    private static func distance(_ label: Rect, _ place: Rect) -> Double {
        max(0, place.minX - label.maxX) + max(0, place.minY - label.maxY)
            + (place.minY > label.center.y ? abs(place.center.x - label.center.x) * 0.1 : 0)
    }

    /// With a unit that was read as a piece of its own, directly behind it.
    private func withUnit(from places: [ValueRegion]) -> ValueRegion {
        let unit = places.first { other in
            let gap = other.bounds.minX - bounds.maxX
            return gap > -0.3 * bounds.height && gap < 0.8 * bounds.height
                && (bounds.minY..<bounds.maxY).contains(other.bounds.center.y)
                && other.texts.allSatisfy { $0.line.count <= 6 && !$0.line.contains(where: \.isNumber) }
        }
        guard let unit else { return self }
        var result = self
        result.texts += unit.texts
        result.bounds = bounds.union(unit.bounds)
        return result
    }

    // MARK: What is read

    /// The part of a line at the place: a line that extends beyond it may hold other values, and the word before this one.
    func text(of sighting: Sighting) -> String {
        var line = sighting.line
        for label in labels {
            guard let range = line.range(of: label, options: [.caseInsensitive, .diacriticInsensitive]) else {
                continue
            }
            line = String(line[range.upperBound...].drop { $0.isWhitespace || ":=|.".contains($0) })
            return line
        }
        let quad = sighting.peak.quad.bounds
        guard quad.width > 1.4 * bounds.width else { return line }
        let length = Double(max(1, line.count))
        let words = line.split(separator: " ").filter { word in
            let start = Double(line.distance(from: line.startIndex, to: word.startIndex))
            let middle = quad.minX + quad.width * (start + Double(word.count) / 2) / length
            return middle > bounds.minX - 0.3 * bounds.height && middle < bounds.maxX + 0.3 * bounds.height
        }
        return words.joined(separator: " ")
    }

    /// How often its text changed.
    public var changes: Int {
        let rows = ValueTable(of: self, kind: nil, minimumScore: 0).rows
        return max(0, rows.count - 1)
    }

    /// Whether most of its texts have a digit.
    public var hasValues: Bool {
        let valued = texts.filter { $0.line.contains(where: \.isNumber) }.reduce(0) {
            $0 + $1.end.seconds - $1.start.seconds
        }
        return valued > 0.5 * seconds
    }

    // MARK: Choosing

    /// Which of the places a user means who names none.
    public enum Choice: Sendable {
        /// No text was read.
        case nothing
        /// The one that changes most, and others that change too.
        case one(ValueRegion, others: [ValueRegion])
        /// None changes more than all others.
        case several([ValueRegion])
    }

    /// The place whose value changes most; where no values change, that whose text does.
    public static func choose(from texts: [Sighting]) -> Choice {
        let places = all(of: texts)
        guard !places.isEmpty else { return .nothing }
        let valued = places.filter(\.hasValues)
        let candidates = (valued.isEmpty ? places : valued).map { (place: $0, changes: $0.changes) }
            .sorted { $0.changes > $1.changes }
        let best = candidates[0]
        let rivals = candidates.dropFirst().filter { $0.changes == best.changes }
        guard rivals.isEmpty else { return .several([best.place] + rivals.map(\.place)) }
        return .one(best.place, others: candidates.dropFirst().filter { $0.changes > 0 }.map(\.place))
    }
}
