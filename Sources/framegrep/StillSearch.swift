import GStreamerMedia
import Spotter
import TextSpotting

extension InputSearch {
    /// Searches a still picture once more, as well as it can be read, and tells what was not found before.
    ///
    /// - Returns: the totals of both readings.
    func searchClosely(
        _ source: OpenedSource, _ settings: FindSettings, _ reader: any TextReader, found: InputResults,
        _ recorder: SearchIndexRecorder.Recorder?, _ progress: ProgressLine, _ enough: EarlyEnd
    ) async throws -> FindSummary {
        // Those that are known do not count again.
        var all = settings
        all.maximumCount = nil
        let spotter = FileSpotter(
            description: SourceDescription.search(source), sourceName: source.uri.redacted, settings: all,
            reader: reader, matcher: job.matcher)
        var summary = try await spotter.search { event in
            var event = event
            if case .sighting(var sighting) = event {
                let count = found.sightings.count
                guard settings.maximumCount.map({ count < $0 }) ?? true, !found.holds(sighting) else { return }
                sighting.id = count + 1
                event = .sighting(sighting)
            }
            if found.take(event) { enough.ask() }
            if case .finding(let finding) = event { recorder?.take(finding) }
            tell(event, of: source, isStill: true, progress)
            if outputs.failure != nil { enough.ask() }
        }
        summary.sightings = found.sightings.count
        return summary
    }

    /// Searches a still picture once more, upside down and mirrored, where its text makes no sense.
    ///
    /// - Returns: how many more sightings there are.
    func searchTurned(
        _ source: OpenedSource, settings: FindSettings, found: InputResults, progress: ProgressLine
    ) async throws -> Int {
        let known = found.sightings.count
        guard let reader = job.reader, StillTurn.isWorthTrying(found.lines) else { return 0 }
        // As it is shown: its head may ask to be laid on its side.
        let isOnItsSide = ["90", "270"].contains { source.info.orientation?.hasSuffix($0) ?? false }
        let (long, high) = (Double(source.info.width), Double(source.info.height))
        let sides = isOnItsSide ? (width: high, height: long) : (width: long, height: high)
        for turn in StillTurn.allCases {
            let tried = InputResults(isStill: true, maximumLines: nil)
            let spotter = FileSpotter(
                description: turn.search(source), sourceName: source.uri.redacted, settings: settings, reader: reader,
                matcher: job.matcher)
            _ = try await spotter.search { _ = tried.take($0) }
            for sighting in StillTurn.sensible(tried.sightings, among: tried.lines) {
                let count = found.sightings.count
                if let maximum = settings.maximumCount, count >= maximum { break }
                var shown = turn.displayed(sighting, width: sides.width, height: sides.height)
                shown.id = count + 1
                _ = found.take(.sighting(shown))
                tell(.sighting(shown), of: source, isStill: true, progress)
            }
        }
        return found.sightings.count - known
    }
}

extension FindEvent {
    /// It is about what was read, whether anything was searched for or not.
    var isOfLines: Bool {
        switch self {
        case .text, .finding: true
        case .sighting, .onePicture, .progress, .warning: false
        }
    }
}
