package import Displays

/// The line on which a word is typed where there is no picture of a camera: the same keys as in the window, and none of its commands.
package struct WordPrompt: Sendable {
    package enum Answer: Sendable, Hashable {
        /// The line changed, or nothing did.
        case edited
        /// This word is to be searched for.
        case search(String)
        /// No word is typed: the key is a command, by this name (`n`, `Return`, `Escape`).
        case command(String)
    }

    private var prompt = SearchPrompt()

    package init() {}

    /// The text typed so far; nil when no word is being typed.
    package var text: String? { prompt.text }
    /// Where the next letter goes, counted in characters.
    package var cursor: Int { prompt.line?.cursor ?? 0 }

    /// Opens the line as `/` does.
    package mutating func open() { _ = prompt.press(KeyPress(named: "slash")) }

    /// - Parameter recent: earlier searches, newest first.
    package mutating func press(_ key: KeyPress, recent: @autoclosure () -> [String] = []) -> Answer {
        let wasTyping = prompt.text != nil
        let action = prompt.press(key, recent: recent())
        if case .search(let text) = action { return .search(text) }
        guard !wasTyping, prompt.text == nil else { return .edited }
        // On a keyboard without Latin letters, the key that stands there in the first layout.
        let name = key.name.count == 1 && key.name.first?.isASCII == false ? key.plainName : key.name
        return key.isShortcut ? .edited : .command(name)
    }
}
