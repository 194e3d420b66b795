import CVideo4Linux
public import Errors
import Glibc

/// A setting of a camera, as its driver describes it.
public struct CameraControl: Sendable, Hashable {
    /// The type of its value.
    public enum Kind: String, Sendable {
        case integer, boolean, menu, button, bitmask
    }

    /// V4L2's number for it (`V4L2_CID_...`).
    public var id: UInt32
    /// The driver's name in the form that `--control` and `v4l2-ctl` use: `white_balance_automatic`.
    public var name: String
    public var kind: Kind
    public var minimum: Int
    public var maximum: Int
    public var step = 1
    public var standard: Int
    /// Nil for a button, and if the driver does not say.
    public var value: Int?
    /// A menu's entries by their numbers.
    public var entries: [Int: String] = [:]
    /// Whether it cannot be set now, because it is read-only or another control overrides it.
    public var isLocked = false
    /// Whether its values are 64 bits wide.
    var isWide = false

    /// The form in which names are compared: `White Balance, Automatic` is `white_balance_automatic`.
    public static func key(of name: String) -> String {
        name.lowercased().split { !$0.isLetter && !$0.isNumber }.joined(separator: "_")
    }

    /// Returns the nearest number that it accepts; the smallest one for NaN.
    public func nearest(to value: Double) -> Int {
        guard value > Double(minimum) else { return minimum }
        // Larger values may not fit an integer.
        guard value < Double(maximum) else { return maximum }
        return Int(value.rounded())
    }

    /// The difference between the greatest and the least number; 0 if the driver has swapped them.
    public var reach: Double { max(0, Double(maximum) - Double(minimum)) }

    /// The numbers that a menu's entries may have: some may be missing, and menus with more than 256 are ignored.
    static func menuNumbers(from low: Int64, to high: Int64) -> ClosedRange<UInt32>? {
        guard let first = UInt32(exactly: max(0, low)), high >= Int64(first) else { return nil }
        return first...UInt32(clamping: min(high, Int64(first) + 255))
    }

    /// Its valid values as text for users: `0 to 255`, `on or off`, `1 (Manual Mode), 3 (Aperture Priority Mode)`.
    public var range: String {
        switch kind {
        case .boolean: "on or off"
        case .button: "a button"
        case .integer, .bitmask: "\(minimum) to \(maximum)" + (step > 1 ? " in steps of \(step)" : "")
        case .menu: entries.sorted { $0.key < $1.key }.map { "\($0.key) (\($0.value))" }.joined(separator: ", ")
        }
    }
}

extension CameraDevice {
    /// The controls of the camera, in the driver's order, without those that have more than a single number.
    public var controls: [CameraControl] {
        var controls: [CameraControl] = []
        var query = v4l2_query_ext_ctrl()
        let next = UInt32(V4L2_CTRL_FLAG_NEXT_CTRL)
        query.id = next
        while controls.count < 512, ask(FV4L_QUERY_EXT_CTRL, &query) {
            if let control = control(query) { controls.append(control) }
            query.id |= next
        }
        return controls
    }

    /// The control of this name; nil if the camera has none.
    public func control(named name: String) -> CameraControl? {
        let key = CameraControl.key(of: name)
        return controls.first { $0.name == key }
    }

    /// The control of this number; nil if the camera has none.
    public func control(_ id: UInt32) -> CameraControl? {
        var query = v4l2_query_ext_ctrl()
        query.id = id
        return ask(FV4L_QUERY_EXT_CTRL, &query) ? control(query) : nil
    }

