/// Decides which frames of a recording are worth reading, from the pictures alone.
///
/// Reading is a hundred times dearer than looking, and most frames show what the one before showed. The gate compares
/// small luma pictures tile by tile and asks for a reading when something has changed since the last one, no more
/// often than ``Settings/minimumInterval`` and no less often than ``Settings/maximumAge``, however the picture moves:
/// a gate that waits for the picture to settle would never read scrolling text. What stood still for a moment and is
/// about to be lost is read first, however short the moment was.
///
/// Its decisions depend on pictures and their times only, never on results or on the machine's speed; so the same
/// recording is always read at the same frames.
public struct ChangeGate: Sendable {
    public struct Settings: Sendable, Hashable {
        /// A changing picture is read at most this often.
        public var minimumInterval = StreamTime(seconds: 0.2)
        /// A picture that seems not to change is read again after this time.
        public var maximumAge = StreamTime(seconds: 5)
        /// Side of the compared tiles, in pixels of the small picture.
        public var tileSide = 16
        /// Read every frame, changed or not: the yardstick.
        public var readsEveryFrame = false

        public init() {}
    }

    /// What to do about the frame just considered.
    public struct Decision: Sendable, Hashable {
        /// Read the frame before this one: it showed something that was never read and is now gone.
        public var readsPrevious: Bool
        /// Read this frame.
        public var reads: Bool
        /// No tile differs from the last frame that was not itself a repeat.
        public var isRepeat: Bool
    }

    public let settings: Settings
    private var grid: TileGrid?
    private var reference: Picture?
    private var previous: Picture?
    private var lastReading = StreamTime.zero
    /// Per tile: the previous frame differed from the last reading there, and had already stood still.
    private var unreadAndSettled: [Bool] = []
    private var previousWasRead = false
    /// The last frame considered differs from the last reading.
    public private(set) var hasUnreadChange = false

    public init(settings: Settings = Settings()) {
        self.settings = settings
    }

    /// Looks at the next frame's small luma picture.
    public mutating func consider(_ picture: Picture, at time: FrameTime) -> Decision {
        guard let grid, let reference, let previous, grid.width == picture.width, grid.height == picture.height else {
            return restart(with: picture, at: time)
        }
        let sincePrevious = changes(grid.differences(picture, previous))
        let isRepeat = !sincePrevious.contains(true)
        let sinceReading = isRepeat && previousWasRead ? sincePrevious : changes(grid.differences(picture, reference))

        var losesUnread = false
        for tile in 0..<grid.count where unreadAndSettled[tile] && sincePrevious[tile] { losesUnread = true }
        let readsPrevious = losesUnread && !previousWasRead && !settings.readsEveryFrame

        let age = time.start - lastReading
        let isDue = age >= settings.minimumInterval || age < .zero
        let hasChanged = sinceReading.contains(true)
        let reads = settings.readsEveryFrame || (hasChanged && isDue && !readsPrevious) || age >= settings.maximumAge

        if reads {
            self.reference = picture
            lastReading = time.start
            unreadAndSettled = [Bool](repeating: false, count: grid.count)
            hasUnreadChange = false
        } else {
            if readsPrevious { self.reference = previous }
            let unread = readsPrevious ? changes(grid.differences(picture, previous)) : sinceReading
            for tile in 0..<grid.count { unreadAndSettled[tile] = unread[tile] && !sincePrevious[tile] }
            hasUnreadChange = unread.contains(true)
        }
        previousWasRead = reads
        // A repeat keeps standing for the picture it repeats, so that a slow fade adds up instead of slipping by.
        if !isRepeat { self.previous = picture }
        return Decision(readsPrevious: readsPrevious, reads: reads, isRepeat: isRepeat)
    }

    /// The first frame, and the first after the picture's size changed, is always read.
    private mutating func restart(with picture: Picture, at time: FrameTime) -> Decision {
        let grid = TileGrid(width: picture.width, height: picture.height, side: settings.tileSide)
        self.grid = grid
        reference = picture
        previous = picture
        previousWasRead = true
        hasUnreadChange = false
        lastReading = time.start
        unreadAndSettled = [Bool](repeating: false, count: grid.count)
        return Decision(readsPrevious: false, reads: true, isRepeat: false)
    }

    /// Which tiles differ by more than noise would make them.
    ///
    /// Sensor noise and compression shimmer raise all tiles alike, so the median difference is taken as the noise and
    /// the bar is set above it; it is capped, because in a pan the median is the picture's own movement.
    private func changes(_ differences: [Float]) -> [Bool] {
        let noise = min(6, differences.isEmpty ? 0 : differences.sorted()[differences.count / 2])
        let bar = 2 + 2.5 * noise
        return differences.map { $0 > bar }
    }
}
