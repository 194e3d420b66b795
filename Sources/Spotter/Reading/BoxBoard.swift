import Synchronization
import TextSpotting

/// The latest reading on its way from the reader to the display. Thread-safe; one place, the newer replaces the older.
final class BoxBoard: Sendable {
    struct Reading: Sendable {
        /// Each match with the id of its sighting; quads in pixels of the searched part.
        let found: [(id: Int, match: Match)]
        /// The frame that was read.
        let time: FrameTime
        /// Its small picture of that part; nil where there is none.
        let picture: Picture?
        /// Forget all other boxes: something else is searched for now.
        let isNewSearch: Bool
    }

    /// Matches in lines of a reading that is not complete yet.
    struct Glimpse: Sendable {
        /// Each match with a number below 0, which no sighting has; in pixels of the searched part.
        var found: [(id: Int, match: Match)]
        /// The frame that is being read.
        var time: FrameTime
        let revision: Int
    }

    private let pending = Mutex<Reading?>(nil)
    private let glimpsed = Mutex<(glimpse: Glimpse, isNews: Bool)?>(nil)

    /// Something was found in a line of the frame of `time`, whose reading goes on.
    ///
    /// - Parameter revision: of what was searched for: matches of another search do not belong together.
    func glimpse(_ matches: [Match], at time: FrameTime, revision: Int) {
        glimpsed.withLock { known in
            var glimpse = Glimpse(found: [], time: time, revision: revision)
            if let before = known?.glimpse, before.time.index == time.index, before.revision == revision {
                glimpse = before
            }
            for match in matches { glimpse.found.append((-1 - glimpse.found.count, match)) }
            known = (glimpse, true)
        }
    }

    /// All that was found by now in the reading under way, where something has come since this was asked.
    ///
    /// - Parameter time: of the frame that is shown; nil for the last one that came. What is found in later ones waits.
    func takeGlimpse(upTo time: StreamTime? = nil) -> Glimpse? {
        glimpsed.withLock { known in
            guard let (glimpse, isNews) = known, isNews, time.map({ glimpse.time.start <= $0 }) ?? true else {
                return nil
            }
            known?.isNews = false
            return glimpse
        }
    }

    func post(_ reading: Reading) {
        // The whole reading says it all.
        glimpsed.withLock { $0 = nil }
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
