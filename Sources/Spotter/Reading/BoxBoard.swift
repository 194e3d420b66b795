import Synchronization
import TextSpotting

/// The latest reading on its way from the reader to the display. Thread-safe; one place, the newer replaces the older.
final class BoxBoard: Sendable {
    struct Reading: Sendable {
        /// Each match with the id of its sighting; quads in pixels of the frame as stored.
        let found: [(id: Int, match: Match)]
        /// The frame that was read.
        let time: FrameTime
        /// Its small picture; nil where there is none.
        let picture: Picture?
        /// Forget all other boxes: something else is searched for now.
        let isNewSearch: Bool
    }

    private let pending = Mutex<Reading?>(nil)

    func post(_ reading: Reading) {
        pending.withLock { pending in
            // What a reading before this one wanted forgotten has still to be.
            let isNewSearch = reading.isNewSearch || pending?.isNewSearch == true
            pending = Reading(
                found: reading.found, time: reading.time, picture: reading.picture, isNewSearch: isNewSearch)
        }
    }

    /// The reading that has not been taken yet.
    func take() -> Reading? {
        pending.withLock { pending in
            defer { pending = nil }
            return pending
        }
    }
}
