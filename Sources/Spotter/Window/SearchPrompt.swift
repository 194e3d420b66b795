import Displays
import TextSpotting

/// What the keys in the window mean: a state machine that returns what to do next.
///
/// `/` begins a new search: what is typed then is the word, Return takes it, Escape leaves it, and the arrows bring earlier
/// searches back. Outside of that, keys are those of ``WindowKeys``.
struct SearchPrompt: Sendable, Hashable {
    enum Action: Sendable, Hashable {
        case none
        case quit
        /// Closes what is open over the picture, or quits.
        case leave
        case toggleFreeze
        case toggleAllText
        case toggleHelp
        case snapshot
        case camera(CameraKnob, CameraTurn)
        /// The prompt changed; nil when it was closed.
        case edit(String?)
        case search(String)
    }

    /// A typed word is at most so long.
    static let maximumLength = 200

    /// What has been typed so far; nil when no word is being typed.
    private(set) var text: String?
    /// Earlier searches, newest first, and which of them stands on the line: 0 is the one that is being typed.
    private var recent: [String] = []
    private var place = 0
    private var draft = ""

    /// The search that the arrow up brings back next.
    var offered: String? { text == nil || place >= recent.count ? nil : recent[place] }

    /// - Parameter recent: earlier searches, newest first; asked for when a new one begins.
    mutating func press(_ key: KeyPress, recent: @autoclosure () -> [String] = []) -> Action {
        guard let typed = text else {
            let action = WindowKeys.action(of: key) ?? .none
            guard case .edit(let beginning?) = action else { return action }
            self.recent = recent()
            place = 0
            return write(beginning)
        }
        switch key.name {
        case "Escape":
            text = nil
            return .edit(nil)
        case "Return", "KP_Enter", "\r", "\n":
            text = nil
            return typed.allSatisfy(\.isWhitespace) ? .edit(nil) : .search(typed)
        case "BackSpace", "\u{8}", "\u{7F}":
            return write(String(typed.dropLast()))
        case "Up", "KP_Up": return step(1)
        case "Down", "KP_Down": return step(-1)
        default:
            guard let letters = key.text, typed.count + letters.count <= Self.maximumLength else { return .none }
            return write(typed + letters)
        }
    }

    private mutating func write(_ new: String) -> Action {
        text = new
        return .edit(new)
    }

    /// Goes to an older search or back to a newer one, in the end to what was typed.
    private mutating func step(_ steps: Int) -> Action {
        let next = place + steps
        guard next >= 0, next <= recent.count else { return .none }
        if place == 0 { draft = text ?? "" }
        place = next
        return write(next == 0 ? draft : recent[next - 1])
    }
}
