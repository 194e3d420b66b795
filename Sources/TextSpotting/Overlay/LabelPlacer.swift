/// Finds room for labels, one after the other.
struct LabelPlacer {
    /// Labels stay inside this part of the picture.
    let area: Rect
    /// The height of every label.
    let height: Double
    private var obstacles: [Rect] = []

    init(area: Rect, height: Double) {
        self.area = area
        self.height = height
    }

    /// Keeps later labels away from these.
    mutating func avoid(_ rects: [Rect]) {
        obstacles += rects
    }

    /// The slot for `label`, whose text is about `textWidth` wide: above `frame`, below it, or beside it, where it covers nothing.
    /// Nil if there is no such room.
    mutating func place(_ label: OverlayLabel, textWidth: Double, frame: Rect, gap: Double) -> OverlayLabel? {
        guard area.height >= height, area.width >= height * 2 else { return nil }
        let middle = frame.center.y - height / 2
        let width = textWidth + 2 * label.padding
        let places = [
            (frame.minX, frame.minY - gap - height), (frame.minX, frame.maxY + gap), (frame.maxX + gap, middle),
            (frame.minX - gap - width, middle),
        ]
        for (x, y) in places where y >= area.minY && y + height <= area.maxY {
            var candidate = label
            candidate.slot = Rect(x: area.minX, y: y, width: area.width, height: height)
            candidate.preferredX = x
            let tab = candidate.tab(textWidth: textWidth)
            guard tab.width >= width - 1, frame.intersection(tab).area == 0,
                obstacles.allSatisfy({ $0.intersection(tab).area == 0 })
            else { continue }
            obstacles.append(tab)
            return candidate
        }
        return nil
    }
}
