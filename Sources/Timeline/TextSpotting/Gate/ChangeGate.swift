/// Decides from the pictures alone which frames of a recording are worth reading, and which parts of them.
///
/// Reading a frame costs a hundred times as much as looking at it, and most frames show what the one before showed. The
/// gate compares thumbnails tile by tile and asks for a reading when something has changed since the last one, no more
/// often than ``Settings/minimumInterval`` and no less often than ``Settings/maximumAge``, however the picture moves: a
/// gate that waits for the picture to settle would never read scrolling text. Anything that stood still for a moment
/// and is about to be lost is read first, however short the moment was. Where the picture moved as a whole
/// (`GlobalMotion`), only areas that the motion uncovered or does not explain count as changed.
///
/// The decisions depend only on the pictures and their times, never on results or on the speed of the machine, so the
/// same recording is always read at the same frames.
public struct ChangeGate: Sendable {
    /// How soon after a change, and how rarely without one, a frame is read. The defaults suit recordings.
    public struct Settings: Sendable, Hashable {
        /// The shortest time between readings of a picture that changes in parts.
        public var minimumInterval = StreamTime(seconds: 0.2)
        /// The shortest time between readings of a picture that has kept changing for several readings in a row. Text
        /// that comes nearer, turns or is being typed is followed between readings, and each reading costs as much as
        /// decoding some twenty frames.
        public var steadyInterval = StreamTime(seconds: 0.4)
        /// The shortest time between readings of a picture that changes all over (a pan, a walk). Its text rarely
        /// disappears sooner, and reading all of it is expensive. The first picture after a cut is read at once.
        public var motionInterval = StreamTime(seconds: 0.4)
        /// The time after which a picture that seems unchanged is read again, if it changed at all.
        public var maximumAge = StreamTime(seconds: 5)
        /// The number of frames after which a picture that stands still is read before it is lost.
        public var settlingFrames = 2
        /// The side of the compared tiles, in pixels of the thumbnail.
        public var tileSide = 16
        /// Where the picture only moved, asks for a reading with an empty mask instead of none, so that the places of
        /// known text are updated.
        public var followsMotion = false
        /// Asks for an empty reading after ``maximumAge`` even if the picture stands perfectly still, which limits the
        /// number of frames that wait for a reading.
        public var readsStillPictures = false
        /// The times in which every frame that differs from the one before is read, sorted and not overlapping. The
        /// first differing frame is read whole; in the others only what differs is read, however it moved.
        public var closeTimes: [Range<StreamTime>] = []
        /// Whether text counts that is so faint that only a thorough reader may read it, if it stands still on a flat
        /// ground that rested before (`FaintChanges`).
        public var seesFaintText = false
        public var policy = Policy.changes

        public init() {}
    }

    /// The rule that decides whether a frame is read.
    public enum Policy: Sendable, Hashable {
        /// Reads the frames that have changed since the last reading.
        case changes
        /// Reads every frame, changed or not; a reference to measure the other policy against.
        case everyFrame
    }

    /// The decision about the frame just considered.
    public struct Decision: Sendable, Hashable {
        /// The tiles to read in the frame before this one, because they showed something that was never read and is now
        /// gone.
        public var readsPrevious: TileMask?
        /// The motion since the last reading, in the frame before this one.
        public var previousDisplacement = Displacement.none
        /// The tiles to read in this frame; all of them if the whole picture is to be read.
        public var reads: TileMask?
        /// The motion since the last reading, in this frame, outside the tiles to be read.
        public var displacement = Displacement.none
        /// The reason this frame is to be read; nil if it is not.
        public var reason: Reason?
        /// The tiles of the frame before this one that showed something no reading saw and no later reading will see:
        /// known lines there may have changed their text, as counters and captions do. Only known lines are reread in
        /// these tiles, and the next reading still counts from the one before.
        public var rereadsPrevious: TileMask?
        /// Whether no tile differs from the last frame that was not itself a repeat.
        public var isRepeat: Bool
    }

    /// The reason a frame is read, for debugging.
    public enum Reason: Sendable, Hashable {
        /// The first frame, or the first after the size changed.
        case firstPicture
        /// The whole picture changed at once.
        case cut
        /// Something changed, long enough after the last reading.
        case change
        /// Only the position changed: nothing is read, but places are updated.
        case motion
        /// The last reading is ``Settings/maximumAge`` old.
        case age
        /// The policy is to read every frame.
        case everyFrame
        /// The frame differs from the one before, in a time in which each such frame is to be read.
        case close
    }

