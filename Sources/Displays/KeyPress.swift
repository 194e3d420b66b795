import CX11

/// A key that went down in a window, as a user means it.
public struct KeyPress: Sendable, Hashable {
    /// The name of the key together with held modifiers, as X has it: `q`, `Q`, `question`, `Return`, `Left`.
    public let name: String
    /// The text that it types; nil for a key that types nothing (arrows, Shift, a letter with Control), and for one that is part of a
    /// letter which is still being composed.
    public let text: String?
    /// The name of the same key in the keyboard's first layout, if one without Latin letters is in use: `q` for
    /// `Cyrillic_shorti`. Else the same as ``name``.
    public let plainName: String
    /// Control, Alt or the logo key is held: the key is a command, whatever letter stands on it.
    public let isShortcut: Bool
    /// Control is held, and neither Alt nor the logo key: the key is a command of the window's own.
    public let holdsControl: Bool
    /// Shift is held.
    public let holdsShift: Bool

    /// The name of a key that does not exist on a keyboard: its text was copied elsewhere and is now inserted.
    public static let paste = "Paste"

    public init(
        name: String, text: String?, plainName: String? = nil, isShortcut: Bool = false, holdsControl: Bool = false,
        holdsShift: Bool = false
    ) {
        self.name = name
        self.text = isShortcut || holdsControl ? nil : text
        self.plainName = plainName ?? name
        self.isShortcut = isShortcut || holdsControl
        self.holdsControl = holdsControl
        self.holdsShift = holdsShift
    }

    /// A key of which only the name is known, as windows tell it that apply the layout themselves.
    public init(named name: String) {
        let text = KeySymbol(named: name)?.text
        // Some tell the character itself.
        let isCharacter = name.count == 1 && KeySymbol.isPrintable(name)
        self.init(name: name, text: text ?? (isCharacter ? name : nil))
    }
}

/// X's number for the meaning of a key (a keysym).
struct KeySymbol: Hashable {
    let number: UInt32

    init(_ number: UInt32) {
        self.number = number
    }

    /// Nil for a name that X does not know.
    init?(named name: String) {
        let number = xkb_keysym_from_name(name, XKB_KEYSYM_NO_FLAGS)
        guard number != 0 else { return nil }
        self.number = number
    }

    /// `q`, `question`, `Cyrillic_shorti`; empty for no symbol at all.
    var name: String {
        guard number != 0 else { return "" }
        // The longest name there is has 27 characters; the function takes care of longer ones.
        return Self.text(of: 64) { xkb_keysym_get_name(number, $0, $1) } ?? ""
    }

    /// The character that it stands for; nil for Return, Escape and others that do something instead.
    var text: String? {
        Self.text(of: 8) { xkb_keysym_to_utf8(number, $0, $1) }.flatMap { Self.isPrintable($0) ? $0 : nil }
    }

    /// Whether all of a text can be seen, or is a space.
    static func isPrintable(_ text: String) -> Bool {
        !text.isEmpty && text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
    }

    /// Calls a function that writes into a buffer of `size` bytes and returns the text; nil if it writes nothing.
    static func text(of size: Int, _ write: (UnsafeMutablePointer<CChar>, Int) -> Int32) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: size) { buffer -> String? in
            buffer.initialize(repeating: 0)
            guard let start = buffer.baseAddress, write(start, size) > 0 else { return nil }
            // Half of a pair of code points is a symbol too, but no text.
            return String(validatingCString: start)
        }
    }
}
