/// The user's commands for a recording that is being played.
enum PlayerCommand: Sendable, Hashable {
    /// Seconds to go forward, or back if negative.
    case skip(Double)
    /// To this second of it.
    case seek(Double)
    case nextSighting
    case previousSighting
    case faster
    case slower
    case ownSpeed
    case toggleLoop
}