    /// The share of changed tiles from which the picture counts as changing all over.
    private static let everywhere = 0.25
    /// The least mean difference that counts, in gray levels. A smaller one is invisible to a user even where nothing
    /// moves.
    private static let leastChange: Float = 0.5
    /// The share of changed tiles from which the motion of the picture is estimated.
    private static let moves = 0.03
    /// The number of readings in a row, each as soon as it was due, after which a picture counts as changing steadily.
    /// A fade is over by then, and its times are exact.
    private static let steady = 6
    /// In a moving picture, uncovered tiles below this share can wait twice as long.
    private static let uncovered = 0.15
    /// If more than this share of the picture changed since the last frame, only areas that stood still may be a text
    /// of their own.
    private static let mostBusy = 0.1

    public let settings: Settings
    private var grid: TileGrid?
    /// Each tile as it was when last read.
    private var reference: Picture?
    private var previous: Picture?
    /// The difference between `previous` and `reference`; nil until it is computed.
    private var comparison: ReferenceComparison?
    private var lastReading = StreamTime.zero
    /// The number of readings in a row that came as soon as they were due.
    private var promptReadings = 0
    /// The share of tiles in which the last frame differed from the one before.
    private var lastMoved = 0.0
    /// The last time every tile was compared with its reading, down to the least change. ``Settings/maximumAge`` counts
    /// from here.
    private var lastFullReading = StreamTime.zero
    /// For each tile, the number of frames it has stood still without being read since it changed.
    private var settledFrames: [UInt8] = []
    /// The states of each tile that no reading has seen.
    private var unseen = UnseenStates()
    private var faint = FaintChanges()
    /// Whether the last frame considered is in ``Settings/closeTimes``.
    private var isClose = false
    /// The tiles in which the last frame considered differs from the last reading.
    private var unread: TileMask?
    /// The motion since the reading, in the last frame considered.
    private var displacement = Displacement.none
    private var motion = GlobalMotion()

    public init(settings: Settings = Settings()) {
        self.settings = settings
    }

    /// The tiles of the last frame considered that were never read; nil if there are none.
    public var unreadChange: TileMask? { unread.flatMap { $0.isEmpty ? nil : $0 } }
    /// The tiles in which the last frame considered shows something that no reading saw, even if it resembles what was
    /// read there before; nil if there are none.
    public var unseenTiles: TileMask? { grid.flatMap(unseen.tiles) }
    /// The motion since the reading, in the last frame considered.
    public var unreadDisplacement: Displacement { displacement }

    /// The measurements of a frame that the decision to read it is based on.
    private struct FrameComparison {
        let time: FrameTime
        /// For each tile, whether it differs from the frame before.
        let sincePrevious: [Bool]
        /// Whether the whole picture changed at once.
        let isCut: Bool
        /// The tiles that differ from the last reading, regardless of motion.
        var changed: TileMask
        /// The mean difference of each tile from the last reading, in gray levels.
        let differences: [Float]
        /// Whether the picture moved as a whole.
        var moves = false
    }

