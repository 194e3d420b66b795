import Spotter
import TextIndex
import TextSpotting

/// The lines of a search's answer while the search goes on; releasing them ends it. One task reads.
final class FoundLines: ChunkSource {
    private let found: FoundSightings
    private let work: Task<Void, Never>?
    private let formatter = JSONLinesFormatter()

    init(_ found: FoundSightings, _ work: Task<Void, Never>? = nil) { (self.found, self.work) = (found, work) }

    deinit { work?.cancel() }

    func next() async throws -> [UInt8]? {
        switch await found.next() {
        case nil: return nil
        case .sightings(let all):
            return all.flatMap { Array(formatter.format($0.sighting, of: $0.source).utf8) + [0x0A] }
        case .end(let end):
            let last =
                switch end {
                case .success(let answer): answer.coverage
                case .failure(let error): PageProblem.object(PageProblem(of: error).message)
                }
            return Array(last.utf8) + [0x0A]
        }
    }
}

extension JSONLinesFormatter {
    /// The line of a sighting in a recording of the index.
    func format(_ sighting: Sighting, of source: IndexedSource) -> String {
        format(sighting, source: source.name, wallStart: source.wallTime(of: sighting))
    }
}