    /// Sets a control; a value outside of the range becomes the nearest inside.
    ///
    /// - Throws: `FramegrepError` `.sourceUnavailable` with the driver's reason.
    public func set(_ control: CameraControl, to value: Int) throws(FramegrepError) {
        let bounded = control.kind == .button ? 0 : min(max(control.minimum, value), control.maximum)
        let failure = fv4l_set_value(descriptor, control.id, control.isWide ? 1 : 0, Int64(bounded))
        guard failure != 0 else { return }
        let reason =
            switch failure {
            case EBUSY: "another control overrides it now"
            case EACCES: "it is only for reading"
            case ENODEV: "the camera is gone"
            case ERANGE, EINVAL: "it takes \(control.range)"
            default: String(cString: strerror(failure))
            }
        throw FramegrepError(
            .sourceUnavailable, "The camera's control \(control.name) cannot be set to \(bounded): \(reason).")
    }

    private func control(_ query: v4l2_query_ext_ctrl) -> CameraControl? {
        let flags = query.flags
        guard flags & UInt32(V4L2_CTRL_FLAG_DISABLED) == 0 else { return nil }
        let kind: CameraControl.Kind? =
            switch v4l2_ctrl_type(query.type) {
            case V4L2_CTRL_TYPE_INTEGER, V4L2_CTRL_TYPE_INTEGER64: .integer
            case V4L2_CTRL_TYPE_BOOLEAN: .boolean
            case V4L2_CTRL_TYPE_MENU, V4L2_CTRL_TYPE_INTEGER_MENU: .menu
            case V4L2_CTRL_TYPE_BUTTON: .button
            case V4L2_CTRL_TYPE_BITMASK: .bitmask
            default: nil
            }
        guard let kind, query.elems <= 1 else { return nil }
        let isWide = query.type == V4L2_CTRL_TYPE_INTEGER64.rawValue
        var value: Int64 = 0
        let isKnown =
            kind != .button && flags & UInt32(V4L2_CTRL_FLAG_WRITE_ONLY) == 0
            && fv4l_get_value(descriptor, query.id, isWide ? 1 : 0, &value) == 0
        let (low, high) = (Int(clamping: query.minimum), Int(clamping: query.maximum))
        var control = CameraControl(
            id: query.id, name: CameraControl.key(of: cText(query.name)), kind: kind, minimum: low, maximum: high,
            step: Int(clamping: query.step), standard: Int(clamping: query.default_value),
            value: isKnown ? Int(value) : nil, entries: kind == .menu ? entries(of: query) : [:],
            isLocked: flags & UInt32(V4L2_CTRL_FLAG_READ_ONLY | V4L2_CTRL_FLAG_GRABBED) != 0)
        control.isWide = isWide
        return control
    }

    private func entries(of query: v4l2_query_ext_ctrl) -> [Int: String] {
        var entries: [Int: String] = [:]
        guard let numbers = CameraControl.menuNumbers(from: query.minimum, to: query.maximum) else { return [:] }
        for index in numbers {
            var name = [CChar](repeating: 0, count: 33)
            var number: Int64 = 0
            guard fv4l_menu_entry(descriptor, query.id, index, &name, &number) == 0 else { continue }
            let isNumber = query.type == V4L2_CTRL_TYPE_INTEGER_MENU.rawValue
            entries[Int(index)] =
                isNumber
                ? String(number) : String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
        return entries
    }
}

/// V4L2's numbers of the controls that are used here, because drivers name them differently.
public enum KnownControl {
    public static let brightness = FV4L_CID_BRIGHTNESS
    /// Without a unit.
    public static let exposure = FV4L_CID_EXPOSURE
    /// A menu: 0 automatic, 1 manual, 2 shutter priority, 3 aperture priority.
    public static let exposureMode = FV4L_CID_EXPOSURE_AUTO
    /// In units of 100 µs.
    public static let exposureTime = FV4L_CID_EXPOSURE_ABSOLUTE
    /// Continuous autofocus.
    public static let autofocus = FV4L_CID_FOCUS_AUTO
    /// A button that focuses once.
    public static let focusOnce = FV4L_CID_AUTO_FOCUS_START
    public static let zoom = FV4L_CID_ZOOM_ABSOLUTE
    /// A menu: 0 off, 1 flash, 2 torch.
    public static let flashMode = FV4L_CID_FLASH_LED_MODE
}