    /// Takes the thumbnail of the next frame and decides whether to read the frame.
    public mutating func consider(_ picture: Picture, at time: FrameTime) -> Decision {
        guard let grid, reference != nil, let previous, grid.width == picture.width, grid.height == picture.height
        else {
            return restart(with: picture, at: time)
        }
        let steps = grid.differences(picture, previous)
        let sincePrevious = TileNoise.changes(steps)
        let isRepeat = !sincePrevious.contains(true)
        let moved = TileMask(grid: grid, flags: sincePrevious).share
        // A cut changes much at once; a pan had already changed as much in the frame before.
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
            let sincePrevious = moves ? grid.changes(sincePrevious, steps, picture, previous) : sincePrevious
            decision.rereadsPrevious = unseen.advance(
                compared.changed, sincePrevious, motion: moves ? (previous, picture) : nil, reads: &decision.reads,
                readsPrevious: decision.readsPrevious)
        }
        note(decision, compared, picture)
        // A repeat is not stored: comparing with the original lets a slow fade add up instead of slipping by.
        if !isRepeat { self.previous = picture }
        return decision
    }

    /// Reads tiles of the previous frame that had stood still, were never read, and have just changed.
    private mutating func readWhatIsLost(_ sincePrevious: [Bool], in previous: Picture, _ decision: inout Decision) {
        let lost = sincePrevious.indices.count(where: {
            settledFrames[$0] >= settings.settlingFrames && sincePrevious[$0]
        })
        // While the picture keeps moving nothing has settled; when something vanishes, most of it had.
        guard lost > 0, lost * 2 >= sincePrevious.count(where: { $0 }), let unread, settings.policy == .changes else {
            return
        }
        decision.readsPrevious = unread
        decision.previousDisplacement = displacement
        absorb(previous, unread)
    }

    /// Returns the tiles that no longer show what was read, and the difference of each tile.
    ///
    /// - Parameter steps: the difference of each tile from the frame before.
    private mutating func changedTiles(
        of picture: Picture, after previous: Picture, _ steps: [Float], isRepeat: Bool
    ) -> (TileMask, differences: [Float]) {
        guard let grid, let reference else { preconditionFailure("a gate that saw a picture has a reference") }
        let before = comparison ?? ReferenceComparison(previous, with: reference, on: grid)
        var now = before.advanced(to: picture, with: reference, after: steps)
        let different = TileNoise.changes(now.differences)
        var flags = now.withoutShimmer(different, picture, reference)
        if settings.seesFaintText {
            faint.add(to: &flags, of: grid, among: different, after: steps, picture, reference)
        }
        comparison = isRepeat ? before : now
        return (TileMask(grid: grid, flags: flags), now.differences)
    }

    /// Decides whether to read a frame, which tiles of it, and why.
    private mutating func decide(_ compared: FrameComparison, _ decision: inout Decision) {
        switch settings.policy {
        case .everyFrame: (decision.reads, decision.reason) = (.all(of: compared.changed.grid), .everyFrame)
        case .changes: decideByChanges(compared, &decision)
        }
    }

    /// Reads the tiles that differ from the previous reading. Where much of the picture moves, small differences count
    /// as noise, and everything is read.
    private func decideClosely(_ compared: FrameComparison, moved: Double, isFirst: Bool, _ decision: inout Decision) {
        let all = TileMask.all(of: compared.changed.grid)
        let changed = isFirst || moved > Self.everywhere ? all : compared.changed
        if !changed.isEmpty { (decision.reads, decision.reason) = (changed, .close) }
    }

    /// Reads what has changed once enough time has passed, and after ``Settings/maximumAge`` anything that changed at
    /// all.
    private mutating func decideByChanges(_ compared: FrameComparison, _ decision: inout Decision) {
        let grid = compared.changed.grid
        let age = compared.time.start - lastReading
        // If times went backward, they say nothing about age.
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

    /// Stores the pictures that the next frames are compared with: tiles that have been read, and tiles that stand
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

    /// Returns the motion of the picture since it was read, if it is worth estimating and explains the change.
    private mutating func movement(to picture: Picture, from previous: Picture, moved: Double, asks: Bool)
        -> GlobalMotion.Shift?
    {
        guard let grid, let reference, settings.policy == .changes else { return nil }
        if moved >= Self.moves { motion.advance(from: previous, to: picture, since: reference) }
        guard asks, motion.hasMoved else { return nil }
        return motion.shift(
            to: picture, reference: reference, grid: grid, bar: TileNoise.usualBar)
    }

    /// Returns the time after a reading at which these tiles are to be read.
    private func interval(_ changed: TileMask, moves: Bool) -> StreamTime {
        let share = changed.share
        guard moves else {
            if share > Self.everywhere { return settings.motionInterval }
            return promptReadings < Self.steady
                ? settings.minimumInterval : max(settings.minimumInterval, settings.steadyInterval)
        }
        return share < Self.uncovered ? settings.motionInterval + settings.motionInterval : settings.motionInterval
    }

    /// Asks for the whole picture: it is the first frame, or the first after the size changed.
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
        faint = FaintChanges(count: grid.count)
        unread = nil
        displacement = .none
        motion = GlobalMotion()
        return Decision(readsPrevious: nil, reads: .all(of: grid), reason: .firstPicture, isRepeat: false)
    }

    /// Records that these tiles are read as they are in `picture`.
    private mutating func absorb(_ picture: Picture, _ mask: TileMask) {
        defer {
            displacement = .none
            comparison = nil
            motion.restart()
        }
        // In a picture that moved, the tiles that are not read again keep their last reading, shifted by the motion.
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
    /// Returns whether a frame is visible during one of the close times.
    fileprivate func isClose(_ time: FrameTime) -> Bool {
        let next = closeTimes.prefixEnd(while: { $0.upperBound <= time.start })
        return next < closeTimes.count && closeTimes[next].lowerBound < time.end
    }
}
