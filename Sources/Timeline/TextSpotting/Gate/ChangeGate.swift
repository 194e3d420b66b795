/// Decides which frames of a recording are worth reading, and which parts of them, from the pictures alone.
///
/// Reading is a hundred times dearer than looking, and most frames show what the one before showed. The gate compares
/// thumbnails tile by tile and asks for a reading when something has changed since it was last read, no more
/// often than ``Settings/minimumInterval`` and no less often than ``Settings/maximumAge``, however the picture moves:
/// a gate that waits for the picture to settle would never read scrolling text. What stood still for a moment and is
/// about to be lost is read first, however short the moment was. Where the picture moved as a whole (`GlobalMotion`),
/// only what the motion uncovered or does not explain counts as changed.
///
/// Its decisions depend on pictures and their times only, never on results or on the machine's speed; so the same
/// recording is always read at the same frames.
public struct ChangeGate: Sendable {
    /// How soon after a change, and how seldom without one, a frame is read. The defaults are those of recordings.
    public struct Settings: Sendable, Hashable {
        /// A picture that changes in parts is read at most this often.
        public var minimumInterval = StreamTime(seconds: 0.2)
        /// One that goes on changing, reading after reading, is read at most this often: what comes nearer, turns or is typed is
        /// followed between readings, and each costs as much as decoding some twenty frames.
        public var steadyInterval = StreamTime(seconds: 0.4)
        /// A picture that changes all over (a pan, a walk) is read at most this often: what is on it seldom is gone sooner,
        /// and reading all of it is dear. The first picture after a cut is read at once.
        public var motionInterval = StreamTime(seconds: 0.4)
        /// A picture that seems not to change is read again after this time, where it changed at all.
        public var maximumAge = StreamTime(seconds: 5)
        /// A picture that stood still for this many frames is read before it is lost.
        public var settlingFrames = 2
        /// Side of the compared tiles, in pixels of the thumbnail.
        public var tileSide = 16
        /// Read nothing (an empty mask) rather than not at all where the picture only moved, so that places are known anew.
        public var followsMotion = false
        /// Read nothing after ``maximumAge`` where the picture stands exactly still, so that no more frames than of this time wait for a
        /// reading.
        public var readsStillPictures = false
        /// Times in which each frame that differs from the one before is read, in order and apart from each other: all of the first, and
        /// what differs in the others, however it moved.
        public var closeTimes: [Range<StreamTime>] = []
        public var policy = Policy.changes

        public init() {}
    }

    /// By what it is decided whether a frame is read.
    public enum Policy: Sendable, Hashable {
        /// Frames that have changed since the last reading.
        case changes
        /// Nothing: every frame is read, changed or not, as the yardstick.
        case everyFrame
    }

    /// The decision about the frame just considered.
    public struct Decision: Sendable, Hashable {
        /// Read these tiles of the frame before this one: they showed something that was never read and is now gone.
        public var readsPrevious: TileMask?
        /// The motion since the last reading, in the frame before this one.
        public var previousDisplacement = Displacement.none
        /// Read these tiles of this frame; where the whole picture is to be read, it is all of them.
        public var reads: TileMask?
        /// The motion since the last reading, in this frame, outside of the tiles to be read.
        public var displacement = Displacement.none
        /// Why this frame is to be read; nil if it is not.
        public var reason: Reason?
        /// In the frame before this one these tiles showed something that no reading saw, and no later one will: lines that are known to
        /// stand there may have said something else, as counters and captions do. Nothing else is to be looked for there, and the next
        /// reading counts from the one before.
        public var rereadsPrevious: TileMask?
        /// No tile differs from the last frame that was not itself a repeat.
        public var isRepeat: Bool
    }

    /// Why a frame is read: for debugging.
    public enum Reason: Sendable, Hashable {
        /// The first frame, or the first of another size.
        case firstPicture
        /// Another picture all at once.
        case cut
        /// Something changed, long enough after the last reading.
        case change
        /// Nothing changed but the place: read nothing, so that places are known anew.
        case motion
        /// It was last read ``Settings/maximumAge`` ago.
        case age
        /// Every frame is to be read.
        case everyFrame
        /// Each frame is to be read that differs from the one before.
        case close
    }

