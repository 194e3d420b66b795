/// A box on a running picture: its match, and where it is in the frame being shown.
public struct FollowedBox: Sendable {
    /// Of the sighting it belongs to.
    public let id: Int
    /// The match in the last reading that found the words; its quad is where they were then.
    public internal(set) var match: Match
    /// Where the words are in the frame being shown, in pixels of the frame.
    public internal(set) var quad: Quad
    /// The frame of the reading that the box rests on: the nearest one, where there are readings before and after.
    public internal(set) var readAt: StreamTime
    /// The frame in which the picture last showed them.
    public internal(set) var seenAt: StreamTime
    /// How sure it is that the words are there: 1 when the frame shows them, less the longer it has not, 0 when the box is
    /// about to go.
    public internal(set) var presence = 1.0

    /// A box on a frame of which it is known.
    public init(id: Int, match: Match, quad: Quad, readAt: StreamTime) {
        self.init(id: id, match: match, quad: quad, readAt: readAt, seenAt: readAt)
    }

    /// The same box in another picture that shows the words, such as a part of this one.
    public func placed(at quad: Quad) -> FollowedBox {
        var box = self
        box.quad = quad
        return box
    }

    init(id: Int, match: Match, quad: Quad, readAt: StreamTime, seenAt: StreamTime, presence: Double = 1) {
        self.id = id
        self.match = match
        self.quad = quad
        self.readAt = readAt
        self.seenAt = seenAt
        self.presence = presence
    }
}
