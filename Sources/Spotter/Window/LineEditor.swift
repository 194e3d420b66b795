/// A line being typed: its letters, the place where it goes on, and whether all of it is chosen. A value without keys.
struct LineEditor: Sendable, Hashable {
    /// A typed line is at most this long, in characters.
    let limit: Int
    private(set) var letters: [Character] = []
    /// The index of the letter before which typed text is put.
    private(set) var cursor = 0
    /// All of it is selected: typed text replaces it.
    private(set) var isAllChosen = false

    init(limit: Int) {
        self.limit = limit
    }

    var text: String { String(letters) }

    /// Puts letters where the cursor is; false if there is no room for them.
    mutating func insert(_ text: String) -> Bool {
        let kept = isAllChosen ? 0 : letters.count
        guard kept + text.count <= limit else { return false }
        if isAllChosen { clear() }
        letters.insert(contentsOf: text, at: cursor)
        cursor += text.count
        return true
    }

    /// Has the line say something else, the cursor at its end.
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

    /// Takes everything before the cursor away.
    mutating func deleteToBeginning() {
        if isAllChosen { return clear() }
        letters.removeFirst(cursor)
        cursor = 0
    }

    /// Takes the word before the cursor away.
    mutating func deleteWord() {
        if isAllChosen { return clear() }
        let start = wordStart
        letters.removeSubrange(start..<cursor)
        cursor = start
    }

    /// Moves the cursor by letters; from a selection, to that end of it.
    mutating func move(_ steps: Int) {
        cursor = isAllChosen ? (steps < 0 ? 0 : letters.count) : max(0, min(letters.count, cursor + steps))
        isAllChosen = false
    }

    mutating func moveToBeginning() { move(-letters.count) }

    mutating func moveToEnd() { move(letters.count) }

    /// Moves the cursor to the beginning of the word before it, or behind the one after it.
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
