public import Displays
import Testing

@testable import Spotter

extension KeyPress: ExpressibleByStringLiteral {
    /// A key by its name, as most of the tests press it.
    public init(stringLiteral name: String) { self.init(named: name) }
}

@Suite struct SearchPromptTests {
    /// What the keys lead to, one after the other.
    private func press(_ keys: KeyPress...) -> [SearchPrompt.Action] {
        var prompt = SearchPrompt()
        return keys.map { prompt.press($0) }
    }

    @Test func keysOutsideOfTheLine() {
        #expect(press("q") == [.quit])
        #expect(press("Q") == [.quit])
        #expect(press("Escape") == [.leave])
        #expect(press("space", "space") == [.toggleFreeze, .toggleFreeze])
        #expect(press("x", "Return", "Shift_L", "BackSpace", "F2", "") == [.none, .none, .none, .none, .none, .none])
    }

    @Test func aWordIsTypedAndTaken() {
        #expect(
            press("slash", "E", "x", "i", "t", "Return") == [
                .edit(""), .edit("E"), .edit("Ex"), .edit("Exi"), .edit("Exit"), .search("Exit"),
            ])
    }

    @Test func whileTypingKeysAreLetters() {
        #expect(press("slash", "q", "space", "slash", "Q", "KP_Enter").last == .search("q /Q"))
    }

    @Test func mistakesAreTakenBack() {
        #expect(
            press("slash", "BackSpace", "a", "b", "BackSpace", "BackSpace", "BackSpace") == [
                .edit(""), .edit(""), .edit("a"), .edit("ab"), .edit("a"), .edit(""), .edit(""),
            ])
    }

    @Test func escapeLeavesTheLineAndTheNextOneQuits() {
        #expect(press("slash", "a", "Escape", "Escape") == [.edit(""), .edit("a"), .edit(nil), .leave])
    }

    @Test func nothingTypedSearchesNothing() {
        #expect(press("slash", "Return", "q") == [.edit(""), .edit(nil), .quit])
        #expect(press("slash", "space", "space", "Return").last == .edit(nil))
    }

    @Test func aNewWordBeginsEmpty() {
        #expect(press("slash", "a", "Escape", "slash", "b", "Return").last == .search("b"))
        #expect(press("slash", "a", "Return", "KP_Divide", "b", "Return").last == .search("b"))
    }

    @Test func namedKeysAreCharacters() {
        #expect(
            press("slash", "exclam", "numbersign", "KP_7", "adiaeresis", "minus", "Return").last == .search("!#7ä-"))
    }

    @Test func charactersOfOtherScriptsAreNamedByCode() {
        #expect(press("slash", "U0431", "U65E5", "U1F600", "Return").last == .search("б日😀"))
        #expect(press("slash", "é", "Return").last == .search("é"))
    }

    @Test(arguments: [
        "Shift_L", "Control_L", "Left", "F12", "UZZZZ", "UD800", "U110000", "U0007", "\u{1B}", "KP_Left", "",
        "dead_acute",
    ])
    func keysThatTypeNothingChangeNothing(key: String) {
        #expect(press("slash", "a", KeyPress(named: key), "Return") == [.edit(""), .edit("a"), .none, .search("a")])
    }

    @Test func whatIsTypedCountsAndNotTheKeyThatTypesIt() {
        let colon = KeyPress(name: "colon", text: ":", plainName: "colon")
        let composed = KeyPress(name: "e", text: "é")
        #expect(press("slash", colon, "U", composed, "Return").last == .search(":Ué"))
        #expect(press(KeyPress(name: "question", text: "?")) == [.toggleHelp])
        #expect(press(KeyPress(name: "F", text: "F")) == [.camera(.autofocus, .once)])
    }

    @Test func lettersOfOtherScriptsDoWhatTheirKeysDoInTheFirstLayout() {
        let russian = KeyPress(name: "Cyrillic_shorti", text: "й", plainName: "q")
        #expect(press(russian) == [.quit])
        #expect(press("slash", russian, "Return").last == .search("й"))
        #expect(press(KeyPress(name: "period", text: ".", plainName: "slash"), russian).last == .edit("й"))
    }

    @Test func controlWithAKeyIsNoLetterAndNoCommand() {
        let control = KeyPress(name: "q", text: "q", isShortcut: true)
        #expect(press(control) == [.none])
        #expect(press("slash", "a", control, "Return").last == .search("a"))
    }

    @Test func aWordIsNotEndless() {
        var prompt = SearchPrompt()
        _ = prompt.press("slash")
        for _ in 0..<1000 { _ = prompt.press("a") }
        #expect(prompt.text?.count == SearchPrompt.maximumLength)
        #expect(prompt.press("BackSpace") == .edit(String(repeating: "a", count: SearchPrompt.maximumLength - 1)))
    }
}
