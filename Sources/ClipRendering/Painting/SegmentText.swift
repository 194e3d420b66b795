import TextSpotting

/// The bars of a text on a seven-segment display, around the left end of its baseline.
struct SegmentText: Hashable {
    private(set) var bars: [Rect] = []
    /// The bounds of all lit bars; nil if none is lit.
    private(set) var ink: Rect?

    init(_ text: String, size: Double) {
        let (width, thick, gap) = (0.55 * size, 0.12 * size, 0.17 * size)
        var x = 0.0
        for character in text {
            switch character {
            case ".":
                bars.append(Rect(x: x - gap + 0.02 * size, y: -thick, width: thick, height: thick))
            case ":", " ":
                if character == ":" {
                    for y in [-0.68, -0.32] {
                        bars.append(Rect(x: x, y: y * size - thick / 2, width: thick, height: thick))
                    }
                }
                x += thick + gap
            default:
                for segment in Self.segments[character] ?? "" {
                    bars.append(Self.bar(segment, size: size, width: width, thick: thick).moved(by: Point(x, 0)))
                }
                x += width + gap
            }
        }
        ink = bars.first.map { bars.dropFirst().reduce($0) { $0.union($1) } }
    }

    private static let segments: [Character: String] = [
        "0": "abcdef", "1": "bc", "2": "abged", "3": "abgcd", "4": "fgbc", "5": "afgcd", "6": "afgedc", "7": "abc",
        "8": "abcdefg",
        "9": "abcdfg", "-": "g",
    ]

    /// Named as everywhere: a is on top, then clockwise, g in the middle.
    private static func bar(_ name: Character, size: Double, width: Double, thick: Double) -> Rect {
        let space = 0.15 * thick
        let long = (size - thick) / 2 - thick / 2 - 2 * space
        let (upper, lower) = (-size + thick + space, -size / 2 + thick / 2 + space)
        return switch name {
        case "a": Rect(x: thick / 2, y: -size, width: width - thick, height: thick)
        case "g": Rect(x: thick / 2, y: -size / 2 - thick / 2, width: width - thick, height: thick)
        case "d": Rect(x: thick / 2, y: -thick, width: width - thick, height: thick)
        case "f": Rect(x: 0, y: upper, width: thick, height: long)
        case "b": Rect(x: width - thick, y: upper, width: thick, height: long)
        case "e": Rect(x: 0, y: lower, width: thick, height: long)
        default: Rect(x: width - thick, y: lower, width: thick, height: long)
        }
    }
}
