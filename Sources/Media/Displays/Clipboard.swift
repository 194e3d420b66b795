import CX11

/// Reads the clipboard's text from its owner, or owns the clipboard. Used by one thread, which also receives answers
/// and requests as events of its connection.
struct Clipboard: ~Copyable {
    /// In bytes; longer texts are rejected, because they are not searches.
    private static let longest = 4096

    private let connection: DisplayConnection
    /// The window is never shown; it is needed because an answer is a property of a window.
    private let window: Window
    private let property: Atom
    /// The text on offer; nil while another program owns the clipboard.
    private var held: [UInt8]?

    init(_ connection: DisplayConnection) {
        self.connection = connection
        window = XCreateSimpleWindow(connection.pointer, fx11_root(connection.pointer), -10, -10, 1, 1, 0, 0, 0)
        property = connection.atom("FRAMEGREP_PASTE")
    }

    deinit { XDestroyWindow(connection.pointer, window) }

    /// Requests the text; the answer arrives as an event (`SelectionNotify`).
    ///
    /// - Parameter time: the time of the event that led to this.
    func ask(at time: Time) {
        XConvertSelection(
            connection.pointer, connection.atom("CLIPBOARD"), connection.atom(Self.utf8), property, window, time)
        XFlush(connection.pointer)
    }

    /// Returns the text of an answer as one line; nil if there is none.
    func text(of event: XSelectionEvent) -> String? {
        guard event.property != 0 else { return nil }
        return connection.withProperty(property, of: window, longest: Self.longest / 4, removing: true) {
            bytes, format, count in
            guard format == 8 else { return nil }
            return Self.line(String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self))
        }
    }

    // MARK: Holding it

    /// Offers this text on the clipboard and for the middle button, until something else is copied or this window
    /// closes.
    mutating func hold(_ text: String) {
        held = Array(text.utf8)
        for name in Self.names {
            XSetSelectionOwner(connection.pointer, connection.atom(name), window, Time(CurrentTime))
        }
        XFlush(connection.pointer)
    }

    /// Sends the text to a window that requests it, in a form that was requested and exists.
    mutating func answer(_ request: XSelectionRequestEvent) {
        var request = request
        // Old programs do not name a property.
        let property = request.property == 0 ? request.target : request.property
        let isGiven = if let held { Self.give(held, to: request, as: property, connection) } else { false }
        fx11_answer_selection(connection.pointer, &request, isGiven ? property : 0)
    }

    private static func give(
        _ bytes: [UInt8], to request: XSelectionRequestEvent, as property: Atom, _ connection: DisplayConnection
    ) -> Bool {
        let forms = forms.map { connection.atom($0) }
        let targets = connection.atom("TARGETS")
        if request.target == targets {
            // Xlib represents lists of 32-bit items as arrays of long.
            (forms + [targets]).withUnsafeBytes { list in
                _ = XChangeProperty(
                    connection.pointer, request.requestor, property, fx11_atom_type(), 32, PropModeReplace,
                    list.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(forms.count + 1))
            }
            return true
        }
        guard forms.contains(request.target) else { return false }
        bytes.withUnsafeBufferPointer {
            _ = XChangeProperty(
                connection.pointer, request.requestor, property, request.target, 8, PropModeReplace, $0.baseAddress,
                Int32($0.count))
        }
        return true
    }

    /// Another program owns it now.
    mutating func lose() { held = nil }

    private static let names = ["CLIPBOARD", "PRIMARY"]
    /// X's own name of text in UTF-8.
    private static let utf8 = "UTF8_STRING"
    /// All of them are UTF-8. Programs that ask for the last one expect Latin-1, which agrees with it in ASCII.
    private static let forms = [utf8, "text/plain;charset=utf-8", "text/plain", "STRING"]

    /// Returns a text as it can appear in a typed line: its first line that is not empty.
    static func line(_ text: String) -> String? {
        text.split(whereSeparator: \.isNewline).lazy
            .map { line in String(line.filter { KeySymbol.isPrintable(String($0)) }) }
            .first { !$0.allSatisfy(\.isWhitespace) }
    }
}
