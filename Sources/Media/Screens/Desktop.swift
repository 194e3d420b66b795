import CScreen
import Displays
public import Errors
import Foundation
public import TextSpotting

/// The part of the desktop to watch.
public enum DesktopPart: Sendable, Hashable {
    /// All of it.
    case all
    /// One monitor; the primary one is number 1.
    case monitor(Int)
    /// A window, by X's number of it (`0x2400007`) or a part of its title, wherever it moves.
    case window(String)
}

/// A picture of the desktop, without our own windows.
public struct DesktopPicture: Sendable {
    public var picture: Picture
    /// The tiles that differ from the picture taken before.
    public var changed: TileMask
    /// The place of the picture's top left corner on the desktop.
    public var origin: Point
    /// Whether the picture is the first, or shows another part than the previous one, so that nothing in it is known.
    public var isOther: Bool
}

/// Watches the desktop of an X server, at no cost while nothing is drawn. Owns the connection; used by one thread at a
/// time.
///
/// Windows below our own are in the picture too, because the server keeps each window's contents separately.
public final class Desktop {
    /// Side of the tiles of ``DesktopPicture/changed``, in pixels.
    public static let tileSide = 16

    private let screen: OpaquePointer
    private let part: DesktopPart
    private let format: Picture.Format
    private let cut: @Sendable (_ width: Int, _ height: Int) throws(FramegrepError) -> Rect
    /// The watched window's number; 0 if a window is not watched.
    private var window: UInt = 0
    /// The area of the last picture; nil before the first.
    private var area: fg_rect?
    private var picture = Picture(format: .luma, width: 0, height: 0, bytes: [])

    /// Connects to the X server that the environment names, and starts to watch.
    ///
    /// - Parameters:
    ///   - format: the format of the pictures.
    ///   - isOurs: X's numbers for windows that are left out; they must be created before they are shown.
    ///   - cut: the part of it to look at, in pixels, given its size.
    /// - Throws: `.noDisplay` without an X server, `.sourceUnavailable` if there is no such monitor or window.
    public init(
        _ part: DesktopPart, format: Picture.Format, leavingOut isOurs: [UInt] = [],
        cut: @escaping @Sendable (_ width: Int, _ height: Int) throws(FramegrepError) -> Rect
    ) throws(FramegrepError) {
        try Self.check()
        var message = [CChar](repeating: 0, count: 200)
        guard let screen = fg_screen_open(nil, &message, message.count) else {
            throw FramegrepError(.noDisplay, "The screen cannot be read: \(Self.text(message)).")
        }
        self.screen = screen
        self.part = part
        self.format = format
        self.cut = cut
        for window in isOurs { fg_screen_exclude(screen, window) }
        try find()
    }

    deinit { fg_screen_close(screen) }

    /// Returns the place of a monitor on the desktop, in pixels; the primary one is number 1.
    ///
    /// - Throws: `.noDisplay`, or `.sourceUnavailable` if there is no such monitor.
    public static func place(ofMonitor number: Int) throws(FramegrepError) -> Rect {
        let desktop = try Desktop(.monitor(number), format: .luma) { (width, height) throws(FramegrepError) in
            Rect(x: 0, y: 0, width: Double(width), height: Double(height))
        }
        guard let place = try desktop.place() else { return Rect(x: 0, y: 0, width: 0, height: 0) }
        return Rect(
            x: Double(place.x), y: Double(place.y), width: Double(place.width), height: Double(place.height))
    }

    /// The ways in which a screen can be seen.
    public enum Way: Sendable {
        /// The X server shows it to every program: use this class.
        case server
        /// The desktop's portal shares it if the user agrees: use ``ScreenCast``.
        case portal
    }

    /// Returns the way in which the screen can be seen here.
    ///
    /// - Throws: `.noDisplay` if there is none.
    public static func way() throws(FramegrepError) -> Way {
        switch DisplayAvailability.ofScreen(in: ProcessInfo.processInfo.environment) {
        case .x11:
            DisplayErrors.take()
            return .server
        case .wayland: return .portal
        case .none(let reason):
            throw FramegrepError(
                .noDisplay,
                "There is no screen to read: \(reason.isEmpty ? "no display is named (DISPLAY)" : String(reason.dropLast()))."
            )
        }
    }

    /// - Throws: `.noDisplay` if no X server shows its screen, so that nothing can be drawn over it.
    static func check() throws(FramegrepError) {
        guard try way() == .portal else { return }
        throw FramegrepError(
            .noDisplay, "A Wayland desktop lets no program see or draw over the windows of others by itself.")
    }

