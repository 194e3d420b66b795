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

    /// Keeps later labels away from these where there is a choice.
    mutating func avoid(_ rects: [Rect]) {
        obstacles += rects
    }

    /// The slot (a row of the area) for `label`, whose text is about `textWidth` wide: above `frame`, else below it,
    /// else along its inner edges, whichever covers least. Nil where the picture is too small for any label.
    mutating func place(_ label: OverlayLabel, textWidth: Double, frame: Rect, gap: Double) -> Rect? {
        guard area.height >= height, area.width >= height * 2 else { return nil }
        let rows = [frame.minY - gap - height, frame.maxY + gap, frame.minY + gap, frame.maxY - gap - height]
        var best: (slot: Rect, tab: Rect, cost: Double)?
        for (rank, row) in rows.enumerated() {
            let y = max(area.minY, min(area.maxY - height, row))
            let slot = Rect(x: area.minX, y: y, width: area.width, height: height)
            var candidate = label
            candidate.slot = slot
            let tab = candidate.tab(textWidth: textWidth)
            let covered = obstacles.reduce(0) { $0 + $1.intersection(tab).area }
            // A tenth of the tab's area for each step down the list: room nearby is worth more than perfect freedom.
            let cost = covered + tab.area * 0.1 * Double(rank)
            if cost < best?.cost ?? .infinity { best = (slot, tab, cost) }
        }
        guard let best else { return nil }
        obstacles.append(best.tab)
        return best.slot
    }
}
