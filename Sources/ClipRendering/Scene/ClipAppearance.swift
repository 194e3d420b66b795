/// How much of a text shows while it is there.
public enum ClipAppearance: Sendable, Hashable {
    /// All of it, all the time.
    case steady
    /// It fades in over this many frames, and out over as many.
    case fade(in: Int, out: Int)
    /// It is there for `on` frames, gone for `off`, and so on.
    case flicker(on: Int, off: Int)
    /// One character after the other, from the left; the first at once.
    case typed(charactersPerSecond: Double)

    /// The state of the text `frame` frames after its first one, of `count` in all.
    func state(ofFrame frame: Int, of count: Int, frameRate: Int, characters: Int) -> (shown: Int, opacity: Double) {
        switch self {
        case .steady:
            return (characters, 1)
        case .fade(let rise, let fall):
            let risen = Double(frame + 1) / Double(max(0, rise) + 1)
            let left = Double(count - frame) / Double(max(0, fall) + 1)
            return (characters, min(1, risen, left))
        case .flicker(let on, let off):
            return (characters, frame % max(1, on + off) < on ? 1 : 0)
        case .typed(let rate):
            return (min(characters, 1 + Int(max(0, rate) * Double(frame) / Double(frameRate))), 1)
        }
    }
}
