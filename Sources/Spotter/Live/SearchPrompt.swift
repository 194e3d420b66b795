import TextSpotting

/// What the keys in the window mean: a state machine that returns what to do next.
///
/// `/` begins a new search: what is typed then is the word, Return takes it, Escape leaves it. Outside of that, space
/// freezes the picture and `q` or Escape quits. Key names are X's (`XStringToKeysym`), as GStreamer passes them on.
struct SearchPrompt: Sendable, Hashable {
    enum Action: Sendable, Hashable {
        case none
        case quit
        case toggleFreeze
        /// The prompt changed; nil when it was closed.
        case edit(String?)
        case search(String)
    }

    /// A typed word is at most so long.
    static let maximumLength = 200

    /// What has been typed so far; nil when no word is being typed.
    private(set) var text: String?

    mutating func press(_ key: String) -> Action {
        guard var typed = text else {
            switch key {
            case "q", "Q", "Escape": return .quit
            case "space", " ": return .toggleFreeze
            case "slash", "/", "KP_Divide":
                text = ""
                return .edit("")
            default: return .none
            }
        }
        switch key {
        case "Escape":
            text = nil
            return .edit(nil)
        case "Return", "KP_Enter", "\r", "\n":
            text = nil
            return typed.allSatisfy(\.isWhitespace) ? .edit(nil) : .search(typed)
        case "BackSpace", "\u{8}", "\u{7F}":
            typed = String(typed.dropLast())
        default:
            guard let character = Self.character(of: key), typed.count < Self.maximumLength else { return .none }
            typed.append(character)
        }
        text = typed
        return .edit(typed)
    }

    /// The character that a key types, or nil for one that types none (Shift, arrows).
    private static func character(of key: String) -> Character? {
        if key.count == 1, let character = key.first {
            return character.unicodeScalars.allSatisfy { $0.value >= 32 } ? character : nil
        }
        if key.hasPrefix("KP_"), key.count == 4, let digit = key.last, digit.isNumber { return digit }
        // X names keys of other scripts by their code point: U0431.
        if key.hasPrefix("U"), let code = UInt32(key.dropFirst(), radix: 16), let scalar = Unicode.Scalar(code) {
            return scalar.value >= 32 ? Character(scalar) : nil
        }
        return names[key]
    }

    private static let names: [String: Character] = [
        "space": " ", "exclam": "!", "quotedbl": "\"", "numbersign": "#", "dollar": "$", "percent": "%",
        "ampersand": "&", "apostrophe": "'", "parenleft": "(", "parenright": ")", "asterisk": "*", "plus": "+",
        "comma": ",", "minus": "-", "period": ".", "slash": "/", "colon": ":", "semicolon": ";", "less": "<",
        "equal": "=", "greater": ">", "question": "?", "at": "@", "bracketleft": "[", "backslash": "\\",
        "bracketright": "]", "asciicircum": "^", "underscore": "_", "grave": "`", "braceleft": "{", "bar": "|",
        "braceright": "}", "asciitilde": "~", "adiaeresis": "ä", "odiaeresis": "ö", "udiaeresis": "ü",
        "Adiaeresis": "Ä", "Odiaeresis": "Ö", "Udiaeresis": "Ü", "ssharp": "ß", "eacute": "é", "egrave": "è",
        "agrave": "à", "ccedilla": "ç", "ntilde": "ñ", "atilde": "ã", "EuroSign": "€",
    ]
}