    /// The descriptor that can be read from when something may have changed.
    public var descriptor: Int32 { fg_screen_descriptor(screen) }

    /// The size of the desktop, in pixels.
    public var size: (width: Int, height: Int) {
        var (width, height): (Int32, Int32) = (0, 0)
        fg_screen_size(screen, &width, &height)
        return (Int(width), Int(height))
    }

    /// Whether the picture may have changed since it was last taken. Never waits.
    public func hasChanged() -> Bool { fg_screen_pump(screen) != 0 }

    /// Returns whether windows were opened, closed or moved since the last call; some may now be above ours.
    public func windowsMoved() -> Bool { fg_screen_moved(screen) != 0 }

    /// Takes the current picture; returns nil while the watched window is not visible.
    ///
    /// - Throws: `.sourceUnavailable` if the watched window is gone or the server returns no picture.
    public func take() throws(FramegrepError) -> DesktopPicture? {
        guard let whole = try place() else { return nil }
        let inside = try cut(Int(whole.width), Int(whole.height))
        let now = fg_rect(
            x: whole.x + Int32(inside.x), y: whole.y + Int32(inside.y), width: Int32(inside.width),
            height: Int32(inside.height))
        let isOther = area.map { $0.x != now.x || $0.y != now.y || $0.width != now.width || $0.height != now.height }
        if isOther ?? true { begin(now) }
        let grid = TileGrid(width: picture.width, height: picture.height, side: Self.tileSide)
        var tiles = [UInt8](repeating: 0, count: grid.count)
        let count = picture.bytes.withUnsafeMutableBufferPointer { bytes in
            fg_screen_take(
                screen, now, Int32(format.bytesPerPixel), bytes.baseAddress, &tiles, Int32(Self.tileSide))
        }
        guard count >= 0 else {
            throw FramegrepError(.sourceUnavailable, "The X server does not give the picture of its screen.")
        }
        return DesktopPicture(
            picture: picture, changed: TileMask(grid: grid, flags: tiles.map { $0 != 0 }),
            origin: Point(Double(now.x), Double(now.y)), isOther: isOther ?? true)
    }

    private func begin(_ now: fg_rect) {
        area = now
        let (width, height) = (Int(now.width), Int(now.height))
        picture = Picture(
            format: format, width: width, height: height,
            bytes: [UInt8](repeating: 0, count: width * height * format.bytesPerPixel))
        fg_screen_forget(screen)
    }

    // MARK: The part

    private func find() throws(FramegrepError) {
        switch part {
        case .all: break
        case .monitor(let number):
            let count = monitors.count
            guard (1...max(1, count)).contains(number) else {
                throw FramegrepError(
                    .sourceUnavailable,
                    "There is no monitor \(number); there \(count < 2 ? "is 1" : "are \(count)"), and the primary one is number 1."
                )
            }
        case .window(let name):
            let number = Self.number(name)
            window = fg_screen_window(screen, number ?? 0, name)
            guard window != 0 else {
                throw FramegrepError(
                    .sourceUnavailable,
                    number == nil
                        ? "No window has '\(name)' in its title."
                        : "There is no window \(name); run 'xwininfo' and click a window to see its number.")
            }
        }
    }

    private func place() throws(FramegrepError) -> fg_rect? {
        switch part {
        case .all: return fg_rect(x: 0, y: 0, width: Int32(size.width), height: Int32(size.height))
        case .monitor(let number):
            let monitors = monitors
            return monitors.count >= number
                ? monitors[number - 1] : fg_rect(x: 0, y: 0, width: Int32(size.width), height: Int32(size.height))
        case .window:
            guard fg_screen_window(screen, window, nil) != 0 else {
                throw FramegrepError(.sourceUnavailable, "The window is gone.")
            }
            var place = fg_rect()
            return fg_screen_place(screen, window, &place) != 0 ? place : nil
        }
    }

    private var monitors: [fg_rect] {
        var places = [fg_rect](repeating: fg_rect(), count: 32)
        return Array(places.prefix(Int(max(0, min(32, fg_screen_monitors(screen, &places, 32))))))
    }

    /// Returns the window number that a name represents, as `xwininfo` writes it or in decimal digits; nil for other
    /// names.
    private static func number(_ name: String) -> UInt? {
        name.lowercased().hasPrefix("0x") ? UInt(name.dropFirst(2), radix: 16) : UInt(name)
    }

    static func text(_ message: [CChar]) -> String {
        String(decoding: message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