    /// From this share of changed tiles on the picture changes all over.
    private static let everywhere = 0.25
    /// A gray level of mean difference: no change that a user would see, even where nothing moves.
    private static let leastChange: Float = 0.5
    /// From this share of changed tiles on it is worth asking how the picture moved.
    private static let moves = 0.03
    /// After so many readings, each as soon as it was due, a picture changes steadily; a fade is over by then, and exact.
    private static let steady = 6
    /// In a moving picture, less than this share of uncovered tiles can wait twice as long.
    private static let uncovered = 0.15
    /// Where more of the picture changed since the last frame than this share, only what stood still meanwhile may be a text of its own.
    private static let mostBusy = 0.1

    public let settings: Settings
    private var grid: TileGrid?
    /// Each tile as it was when it was last read.
    private var reference: Picture?
    private var previous: Picture?
    /// How `previous` differs from `reference`; nil if that is to be found out.
    private var comparison: ReferenceComparison?
    private var lastReading = StreamTime.zero
    /// How many readings there were in a row that came as soon as they were due.
    private var promptReadings = 0
    /// The share of tiles in which the last frame differed from the one before.
    private var lastMoved = 0.0
    /// When every tile was last compared with its reading, down to the least change: the bound on age counts from here.
    private var lastFullReading = StreamTime.zero
    /// Per tile: for how many frames it has stood still without having been read since it changed.
    private var settledFrames: [UInt8] = []
    /// States of each tile that no reading has seen.
    private var unseen = UnseenStates()
    /// The last frame considered is in ``Settings/closeTimes``.
    private var isClose = false
    /// The tiles in which the last frame considered differs from the reading.
    private var unread: TileMask?
    /// The motion since the reading, in the last frame considered.
    private var displacement = Displacement.none
    private var motion = GlobalMotion()

    public init(settings: Settings = Settings()) {
        self.settings = settings
    }

    /// The tiles of the last frame considered that were never read; nil if there are none.
    public var unreadChange: TileMask? { unread.flatMap { $0.isEmpty ? nil : $0 } }
    /// The tiles in which the last frame considered shows what no reading saw, though it may look as what was read there before; nil if
    /// there are none.
    public var unseenTiles: TileMask? { grid.flatMap(unseen.tiles) }
    /// The motion since the reading, in the last frame considered.
    public var unreadDisplacement: Displacement { displacement }

    /// Measurements of a frame before it is decided whether to read it.
    private struct FrameComparison {
        let time: FrameTime
        /// Which tiles differ from the frame before.
        let sincePrevious: [Bool]
        /// Another picture all at once.
        let isCut: Bool
        /// The tiles in which it differs from the reading, whatever its motion.
        var changed: TileMask
        /// The mean difference of each tile from the reading, in gray levels.
        let differences: [Float]
        /// The picture moved as a whole.
        var moves = false
    }

