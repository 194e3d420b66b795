import Displays
import Errors
import Testing
import TextMatching
import TextSpotting

@testable import Spotter

/// Keys other than those of the line on which a word is typed, and clicks.
@Suite struct WindowKeysTests {
    @Test func arrowsBringEarlierSearchesBack() {
        var prompt = SearchPrompt()
        #expect(prompt.press("slash", recent: ["NEW", "OLD"]) == .edit(""))
        #expect(prompt.offered == "NEW")
        #expect(prompt.press("x") == .edit("x"))
        #expect(prompt.press("Up") == .edit("NEW"))
        #expect(prompt.offered == "OLD")
        #expect(prompt.press("Up") == .edit("OLD"))
        #expect(prompt.offered == nil)
        #expect(prompt.press("Up") == .none)
        #expect(prompt.press("Down") == .edit("NEW"))
        #expect(prompt.press("Down") == .edit("x"))
        #expect(prompt.press("Down") == .none)
        #expect(prompt.press("Up") == .edit("NEW"))
        #expect(prompt.press("s") == .edit("NEWs"))
        #expect(prompt.press("Return") == .search("NEWs"))
        #expect(prompt.offered == nil)
        #expect(prompt.press("Up") == .play(.skip(60)))
    }

    @Test func everyKeyInTheListDoesSomething() {
        let keys = [
            "/": ["slash"], "space": ["space"], "+ −": ["plus", "minus"], "click": [], "right click": [],
            "o O": ["o", "O"],
            "← →": ["Left", "Right"], "↑ ↓": ["Up", "Down"], "n N": ["n", "N"], "v V": ["v", "V"],
            "[ ]": ["bracketleft", "bracketright"],
            "e E": ["e", "E"],
            "b B": ["b", "B"],
        ]
        let help = WindowKeys.help(readsClosely: true, knobs: CameraKnob.allCases, isPlayer: true)
        #expect(help.rows.count == 20)
        for row in help.rows {
            for key in keys[row.key] ?? [row.key] {
                var prompt = SearchPrompt()
                #expect(prompt.press(KeyPress(named: key)) != .none, "\(key)")
            }
        }
    }

    @Test func onlyWhatTheSourceHasIsListed() {
        func keys(_ knobs: [CameraKnob]) -> [String] {
            WindowKeys.help(readsClosely: false, knobs: knobs, isPlayer: false).rows.map(\.key)
        }
        #expect(!keys([]).contains("t") && !keys([.zoom]).contains("t"))
        #expect(keys([.zoom, .torch]).contains("t") && keys([.zoom]).contains("+ −"))
    }

    @Test func aClickFindsItsWord() {
        func word(_ text: String, _ x: Double, _ y: Double) -> TextWord {
            TextWord(text: text, quad: Quad(Rect(x: x, y: y, width: 100, height: 30)), confidence: 1)
        }
        let lines = [
            TextLine(
                quad: Quad(Rect(x: 10, y: 10, width: 230, height: 30)),
                words: [word("LEFT", 10, 10), word("“RIGHT,”", 140, 10)], confidence: 1),
            TextLine(quad: Quad(Rect(x: 10, y: 60, width: 100, height: 30)), words: [word("—", 10, 60)], confidence: 1),
        ]
        let time = FrameTime(index: 3, start: StreamTime(seconds: 0.1), duration: .zero)
        let picker = TextPicker(reading: LatestText.Reading(lines: lines, time: time), frameHistory: LiveFrameHistory())
        #expect(picker.word(at: Point(50, 20), in: time.start) == "LEFT")
        #expect(picker.word(at: Point(190, 25), in: time.start) == "RIGHT")
        #expect(picker.word(at: Point(50, 75), in: time.start) == nil)
        #expect(picker.word(at: Point(500, 300), in: time.start) == nil)
    }

    @Test func aReadWordIsMadeSafe() {
        #expect(TextPicker.searchable("\u{202E}EXIT\u{1B}[31m") == "EXIT [31m")
        #expect(TextPicker.searchable("…!?") == nil)
        #expect(TextPicker.searchable(String(repeating: "a", count: 500))?.count ?? 0 <= 80)
    }

    /// Nothing is drawn there, so it is not visible that a word is being typed, or that the picture counts as stopped.
    @Test func whereWhatIsFoundIsHiddenKeysCannotShowIt() throws {
        let keys: [String: Bool] = ["space": false, "s": false, "a": false, "h": false, "q": true, "f": true]
        for (key, isForHiding) in keys {
            var prompt = SearchPrompt()
            let action = prompt.press(KeyPress(named: key))
            #expect(action.isForHiding == isForHiding, "\(key)")
        }
        #expect(!SearchPrompt.Action.copy.isForHiding && SearchPrompt.Action.search("EXIT").isForHiding)
        let words = SearchedWords(try SearchMode().matcher(for: [":email", "Jane Doe"]))
        try words.add("EXIT")
        try words.add("Jane Doe")
        #expect(words.texts == [":email", "Jane Doe", "EXIT"] && words.versioned.revision == 1)
        #expect(throws: FramegrepError.self) { try words.add("") }
        #expect(words.texts.count == 3)
        let title = WindowControl.title(hiding: words.matcher, in: "films/lobby.mp4")
        #expect(title == "hidden: :email, pattern 2, pattern 3 · lobby.mp4 · framegrep")
    }

    @Test func theTitleSaysWhatIsSearchedAndWhere() {
        #expect(WindowControl.title(of: ["EXIT"], in: "films/lobby.mp4") == "EXIT · lobby.mp4 · framegrep")
        #expect(WindowControl.title(of: ["a", "b", "c", "d"], in: "camera") == "a, b, c, +1 · camera · framegrep")
        #expect(WindowControl.title(of: ["a\u{202E}\n"], in: "") == "a · framegrep")
    }
}
