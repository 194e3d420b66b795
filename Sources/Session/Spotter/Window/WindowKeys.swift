import Displays
import TextSpotting

/// Defines the keys and their actions in one place for the state machine, the list of keys and the documentation.
enum WindowKeys {
    /// Returns the action of a key while no word is typed; nil for a key without one.
    ///
    /// In a keyboard layout without Latin letters, the key at the same position in the first layout counts: a Russian
    /// layout has no `q`.
    static func action(of key: KeyPress) -> SearchPrompt.Action? {
        if key.holdsControl, [key.name, key.plainName].contains(where: { ["c", "C", "Insert"].contains($0) }) {
            return .copy
        }
        // Control with any other key is not a command of this window.
        if key.isShortcut { return nil }
        if let command = command(named: key.name, isShifted: key.holdsShift) { return .play(command) }
        return action(named: key.name) ?? action(named: key.plainName)
    }

    private static func action(named key: String) -> SearchPrompt.Action? {
        switch key {
        case "q", "Q": .quit
        case "Escape": .close
        case "space", " ": .toggleFreeze
        case "a", "A": .toggleAllText
        case "s", "S": .snapshot
        case "f", "F", "F11": .toggleFullscreen
        case "h", "H", "question", "F1": .toggleHelp
        case "plus", "+", "equal", "KP_Add": .camera(.zoom, .up)
        case "minus", "-", "KP_Subtract": .camera(.zoom, .down)
        case "t", "T": .camera(.torch, .toggle)
        case "o": .camera(.autofocus, .toggle)
        case "O": .camera(.autofocus, .once)
        case "e": .camera(.exposure, .up)
        case "E": .camera(.exposure, .down)
        case "b": .camera(.brightness, .up)
        case "B": .camera(.brightness, .down)
        case "v": .voice(.listen)
        case "V": .voice(.keepListening)
        case "1", "2", "3", "4", "5", "6", "7", "8", "9": .voice(.take(Int(key) ?? 1))
        case "n": .play(.nextSighting)
        case "N": .play(.previousSighting)
        case "l", "L": .play(.toggleLoop)
        case "bracketright", "]": .play(.faster)
        case "bracketleft", "[": .play(.slower)
        case "BackSpace", "\u{8}": .play(.ownSpeed)
        default: nil
        }
    }

    /// Returns the command of a key that moves to another place of a recording.
    private static func command(named key: String, isShifted: Bool) -> PlayerCommand? {
        switch key {
        case "Left", "KP_Left": .skip(isShifted ? -1 : -5)
        case "Right", "KP_Right": .skip(isShifted ? 1 : 5)
        case "Up", "KP_Up": .skip(60)
        case "Down", "KP_Down": .skip(-60)
        case "Home", "KP_Home": .seek(0)
        default: nil
        }
    }

    /// Returns the list of keys for the window.
    ///
    /// - Parameters:
    ///   - readsClosely: whether a picture that stands still is read again.
    ///   - knobs: the settings of this source.
    ///   - isPlayer: whether the source is a recording with player controls.
    static func help(readsClosely: Bool, knobs: [CameraKnob], isPlayer: Bool) -> OverlayHelp {
        var rows = [
            OverlayHelp.Row("/", "type a word; so does Ctrl+F"),
            OverlayHelp.Row("v V", "say a word; go on listening"),
            OverlayHelp.Row("click", "search this word"),
            OverlayHelp.Row("right click", "copy this line; Ctrl+C: all text"),
            OverlayHelp.Row("space", readsClosely ? "stop, read closely" : "stop"),
        ]
        if isPlayer {
            rows += [
                OverlayHelp.Row("← →", "5 seconds; Shift: 1"), OverlayHelp.Row("↑ ↓", "a minute"),
                OverlayHelp.Row("n N", "next, previous sighting"), OverlayHelp.Row("[ ]", "slower, faster"),
                OverlayHelp.Row("l", "again at the end"),
            ]
        }
        rows += [OverlayHelp.Row("a", "outline all text"), OverlayHelp.Row("s", "save the picture")]
        let turns: [(CameraKnob, String, String)] = [
            (.zoom, "+ −", "zoom"), (.torch, "t", "light on, off"), (.autofocus, "o O", "autofocus, focus once"),
            (.exposure, "e E", "exposure up, down"), (.brightness, "b B", "brightness up, down"),
        ]
        rows += turns.filter { knobs.contains($0.0) }.map { OverlayHelp.Row($0.1, $0.2) }
        return OverlayHelp(
            rows: rows + [
                OverlayHelp.Row("f", "the whole screen"), OverlayHelp.Row("h", "hide this"),
                OverlayHelp.Row("q", "quit"),
            ])
    }
}
