import TextSpotting

extension ClipCatalog {
    /// A workshop's wall of labeled drawers that the camera passes, with an emergency exit beside it.
    public static let demo = ClipScene(
        "demo", summary: "a workshop's wall of labeled drawers and an EXIT sign", width: 1280, height: 720,
        frameRate: 30,
        seconds: 8,
        background: .wall(
            ClipWall(
                width: 2020, height: 720, color: OverlayColor(hex: 0x2A3238), shapes: DrawerWall.shapes,
                velocity: DrawerWall.velocity)),
        texts: DrawerWall.labels + DrawerWall.signs, absent: ["EXHAUST", "INDUCTORS", "FUSES 8A", "M4 SCREWS"],
        noise: 0.05, seed: 7)
}

/// The demo's wall: a cabinet of drawers with paper labels.
enum DrawerWall {
    static let velocity = Point(-88, 0)

    private static let words = [
        ["RESISTORS 10K", "CAPACITORS", "LED RED", "LED GREEN", "DIODES"],
        ["M3 SCREWS", "M3 NUTS", "WASHERS", "STANDOFFS", "SPRINGS"],
        ["FUSES 5A", "FUSES 10A", "RELAYS", "SWITCHES", "BUTTONS"],
        ["RESISTORS 1K", "CRYSTALS", "TRANSISTORS", "SENSORS", "MOTORS"],
        ["HEAT SHRINK", "CABLE TIES", "SOLDER", "FLUX", "TWEEZERS"],
    ]
    private static let cell = Point(256, 128)
    private static let origin = Point(44, 50)

    private static var drawers: [(rect: Rect, label: String)] {
        words.enumerated().flatMap { row, labels in
            labels.enumerated().map { column, label in
                let corner = origin + Point(Double(column) * cell.x, Double(row) * cell.y)
                return (Rect(x: corner.x, y: corner.y, width: cell.x - 12, height: cell.y - 12), label)
            }
        }
    }

    private static let fronts = [0x4F7F94, 0x58889B, 0x4A778B, 0x5C8A92].map { OverlayColor(hex: $0) }
    private static let paper = OverlayColor(hex: 0xF5F0E1)

    static var labels: [ClipText] {
        drawers.map { drawer in
            ClipText(
                drawer.label, size: 22, color: OverlayColor(hex: 0x24211C),
                motion: ClipMotion(Point(drawer.rect.center.x, drawer.rect.y + 40), velocity: velocity),
                plate: ClipPlate(paper, padding: Point(14, 12), cornerRadius: 3))
        }
    }

    static let signs = [
        ClipText(
            "EXIT", size: 66, color: .white, motion: ClipMotion(Point(1590, 190), velocity: velocity),
            plate: ClipPlate(OverlayColor(hex: 0x0E9F62), padding: Point(44, 34), cornerRadius: 12)),
        ClipText(
            "FIRST AID", size: 26, color: .white, motion: ClipMotion(Point(1878, 330), velocity: velocity),
            plate: ClipPlate(OverlayColor(hex: 0xC0392B), padding: Point(22, 18), cornerRadius: 6)),
    ]

    static var shapes: [ClipWall.Shape] {
        let dark = OverlayColor(hex: 0x000000, alpha: 0.35)
        let light = OverlayColor(hex: 0xFFFFFF, alpha: 0.12)
        let cabinet = Rect(x: origin.x - 18, y: origin.y - 20, width: 5 * cell.x + 24, height: 5 * cell.y + 28)
        var shapes: [ClipWall.Shape] = [
            // A strip of light on the wall, and the floor.
            .init(Rect(x: 0, y: 0, width: 2020, height: 10), light),
            .init(Rect(x: 0, y: 704, width: 2020, height: 16), OverlayColor(hex: 0x1A1F23)),
            .init(
                Rect(x: cabinet.x + 10, y: cabinet.y + 14, width: cabinet.width, height: cabinet.height), dark,
                cornerRadius: 16),
            .init(cabinet, OverlayColor(hex: 0x1D2429), cornerRadius: 14),
        ]
        for (index, drawer) in drawers.enumerated() {
            let rect = drawer.rect
            let front = fronts[(index % 5 * 3 + index / 5 * 5 + index % 5 * (index / 5)) % fronts.count]
            shapes += [
                .init(
                    Rect(x: rect.x + 2, y: rect.y + 5, width: rect.width, height: rect.height), dark, cornerRadius: 10),
                .init(rect, front, cornerRadius: 9),
                .init(Rect(x: rect.x + 4, y: rect.y + 3, width: rect.width - 8, height: 4), light, cornerRadius: 2),
                // The handle, its shadow and the light on it.
                .init(Rect(x: rect.center.x - 34, y: rect.maxY - 29, width: 68, height: 15), dark, cornerRadius: 7),
                .init(
                    Rect(x: rect.center.x - 34, y: rect.maxY - 33, width: 68, height: 14),
                    OverlayColor(hex: 0xC9D3D6), cornerRadius: 7),
                .init(Rect(x: rect.center.x - 28, y: rect.maxY - 31, width: 56, height: 3), light, cornerRadius: 1),
            ]
        }
        // The door under the EXIT sign.
        shapes += [
            .init(Rect(x: 1440, y: 300, width: 300, height: 404), dark, cornerRadius: 6),
            .init(Rect(x: 1450, y: 310, width: 280, height: 394), OverlayColor(hex: 0x8D4B3C), cornerRadius: 4),
            .init(Rect(x: 1478, y: 340, width: 224, height: 150), OverlayColor(hex: 0x7C4033), cornerRadius: 6),
            .init(Rect(x: 1478, y: 520, width: 224, height: 150), OverlayColor(hex: 0x7C4033), cornerRadius: 6),
            .init(Rect(x: 1690, y: 498, width: 26, height: 14), OverlayColor(hex: 0xD9C27A), cornerRadius: 7),
            // The first-aid box.
            .init(Rect(x: 1784, y: 270, width: 196, height: 250), dark, cornerRadius: 12),
            .init(Rect(x: 1780, y: 264, width: 196, height: 250), OverlayColor(hex: 0xE8ECEA), cornerRadius: 10),
            .init(Rect(x: 1863, y: 390, width: 30, height: 92), OverlayColor(hex: 0xC0392B), cornerRadius: 3),
            .init(Rect(x: 1832, y: 421, width: 92, height: 30), OverlayColor(hex: 0xC0392B), cornerRadius: 3),
        ]
        return shapes
    }
}