    /// Looks at the next frame's thumbnail.
    public mutating func consider(_ picture: Picture, at time: FrameTime) -> Decision {
        guard let grid, reference != nil, let previous, grid.width == picture.width, grid.height == picture.height
        else {
            return restart(with: picture, at: time)
        }
        let steps = grid.differences(picture, previous)
        let sincePrevious = TileNoise.changes(steps)
        let isRepeat = !sincePrevious.contains(true)
        let moved = TileMask(grid: grid, flags: sincePrevious).share
        // A cut changes much at once; in a pan as much changed in the frame before.
        let isCut = moved > Self.everywhere && moved > 3 * lastMoved
        lastMoved = moved
        var decision = Decision(readsPrevious: nil, reads: nil, isRepeat: isRepeat)
        readWhatIsLost(sincePrevious, in: previous, &decision)
        let (changed, differences) = changedTiles(of: picture, after: previous, steps, isRepeat: isRepeat)
        var compared = FrameComparison(
            time: time, sincePrevious: sincePrevious, isCut: isCut, changed: changed, differences: differences)
        let asks = time.start - lastReading >= settings.minimumInterval || isCut
        let wasClose = isClose
        isClose = settings.isClose(time)
        let movement = isClose ? nil : movement(to: picture, from: previous, moved: moved, asks: asks)
        displacement = movement?.displacement ?? .none
        if let movement {
            compared.changed = movement.unexplained
            compared.moves = true
        }
        if isClose, settings.policy == .changes {
            decideClosely(compared, moved: moved, isFirst: !wasClose, &decision)
        } else {
            decide(compared, &decision)
        }
        if settings.policy == .changes {
            let moves = compared.moves || moved > Self.mostBusy
            decision.rereadsPrevious = unseen.advance(
                compared.changed, sincePrevious, motion: moves ? (previous, picture) : nil, reads: &decision.reads,
                readsPrevious: decision.readsPrevious)
        }
        note(decision, compared, picture)
        // A repeat keeps standing for the picture it repeats, so that a slow fade adds up instead of slipping by.
        if !isRepeat { self.previous = picture }
        return decision
    }

    /// Reads tiles of the frame before that had stood still, were never read, and have changed now.
    private mutating func readWhatIsLost(_ sincePrevious: [Bool], in previous: Picture, _ decision: inout Decision) {
        let lost = sincePrevious.indices.count(where: {
            settledFrames[$0] >= settings.settlingFrames && sincePrevious[$0]
        })
        // Where the picture moves on steadily, nothing had settled; where something vanishes, most of it had.
        guard lost > 0, lost * 2 >= sincePrevious.count(where: { $0 }), let unread, settings.policy == .changes else {
            return
        }
        decision.readsPrevious = unread
        decision.previousDisplacement = displacement
        absorb(previous, unread)
    }

    /// The tiles that no longer show what was read, and the difference of each tile.
    ///
    /// - Parameter steps: how much each tile differs from the frame before.
    private mutating func changedTiles(
        of picture: Picture, after previous: Picture, _ steps: [Float], isRepeat: Bool
    ) -> (TileMask, differences: [Float]) {
        guard let grid, let reference else { preconditionFailure("a gate that saw a picture has a reference") }
        let before = comparison ?? ReferenceComparison(previous, with: reference, on: grid)
        var now = before.advanced(to: picture, with: reference, after: steps)
        let flags = now.withoutShimmer(TileNoise.changes(now.differences), picture, reference)
        comparison = isRepeat ? before : now
        return (TileMask(grid: grid, flags: flags), now.differences)
    }

    /// Whether to read a frame, which tiles of it, and why.
    private mutating func decide(_ compared: FrameComparison, _ decision: inout Decision) {
        switch settings.policy {
        case .everyFrame: (decision.reads, decision.reason) = (.all(of: compared.changed.grid), .everyFrame)
        case .changes: decideByChanges(compared, &decision)
        }
    }

    /// Reads what differs from the reading before. Where much of the picture moves, small differences count for noise: all is read.
    private func decideClosely(_ compared: FrameComparison, moved: Double, isFirst: Bool, _ decision: inout Decision) {
        let all = TileMask.all(of: compared.changed.grid)
        let changed = isFirst || moved > Self.everywhere ? all : compared.changed
        if !changed.isEmpty { (decision.reads, decision.reason) = (changed, .close) }
    }

    /// Reads what has changed, where it is time, and after the bound on age what has changed at all.
    private mutating func decideByChanges(_ compared: FrameComparison, _ decision: inout Decision) {
        let grid = compared.changed.grid
        let age = compared.time.start - lastReading
        // Times that went back say nothing about age.
        let sinceFullReading = compared.time.start - lastFullReading
        let isDue =
            age >= interval(compared.changed, moves: compared.moves) || age < .zero
            || (compared.isCut && !compared.moves)
        if sinceFullReading >= settings.maximumAge || sinceFullReading < .zero {
            let anything = TileMask(grid: grid, flags: compared.differences.map { $0 > Self.leastChange })
            lastFullReading = compared.time.start
            lastReading = min(lastReading, compared.time.start)
            displacement = .none
            if !anything.isEmpty || settings.readsStillPictures { (decision.reads, decision.reason) = (anything, .age) }
        } else if isDue, compared.isCut || decision.readsPrevious == nil,
            !compared.changed.isEmpty || (settings.followsMotion && displacement != .none)
        {
            decision.reads = compared.changed
            decision.reason = compared.isCut ? .cut : compared.changed.isEmpty ? .motion : .change
            decision.displacement = displacement
        }
    }

