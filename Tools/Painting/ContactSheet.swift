public import Errors
public import OverlayDrawing
import TextSpotting

/// Many small pictures on one: a grid of thumbnails, each with a line of text under it.
public struct ContactSheet: Sendable {
    /// The space for each thumbnail, in pixels; pictures keep their shape inside it.
    public var cellWidth: Int
    public var cellHeight: Int
    public var columns: Int

    /// - Precondition: All three are positive.
    public init(cellWidth: Int = 320, cellHeight: Int = 180, columns: Int = 4) {
        precondition(cellWidth > 0 && cellHeight > 0 && columns > 0, "a contact sheet has cells")
        self.cellWidth = cellWidth
        self.cellHeight = cellHeight
        self.columns = columns
    }

    /// The sheet, rows from the top, as many columns as there are pictures, up to `columns`.
    ///
    /// Captions are made safe to draw and cut off at the cell's width.
    /// - Throws: `FramegrepError` (`outputFailed`) when there are no pictures or the sheet would be too large to draw.
    public func compose(_ pictures: [(picture: Canvas, caption: String)]) throws(FramegrepError) -> Canvas {
        guard !pictures.isEmpty else {
            throw FramegrepError(.outputFailed, "There are no pictures to put on a contact sheet.")
        }
        let gap = max(4, cellWidth / 24)
        let captionHeight = max(14, cellHeight / 8)
        let across = min(columns, pictures.count)
        let down = (pictures.count + across - 1) / across
        let sheet = try Canvas(
            width: gap + across * (cellWidth + gap), height: gap + down * (cellHeight + captionHeight + gap),
            color: OverlayColor(hex: 0x15191D))
        let captions = LabelPainter(limit: 1)
        for (index, entry) in pictures.enumerated() {
            let x = gap + index % across * (cellWidth + gap)
            let y = gap + index / across * (cellHeight + captionHeight + gap)
            let scale = min(
                Double(cellWidth) / Double(entry.picture.width), Double(cellHeight) / Double(entry.picture.height))
            let size = Point(Double(entry.picture.width) * scale, Double(entry.picture.height) * scale)
            let left = Double(x) + (Double(cellWidth) - size.x) / 2
            let top = Double(y) + (Double(cellHeight) - size.y) / 2
            sheet.draw(entry.picture, in: Rect(x: left, y: top, width: size.x, height: size.y))
            let row = Rect(
                x: Double(x), y: Double(y + cellHeight), width: Double(cellWidth), height: Double(captionHeight))
            if let patch = try captions.patch(
                for: Self.caption(entry.caption, in: row), width: sheet.width, height: sheet.height)
            {
                try sheet.draw([patch])
            }
        }
        return sheet
    }

    private static func caption(_ text: String, in row: Rect) -> OverlayLabel {
        OverlayLabel(
            runs: [.init(OverlayText.singleLine(text, limit: 120), color: OverlayColor(hex: 0xDDE4E8))], slot: row,
            preferredX: row.x, fontSize: row.height * 0.58, background: OverlayColor(hex: 0, alpha: 0), cornerRadius: 0,
            opacity: 1)
    }
}
