import CX11

/// A connection of our own to an X server: the owner of one Display. Xlib locks it, so any thread may use it.
// @unchecked: the pointer never changes, and Xlib locks what it points at (XInitThreads).
final class DisplayConnection: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Connects; this may take long where the server does not answer.
    ///
    /// - Parameter name: `:0`; nil for the one that the environment names.
    init?(_ name: String?) {
        DisplayErrors.take()
        guard let opened = XOpenDisplay(name) else { return nil }
        pointer = opened
    }

    deinit { XCloseDisplay(pointer) }

    /// X's number of a name.
    func atom(_ name: String) -> Atom { XInternAtom(pointer, name, 0) }

    /// Reads a property of a window; nil if the window does not have it, or in another form.
    ///
    /// - Parameters:
    ///   - type: any where 0.
    ///   - longest: in units of four bytes; of a longer one the beginning.
    ///   - removing: it is to be taken away once it was read.
    ///   - body: is lent the bytes of a text; of wider units, how many there are (`count`).
    func withProperty<Result>(
        _ property: Atom, of window: Window, type wanted: Atom = 0, longest: Int, removing: Bool = false,
        _ body: (_ bytes: UnsafePointer<UInt8>, _ format: Int32, _ count: Int) -> Result?
    ) -> Result? {
        var type: Atom = 0
        var format: Int32 = 0
        var (count, rest): (UInt, UInt) = (0, 0)
        var bytes: UnsafeMutablePointer<UInt8>?
        let status = XGetWindowProperty(
            pointer, window, property, 0, longest, removing ? 1 : 0, wanted, &type, &format, &count, &rest, &bytes)
        defer { if let bytes { XFree(bytes) } }
        guard status == 0, count > 0, let bytes else { return nil }
        return body(bytes, format, Int(count))
    }

    /// Translates a key's code with the state of the keyboard that the event reports.
    func symbol(of event: inout XKeyEvent) -> KeySymbol {
        var symbol: KeySym = 0
        // It applies Shift, Lock, the level and the layout; the text that it makes is Latin only, so it is ignored.
        _ = KeySymbol.text(of: 32) { XLookupString(&event, $0, Int32($1), &symbol, nil) }
        return KeySymbol(UInt32(truncatingIfNeeded: symbol))
    }

    /// Translates a key event into a name and typed text.
    func press(_ event: inout XKeyEvent, _ composer: borrowing Composer) -> KeyPress? {
        let symbol = symbol(of: &event)
        let name = symbol.name
        guard !name.isEmpty else { return nil }
        let held = event.state & UInt32(ControlMask | Mod1Mask | Mod4Mask)
        let plain = plainName(of: event)
        let shift = event.state & UInt32(ShiftMask) != 0
        guard held == 0 else {
            return KeyPress(
                name: name, text: nil, plainName: plain, isShortcut: true, holdsControl: held == UInt32(ControlMask),
                holdsShift: shift)
        }
        switch composer.feed(symbol) {
        case .itself: return KeyPress(name: name, text: symbol.text, plainName: plain, holdsShift: shift)
        case .letter(let text): return KeyPress(name: name, text: text, plainName: plain)
        case .waiting, .nothing: return nil
        }
    }

    /// The key's name in the first layout, if the one in use has no Latin letters; else nil.
    private func plainName(of event: XKeyEvent) -> String? {
        let layout = fx11_group(event.state)
        guard layout != 0, let latin = KeySymbol(named: "q") else { return nil }
        let key = XKeysymToKeycode(pointer, KeySym(latin.number))
        let letter = symbol(ofKey: UInt32(key), layout: layout, level: 0).text?.unicodeScalars.first
        // Past Latin and what is added to it.
        guard let letter, letter.value > 0x24F else { return nil }
        let name = symbol(ofKey: event.keycode, layout: 0, level: event.state & UInt32(ShiftMask) != 0 ? 1 : 0).name
        return name.isEmpty ? nil : name
    }

    private func symbol(ofKey code: UInt32, layout: Int32, level: Int32) -> KeySymbol {
        KeySymbol(
            UInt32(
                truncatingIfNeeded: XkbKeycodeToKeysym(
                    pointer, KeyCode(truncatingIfNeeded: code), layout, level)))
    }
}