    /// Keeps the pictures that the next frames are compared with: tiles that are read by now, and those that stand
    /// still unread.
    private mutating func note(_ decision: Decision, _ compared: FrameComparison, _ picture: Picture) {
        if let reads = decision.reads {
            let age = compared.time.start - lastReading
            let isPrompt = decision.reason == .change && age < settings.steadyInterval + settings.minimumInterval
            promptReadings = isPrompt ? promptReadings + 1 : 0
            lastReading = compared.time.start
            absorb(picture, reads)
            unread = nil
        } else {
            unread = compared.changed
        }
        for tile in compared.sincePrevious.indices {
            let isUnread = decision.reads == nil && compared.changed.flags[tile]
            settledFrames[tile] = isUnread && !compared.sincePrevious[tile] ? min(254, settledFrames[tile]) + 1 : 0
        }
    }

    /// How the picture moved since it was read, where that is worth asking and explains it.
    private mutating func movement(to picture: Picture, from previous: Picture, moved: Double, asks: Bool)
        -> GlobalMotion.Shift?
    {
        guard let grid, let reference, settings.policy == .changes else { return nil }
        if moved >= Self.moves { motion.advance(from: previous, to: picture, since: reference) }
        guard asks, motion.hasMoved else { return nil }
        return motion.shift(
            to: picture, reference: reference, grid: grid, bar: TileNoise.usualBar)
    }

    /// How long after a reading these tiles are to be read.
    private func interval(_ changed: TileMask, moves: Bool) -> StreamTime {
        let share = changed.share
        guard moves else {
            if share > Self.everywhere { return settings.motionInterval }
            return promptReadings < Self.steady
                ? settings.minimumInterval : max(settings.minimumInterval, settings.steadyInterval)
        }
        return share < Self.uncovered ? settings.motionInterval + settings.motionInterval : settings.motionInterval
    }

    /// The first frame, and the first after the picture's size changed, is read as a whole.
    private mutating func restart(with picture: Picture, at time: FrameTime) -> Decision {
        let grid = TileGrid(width: picture.width, height: picture.height, side: settings.tileSide)
        self.grid = grid
        reference = picture
        previous = picture
        comparison = nil
        lastReading = time.start
        lastFullReading = time.start
        lastMoved = 0
        promptReadings = 0
        settledFrames = [UInt8](repeating: 0, count: grid.count)
        unseen = UnseenStates(count: grid.count)
        unread = nil
        displacement = .none
        motion = GlobalMotion()
        return Decision(readsPrevious: nil, reads: .all(of: grid), reason: .firstPicture, isRepeat: false)
    }

    /// These tiles are read as `picture` has them.
    private mutating func absorb(_ picture: Picture, _ mask: TileMask) {
        defer {
            displacement = .none
            comparison = nil
            motion.restart()
        }
        // Where the picture moved, what is not read anew is where it was read, moved.
        guard mask.share < 1, displacement == .none, var kept = reference else {
            reference = picture
            return
        }
        reference = nil
        mask.grid.copy(mask.flags, from: picture, into: &kept)
        reference = kept
    }
}

extension ChangeGate.Settings {
    /// Whether a frame is visible in one of the close times.
    fileprivate func isClose(_ time: FrameTime) -> Bool {
        let next = closeTimes.prefixEnd(while: { $0.upperBound <= time.start })
        return next < closeTimes.count && closeTimes[next].lowerBound < time.end
    }
}
