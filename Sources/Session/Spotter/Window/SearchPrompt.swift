package import Displays
import Foundation

/// Interprets keys in the window: a state machine that returns what to do next.
///
/// `/` and Control with F begin a new search: text typed then is the word, Return accepts it, Escape cancels, and the
/// up and down arrows recall earlier searches. Otherwise keys are those of ``WindowKeys``.
struct SearchPrompt: Sendable, Hashable {
    enum Action: Sendable, Hashable {
        case none
        case quit
        /// Closes anything that is open over the picture; does nothing otherwise.
        case close
        case toggleFreeze
        case toggleAllText
        case toggleHelp
        case toggleFullscreen
        case snapshot
        /// Copies all text in view to the clipboard.
        case copy
        case camera(CameraKnob, CameraTurn)
        case play(PlayerCommand)
        case voice(VoiceCommand)
        /// The prompt changed; nil when it was closed.
        case edit(LineEditor?)
        case search(String)

        /// Whether it is allowed while findings are hidden and nothing is drawn over the picture: it must not stop the
        /// picture or save anything visible.
        var isForHiding: Bool {
            switch self {
            case .toggleFreeze, .toggleAllText, .toggleHelp, .snapshot, .copy, .play: false
            default: true
            }
        }
    }

    /// The maximum length of a typed word.
    static let maximumLength = 200

    /// The line being edited; nil when no word is being typed.
    private(set) var line: LineEditor?
    /// Earlier searches, newest first, and the position of the one on the line: 0 is the one being typed.
    private var recent: [String] = []
    private var place = 0
    private var draft = ""

    /// The text typed so far; nil when no word is being typed.
    var text: String? { line?.text }

    /// The search that the up arrow recalls next.
    var offered: String? { line == nil || place >= recent.count ? nil : recent[place] }

    /// - Parameter recent: earlier searches, newest first; evaluated when a new one begins.
    mutating func press(_ key: KeyPress, recent: @autoclosure () -> [String] = []) -> Action {
        guard var line else {
            guard key.begins else { return WindowKeys.action(of: key) ?? .none }
            self.recent = recent()
            place = 0
            var fresh = LineEditor(limit: Self.maximumLength)
            // Text that was copied elsewhere is probably meant as a search.
            if key.name == KeyPress.paste { _ = fresh.insert(String((key.text ?? "").prefix(Self.maximumLength))) }
            return write(fresh)
        }
        switch key.name {
        case "Escape":
            self.line = nil
            return .edit(nil)
        case "Return", "KP_Enter", "\r", "\n":
            self.line = nil
            return line.text.allSatisfy(\.isWhitespace) ? .edit(nil) : .search(line.text)
        case "Up", "KP_Up": return step(1)
        case "Down", "KP_Down": return step(-1)
        default:
            guard line.press(key) else { return .none }
            return write(line)
        }
    }

    private mutating func write(_ new: LineEditor) -> Action {
        line = new
        return .edit(new)
    }

    /// Moves to an older search or back to a newer one, and finally to the typed text.
    private mutating func step(_ steps: Int) -> Action {
        let next = place + steps
        guard next >= 0, next <= recent.count, var line else { return .none }
        if place == 0 { draft = line.text }
        place = next
        line.replace(with: next == 0 ? draft : recent[next - 1])
        return write(line)
    }
}

extension KeyPress {
    /// Whether the key begins a new search.
    fileprivate var begins: Bool {
        if name == Self.paste { return text != nil }
        if holdsControl { return names.contains { $0 == "f" || $0 == "F" } }
        return !isShortcut && names.contains { ["slash", "/", "KP_Divide"].contains($0) }
    }

    /// The name of the key, and that of the key in the first layout.
    private var names: Set<String> { [name, plainName] }
}

extension LineEditor {
    /// Applies a key to the line; returns false for one without an effect there.
    fileprivate mutating func press(_ key: KeyPress) -> Bool {
        if key.holdsControl { return control(key.plainName.lowercased()) || control(key.name.lowercased()) }
        let before = self
        switch key.name {
        case "BackSpace", "\u{8}": deleteBackward()
        case "Delete", "KP_Delete", "\u{7F}": key.name == "\u{7F}" ? deleteBackward() : deleteForward()
        case "Left", "KP_Left": move(-1)
        case "Right", "KP_Right": move(1)
        case "Home", "KP_Home": moveToBeginning()
        case "End", "KP_End": moveToEnd()
        default:
            guard let letters = key.text else { return false }
            return insert(letters)
        }
        // Deleting a letter that is not there leaves the line unchanged.
        return before != self || key.name == "BackSpace"
    }

