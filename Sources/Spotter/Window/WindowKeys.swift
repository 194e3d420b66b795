import TextSpotting

/// What can be done to a camera from the window.
enum CameraKey: Sendable, Hashable, CaseIterable {
    case zoomIn, zoomOut, light, autofocus, focusOnce, moreExposure, lessExposure, brighter, darker
}

/// Which keys do something, and what: in one place for the state machine, the list of keys and the documentation.
enum WindowKeys {
    /// What a key does while no word is typed; nil for one that does nothing.
    static func action(of key: String) -> SearchPrompt.Action? {
        switch key {
        case "q", "Q": .quit
        case "Escape": .leave
        case "space", " ": .toggleFreeze
        case "a", "A": .toggleAllText
        case "s", "S": .snapshot
        case "h", "H", "question", "F1": .toggleHelp
        case "plus", "+", "equal", "KP_Add": .camera(.zoomIn)
        case "minus", "-", "KP_Subtract": .camera(.zoomOut)
        case "t", "T": .camera(.light)
        case "f": .camera(.autofocus)
        case "F": .camera(.focusOnce)
        case "e": .camera(.moreExposure)
        case "E": .camera(.lessExposure)
        case "b": .camera(.brighter)
        case "B": .camera(.darker)
        default: nil
        }
    }

    /// The list of keys for the window.
    ///
    /// - Parameters:
    ///   - readsClosely: a picture that stands still is read again.
    ///   - camera: what this camera lets be done to it.
    static func help(readsClosely: Bool, camera: Set<CameraKey>) -> OverlayHelp {
        var rows = [
            OverlayHelp.Row("/", "type a word"),
            OverlayHelp.Row("click", "search this word"),
            OverlayHelp.Row("space", readsClosely ? "freeze, read closely" : "freeze"),
            OverlayHelp.Row("a", "outline all text"),
            OverlayHelp.Row("s", "save the picture"),
        ]
        let pairs: [(CameraKey, String, String)] = [
            (.zoomIn, "+ −", "zoom"), (.light, "t", "light"), (.autofocus, "f", "autofocus on, off"),
            (.focusOnce, "F", "focus once"), (.moreExposure, "e E", "exposure"), (.brighter, "b B", "brightness"),
        ]
        rows += pairs.filter { camera.contains($0.0) }.map { OverlayHelp.Row($0.1, $0.2) }
        return OverlayHelp(rows: rows + [OverlayHelp.Row("h", "hide this"), OverlayHelp.Row("q", "quit")])
    }
}
