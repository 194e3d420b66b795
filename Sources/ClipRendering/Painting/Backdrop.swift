import Errors
import OverlayDrawing
import TextSpotting

/// A scene's background, drawn once and painted on each frame.
enum Backdrop {
    case flat(OverlayColor)
    case still(Canvas)
    case texture(Texture, velocity: Point)
    case wall(Canvas, color: OverlayColor, velocity: Point)

    init(_ scene: ClipScene) throws(FramegrepError) {
        switch scene.background {
        case .flat(let color):
            self = .flat(color)
        case .gradient(let first, let last):
            let canvas = try Canvas(width: scene.width, height: scene.height)
            let corner = Point(Double(scene.width), Double(scene.height))
            canvas.fillGradient(scene.bounds, from: Point(0, 0), first, to: corner, last)
            self = .still(canvas)
        case .texture(let look):
            let texture = try Texture.clouds(
                side: look.side, from: look.dark, to: look.bright, roughness: look.roughness, seed: scene.seed)
            guard look.velocity == Point(0, 0) else {
                self = .texture(texture, velocity: look.velocity)
                return
            }
            let canvas = try Canvas(width: scene.width, height: scene.height)
            canvas.fill(texture)
            self = .still(canvas)
        case .wall(let wall):
            let canvas = try Canvas(width: wall.width, height: wall.height, color: wall.color)
            for shape in wall.shapes { canvas.fill(shape.rect, shape.color, cornerRadius: shape.cornerRadius) }
            self = .wall(canvas, color: wall.color, velocity: wall.velocity)
        }
    }

    /// How far it has moved, in pixels.
    func offset(atSecond seconds: Double) -> Point {
        switch self {
        case .flat, .still: Point(0, 0)
        case .texture(_, let velocity), .wall(_, _, let velocity): velocity * seconds
        }
    }

    /// Covers all of `canvas`.
    func paint(on canvas: Canvas, offset: Point) {
        switch self {
        case .flat(let color):
            canvas.fill(color)
        case .still(let picture):
            canvas.draw(picture, in: Rect(x: 0, y: 0, width: Double(picture.width), height: Double(picture.height)))
        case .texture(let texture, _):
            canvas.fill(texture, offset: offset)
        case .wall(let picture, let color, _):
            canvas.fill(color)
            canvas.draw(
                picture,
                in: Rect(x: offset.x, y: offset.y, width: Double(picture.width), height: Double(picture.height)))
        }
    }
}
