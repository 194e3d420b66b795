import Displays
import TextSpotting

/// Which keys do something, and what: in one place for the state machine, the list of keys and the documentation.
enum WindowKeys {
    /// What a key does while no word is typed; nil for one that does nothing.
    ///
    /// On a keyboard that is set to a layout without Latin letters the key counts that stands there in the first one: a Russian
    /// layout has no `q`.
    static func action(of key: KeyPress) -> SearchPrompt.Action? {
        // Control with a key is no command of this window's.
        key.isShortcut ? nil : action(named: key.name) ?? action(named: key.plainName)
    }

    private static func action(named key: String) -> SearchPrompt.Action? {
        switch key {
        case "slash", "/", "KP_Divide": .edit("")
        case "q", "Q": .quit
        case "Escape": .leave
        case "space", " ": .toggleFreeze
        case "a", "A": .toggleAllText
        case "s", "S": .snapshot
        case "h", "H", "question", "F1": .toggleHelp
        case "plus", "+", "equal", "KP_Add": .camera(.zoom, .up)
        case "minus", "-", "KP_Subtract": .camera(.zoom, .down)
        case "t", "T": .camera(.torch, .toggle)
        case "f": .camera(.autofocus, .toggle)
        case "F": .camera(.autofocus, .once)
        case "e": .camera(.exposure, .up)
        case "E": .camera(.exposure, .down)
        case "b": .camera(.brightness, .up)
        case "B": .camera(.brightness, .down)
        default: nil
        }
    }

    /// The list of keys for the window.
    ///
    /// - Parameters:
    ///   - readsClosely: a picture that stands still is read again.
    ///   - knobs: what can be turned at this source.
    static func help(readsClosely: Bool, knobs: [CameraKnob]) -> OverlayHelp {
        var rows = [
            OverlayHelp.Row("/", "type a word"),
            OverlayHelp.Row("click", "search this word"),
            OverlayHelp.Row("space", readsClosely ? "freeze, read closely" : "freeze"),
            OverlayHelp.Row("a", "outline all text"),
            OverlayHelp.Row("s", "save the picture"),
        ]
        let turns: [(CameraKnob, String, String)] = [
            (.zoom, "+ −", "zoom"), (.torch, "t", "light on, off"), (.autofocus, "f F", "autofocus, focus once"),
            (.exposure, "e E", "exposure up, down"), (.brightness, "b B", "brightness up, down"),
        ]
        rows += turns.filter { knobs.contains($0.0) }.map { OverlayHelp.Row($0.1, $0.2) }
        return OverlayHelp(rows: rows + [OverlayHelp.Row("h", "hide this"), OverlayHelp.Row("q", "quit")])
    }
}
