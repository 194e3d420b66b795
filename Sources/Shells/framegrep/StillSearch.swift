import GStreamerMedia
import Spotter
import TextSpotting

extension InputSearch {
    /// Searches a still picture again, as thoroughly as possible, and reports what was not found before.
    ///
    /// - Returns: the totals of both readings.
    func searchClosely(_ search: SourceSearch, _ reader: any TextReader) async throws -> FindSummary {
        // Those that are already known do not count again.
        var settings = search.settings
        settings.maximumCount = nil
        let spotter = FileSpotter(
            description: SourceDescription.search(search.source), sourceName: search.source.uri.redacted,
            settings: settings, reader: reader, matcher: job.matcher, file: search.source.file)
        var summary = try await spotter.search { event in
            guard case .sighting(let sighting) = event else { return take(event, of: search) }
            if !search.found.holds(sighting) { add(sighting, to: search) }
        }
        summary.sightings = search.found.sightings.count
        return summary
    }

    /// Searches a still picture again, upside down and mirrored, if its text makes no sense.
    ///
    /// - Returns: the number of further sightings.
    func searchTurned(_ search: SourceSearch, _ settings: FindSettings) async throws -> Int {
        let known = search.found.sightings.count
        guard let reader = job.reader, StillTurn.isWorthTrying(search.found.lines) else { return 0 }
        let sides = search.source.info.displayedSize
        for turn in StillTurn.allCases {
            let tried = InputResults(isStill: true, maximumLines: nil)
            let spotter = FileSpotter(
                description: turn.search(search.source), sourceName: search.source.uri.redacted, settings: settings,
                reader: reader, matcher: job.matcher, file: search.source.file)
            _ = try await spotter.search { _ = tried.take($0) }
            for sighting in StillTurn.sensible(tried.sightings, among: tried.lines) {
                let shown = turn.displayed(sighting, width: Double(sides.width), height: Double(sides.height))
                add(shown, to: search)
            }
        }
        return search.found.sightings.count - known
    }

    /// Reports a sighting that an earlier reading did not have, unless there are enough.
    private func add(_ sighting: Sighting, to search: SourceSearch) {
        let count = search.found.sightings.count
        guard search.settings.maximumCount.map({ count < $0 }) ?? true else { return }
        var sighting = sighting
        sighting.id = count + 1
        take(.sighting(sighting), of: search)
    }
}

extension FindEvent {
    /// Whether it is about lines that were read, independent of any pattern.
    var isOfLines: Bool {
        switch self {
        case .text, .finding: true
        case .sighting, .onePicture, .progress, .warning: false
        }
    }
}