    private mutating func control(_ key: String) -> Bool {
        switch key {
        case "a": chooseAll()
        case "u": deleteToBeginning()
        case "w", "backspace": deleteWord()
        case "e": moveToEnd()
        case "left", "kp_left": moveByWord(forward: false)
        case "right", "kp_right": moveByWord(forward: true)
        default: return false
        }
        return true
    }
}

/// A line being typed: its letters, the cursor, and whether all of it is selected. A value without keys.
struct LineEditor: Sendable, Hashable {
    /// The maximum length of a typed line, in characters.
    let limit: Int
    private(set) var letters: [Character] = []
    /// The index of the letter before which typed text is inserted.
    private(set) var cursor = 0
    /// Whether the whole line is selected, so that typed text replaces it.
    private(set) var isAllChosen = false

    var text: String { String(letters) }

    /// Inserts letters at the cursor; returns false if there is no room for them.
    mutating func insert(_ text: String) -> Bool {
        let kept = isAllChosen ? 0 : letters.count
        guard kept + text.count <= limit else { return false }
        if isAllChosen { clear() }
        letters.insert(contentsOf: text, at: cursor)
        cursor += text.count
        return true
    }

    /// Replaces the text of the line, with the cursor at its end.
    mutating func replace(with text: String) {
        letters = Array(text)
        cursor = letters.count
        isAllChosen = false
    }

    mutating func clear() { replace(with: "") }

    mutating func chooseAll() {
        isAllChosen = !letters.isEmpty
        cursor = letters.count
    }

    /// Removes the letter before the cursor, or the selection.
    mutating func deleteBackward() {
        if isAllChosen { return clear() }
        guard cursor > 0 else { return }
        cursor -= 1
        letters.remove(at: cursor)
    }

    /// Removes the letter after the cursor, or the selection.
    mutating func deleteForward() {
        if isAllChosen { return clear() }
        if cursor < letters.count { letters.remove(at: cursor) }
    }

    /// Removes everything before the cursor.
    mutating func deleteToBeginning() {
        if isAllChosen { return clear() }
        letters.removeFirst(cursor)
        cursor = 0
    }

    /// Removes the word before the cursor.
    mutating func deleteWord() {
        if isAllChosen { return clear() }
        let start = wordStart
        letters.removeSubrange(start..<cursor)
        cursor = start
    }

    /// Moves the cursor by letters, or from a selection to that end of it.
    mutating func move(_ steps: Int) {
        cursor = isAllChosen ? (steps < 0 ? 0 : letters.count) : max(0, min(letters.count, cursor + steps))
        isAllChosen = false
    }

    mutating func moveToBeginning() { move(-letters.count) }

    mutating func moveToEnd() { move(letters.count) }

    /// Moves the cursor to the beginning of the previous word, or to the end of the next one.
    mutating func moveByWord(forward: Bool) {
        guard forward else { return move(wordStart - cursor) }
        var place = cursor
        while place < letters.count, letters[place].isWhitespace { place += 1 }
        while place < letters.count, !letters[place].isWhitespace { place += 1 }
        move(place - cursor)
    }

    private var wordStart: Int {
        var place = cursor
        while place > 0, letters[place - 1].isWhitespace { place -= 1 }
        while place > 0, !letters[place - 1].isWhitespace { place -= 1 }
        return place
    }
}

/// The line for typing a word without the picture of a camera: the same editing keys as in the window, but none of its
/// commands.
package struct WordPrompt: Sendable {
    package enum Answer: Sendable, Hashable {
        /// The line changed, or nothing did.
        case edited
        case search(String)
        /// No word is being typed: the key is a command with this name (`n`, `Return`, `Escape`).
        case command(String)
    }

    private var prompt = SearchPrompt()

    package init() {}

    /// The text typed so far; nil when no word is being typed.
    package var text: String? { prompt.text }
    /// The position of the cursor, counted in characters.
    package var cursor: Int { prompt.line?.cursor ?? 0 }

    /// Opens the line as `/` does.
    package mutating func open() { _ = prompt.press(KeyPress(named: "slash")) }

    /// - Parameter recent: earlier searches, newest first.
    package mutating func press(_ key: KeyPress, recent: @autoclosure () -> [String] = []) -> Answer {
        let wasTyping = prompt.text != nil
        let action = prompt.press(key, recent: recent())
        if case .search(let text) = action { return .search(text) }
        guard !wasTyping, prompt.text == nil else { return .edited }
        // On a keyboard without Latin letters, use the key at that position in the first layout.
        let name = key.name.count == 1 && key.name.first?.isASCII == false ? key.plainName : key.name
        return key.isShortcut ? .edited : .command(name)
    }
}
