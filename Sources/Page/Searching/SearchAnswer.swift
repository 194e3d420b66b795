import Foundation
import Spotter
import TextIndex
import TextSpotting

/// The results of a search, and the recordings that it did not cover.
struct SearchAnswer: Sendable {
    /// The recordings that were searched, by name.
    let sources: [IndexedSource]
    let sightings: [SourceID: [Sighting]]
    /// Recordings that are not in the index in their current state, and why.
    let missing: [(source: IndexedSource, reason: IndexedSource.Lack)]
    /// Where the index is.
    let folder: String

    /// All sightings in the order in which `framegrep find` prints them.
    var count: Int { sightings.values.reduce(0) { $0 + $1.count } }

    /// How much of the recordings was searched, in seconds.
    var seconds: Double { sources.reduce(0) { $0 + ($1.isStill ? 0 : $1.end.seconds) } }

    /// The very line that `framegrep find --format jsonl` ends with.
    var coverage: String {
        CoverageLine(
            folder: folder, count: sources.count, seconds: seconds,
            live: sources.filter(\.isLive).reduce(0) { $0 + $1.end.seconds },
            skimmed: sources.filter(\.isSkimmed).reduce(0) { $0 + $1.end.seconds },
            missing: missing.map { ($0.source.name, $0.reason.text) }
        ).json
    }
}

extension IndexedSource {
    /// The wall clock time of a sighting's beginning; nil if unknown.
    func wallTime(of sighting: Sighting) -> Date? { isStill ? nil : wallStart.map { $0 + sighting.start.seconds } }
}
