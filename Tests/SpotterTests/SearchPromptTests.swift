public import Displays
import Testing

@testable import Spotter

extension KeyPress: ExpressibleByStringLiteral {
    /// A key by its name, as most of the tests press it.
    public init(stringLiteral name: String) { self.init(named: name) }
}

extension LineEditor: ExpressibleByStringLiteral {
    /// A line that was typed to its end.
    public init(stringLiteral text: String) {
        self.init(limit: SearchPrompt.maximumLength)
        _ = insert(text)
    }
}

@Suite struct SearchPromptTests {
    /// Returns the results of the keys, one after the other.
    private func press(_ keys: KeyPress...) -> [SearchPrompt.Action] {
        var prompt = SearchPrompt()
        return keys.map { prompt.press($0) }
    }

    @Test func keysOutsideOfTheLine() {
        #expect(press("q") == [.quit])
        #expect(press("Q") == [.quit])
        #expect(press("Escape") == [.close])
        #expect(press("space", "space") == [.toggleFreeze, .toggleFreeze])
        #expect(press("x", "Return", "Shift_L", "Delete", "F2", "") == [.none, .none, .none, .none, .none, .none])
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

    @Test func escapeLeavesTheLineAndNeverQuits() {
        #expect(press("slash", "a", "Escape", "Escape") == [.edit(""), .edit("a"), .edit(nil), .close])
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
        "Shift_L", "Control_L", "F12", "UZZZZ", "UD800", "U110000", "U0007", "\u{1B}", "Prior", "",
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
        #expect(press(KeyPress(name: "F", text: "F")) == [.toggleFullscreen])
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
        _ = prompt.press("BackSpace")
        #expect(prompt.text == String(repeating: "a", count: SearchPrompt.maximumLength - 1))
    }

    /// Control with a letter, as reported by X.
    private func control(_ name: String, plain: String? = nil) -> KeyPress {
        KeyPress(name: name, text: nil, plainName: plain, holdsControl: true)
    }

    /// Returns the line after these keys, with the cursor shown as a bar.
    private func line(_ keys: KeyPress...) -> String? {
        var prompt = SearchPrompt()
        for key in keys { _ = prompt.press(key) }
        guard let line = prompt.line else { return nil }
        let chosen = line.isAllChosen ? "*" : ""
        return String(line.letters[..<line.cursor]) + "|" + String(line.letters[line.cursor...]) + chosen
    }

    @Test func controlWithFBeginsASearchOnAnyLayout() {
        #expect(line(control("f"), "a") == "a|")
        #expect(line(control("Cyrillic_a", plain: "f"), "a") == "a|")
        #expect(line(KeyPress(name: "f", text: nil, isShortcut: true)) == nil, "Alt with it is another's command")
    }

    @Test func theLineIsEdited() {
        #expect(line("slash", "a", "b", "c", "Left", "Left", "x") == "ax|bc")
        #expect(line("slash", "a", "b", "Home", "x", "End", "y") == "xaby|")
        #expect(line("slash", "a", "b", "Left", "Left", "Left", "Right", "BackSpace") == "|b")
        #expect(line("slash", "a", "b", "Home", "Delete") == "|b")
        #expect(line("slash", "a", "b", "Left", control("u")) == "|b")
        #expect(line("slash", "a", "space", "b", "c", control("w")) == "a |")
        #expect(line("slash", "a", "space", "b", "c", control("Left"), "x") == "a x|bc")
    }

    @Test func allOfTheLineIsChosenAndReplaced() {
        #expect(line("slash", "a", "b", control("a")) == "ab|*")
        #expect(line("slash", "a", "b", control("a"), "x") == "x|")
        #expect(line("slash", "a", "b", control("a"), "BackSpace") == "|")
        #expect(line("slash", "a", "b", control("a"), "Left", "x") == "x|ab")
        #expect(line("slash", control("a")) == "|", "there is nothing to choose")
    }

    @Test func whatWasCopiedIsInsertedAndMayBeginASearch() {
        let paste = KeyPress(name: KeyPress.paste, text: "lot 42")
        #expect(line("slash", "a", "b", "Left", paste) == "alot 42|b")
        #expect(line(paste) == "lot 42|")
        #expect(press(paste, "Return") == [.edit("lot 42"), .search("lot 42")])
        let long = KeyPress(name: KeyPress.paste, text: String(repeating: "x", count: 4000))
        #expect(press("slash", "a", long).last == SearchPrompt.Action.none)
    }

    @Test func aRecordingIsPlayedWithTheKeys() {
        #expect(press("Left", "Right") == [.play(.skip(-5)), .play(.skip(5))])
        #expect(press(KeyPress(name: "Right", text: nil, holdsShift: true)) == [.play(.skip(1))])
        #expect(
            press("n", "N", "bracketleft", "bracketright", "BackSpace", "l", "Home") == [
                .play(.nextSighting), .play(.previousSighting), .play(.slower), .play(.faster), .play(.ownSpeed),
                .play(.toggleLoop), .play(.seek(0)),
            ])
    }
}
