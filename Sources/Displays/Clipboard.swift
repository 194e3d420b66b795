import CX11

/// Asks the owner of the clipboard for its text. Used by one thread, which also takes the answer from its connection's events.
struct Clipboard: ~Copyable {
    /// Longer texts, in bytes, are rejected: they are no search.
    private static let longest = 4096

    private let connection: DisplayConnection
    /// Never shown: an answer is written on a window.
    private let window: Window
    private let property: Atom

    init(_ connection: DisplayConnection) {
        self.connection = connection
        window = XCreateSimpleWindow(connection.pointer, fx11_root(connection.pointer), -10, -10, 1, 1, 0, 0, 0)
        property = XInternAtom(connection.pointer, "FRAMEGREP_PASTE", 0)
    }

    deinit { XDestroyWindow(connection.pointer, window) }

    /// Asks for the text; the answer is an event (`SelectionNotify`).
    ///
    /// - Parameter time: of the event that led to this.
    func ask(at time: Time) {
        XConvertSelection(
            connection.pointer, XInternAtom(connection.pointer, "CLIPBOARD", 0),
            XInternAtom(connection.pointer, "UTF8_STRING", 0), property, window, time)
        XFlush(connection.pointer)
    }

    /// The text of an answer as one line; nil if there is none.
    func text(of event: XSelectionEvent) -> String? {
        guard event.property != 0 else { return nil }
        return connection.withProperty(property, of: window, longest: Self.longest / 4, removing: true) {
            bytes, format, count in
            guard format == 8 else { return nil }
            return Self.line(String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self))
        }
    }

    /// A text as it can stand in a line that is typed: its first line that is not empty.
    static func line(_ text: String) -> String? {
        text.split(whereSeparator: \.isNewline).lazy
            .map { line in String(line.filter { KeySymbol.isPrintable(String($0)) }) }
            .first { !$0.allSatisfy(\.isWhitespace) }
    }
}
