import CScreen
public import Errors
public import TextSpotting

/// A thin frame around a place of the desktop.
public struct DesktopFrame: Sendable, Hashable {
    /// The place, in pixels of the desktop; the frame is drawn outside it.
    public var place: Rect
    public var color: OverlayColor
    public var thickness: Int

    public init(place: Rect, color: OverlayColor, thickness: Int) {
        self.place = place
        self.color = color
        self.thickness = thickness
    }

    /// The space between the place and its frame, in pixels.
    static let gap = 2

    /// The four bars of the frame.
    var bars: [fg_rect] {
        let inner = place.grown(by: Double(Self.gap))
        let (left, top) = (Int(inner.minX.rounded(.down)), Int(inner.minY.rounded(.down)))
        let (right, bottom) = (Int(inner.maxX.rounded(.up)), Int(inner.maxY.rounded(.up)))
        func bar(_ x: Int, _ y: Int, width: Int, height: Int) -> fg_rect {
            fg_rect(
                x: Int32(clamping: x), y: Int32(clamping: y), width: Int32(clamping: width),
                height: Int32(clamping: height))
        }
        let (width, height) = (right - left + 2 * thickness, bottom - top)
        return [
            bar(left - thickness, top - thickness, width: width, height: thickness),
            bar(left - thickness, bottom, width: width, height: thickness),
            bar(left - thickness, top, width: thickness, height: height),
            bar(right, top, width: thickness, height: height),
        ]
    }
}

/// Windows over the desktop: frames that let clicks through, and a bar that accepts keys. Used by one thread at a time.
public final class DesktopOverlay {
    private let overlay: OpaquePointer
    private var shown: [DesktopFrame] = []

    /// Connects to the X server that the environment names; nothing is shown yet.
    ///
    /// - Throws: `.noDisplay` if the server does not support it.
    public init() throws(FramegrepError) {
        try Desktop.check()
        var message = [CChar](repeating: 0, count: 200)
        guard let overlay = fg_overlay_open(nil, &message, message.count) else {
            throw FramegrepError(.noDisplay, "Nothing can be drawn over the screen: \(Desktop.text(message)).")
        }
        self.overlay = overlay
    }

    deinit { fg_overlay_close(overlay) }

    /// X's numbers of all its windows.
    public var windows: [UInt] {
        [bar] + (0..<Int32(fg_overlay_layers)).map { fg_overlay_layer(overlay, $0) }
    }

    /// X's number of the bar.
    public var bar: UInt { fg_overlay_bar(overlay) }

    /// The descriptor that can be read from when something may have happened.
    public var descriptor: Int32 { fg_overlay_descriptor(overlay) }

    /// Shows these frames and no others. At most eight colors are supported; frames in further colors are left out.
    public func show(_ frames: [DesktopFrame]) {
        guard frames != shown else { return }
        shown = frames
        var colors: [OverlayColor] = []
        for frame in frames where !colors.contains(frame.color) { colors.append(frame.color) }
        for layer in 0..<fg_overlay_layers {
            let color = layer < colors.count ? colors[layer] : .black
            let bars = layer < colors.count ? frames.filter { $0.color == color }.flatMap(\.bars) : []
            fg_overlay_show(overlay, Int32(layer), Self.number(color), bars, Int32(bars.count))
        }
    }

    /// Shows the bar at a place of the desktop.
    ///
    /// - Precondition: `bgra` has four bytes for each pixel of the place; the fourth is ignored.
    public func showBar(x: Int, y: Int, width: Int, height: Int, bgra: [UInt8]) {
        precondition(bgra.count == width * height * 4, "a bar's bytes must fill it")
        let place = fg_rect(x: Int32(x), y: Int32(y), width: Int32(width), height: Int32(height))
        fg_overlay_show_bar(overlay, place, bgra)
    }

    /// Puts all of it above other windows again.
    public func raise() { fg_overlay_raise(overlay) }

    /// Gives the bar the keyboard focus.
    public func focus() { fg_overlay_focus(overlay) }

    /// Moves the pointer to a place on the desktop.
    public func point(at place: Point) { fg_overlay_point(overlay, Int32(place.x), Int32(place.y)) }

    /// Returns the events since the last call; never waits.
    public func news() -> (wasClicked: Bool, hasKeys: Bool) {
        var hasKeys: Int32 = 0
        let clicked = fg_overlay_pump(overlay, &hasKeys)
        return (clicked != 0, hasKeys != 0)
    }

    private static func number(_ color: OverlayColor) -> UInt32 {
        func byte(_ value: Double) -> UInt32 { UInt32(max(0, min(255, (value * 255).rounded()))) }
        return byte(color.red) << 16 | byte(color.green) << 8 | byte(color.blue)
    }
}
