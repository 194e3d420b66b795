/// How a place of a picture is made unreadable.
public enum HidingStyle: String, Sendable, CaseIterable {
    /// Filled with black: nothing of what stood there is left in the file.
    case black
    /// Squares of one mean color each. Weaker: who knows the font can try texts until the squares are the same.
    case pixelate
    /// Blurred. The weakest: much of a blur can be undone.
    case blur
}
