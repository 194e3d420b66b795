import Foundation
import GStreamerMedia
import Spotter
import TextIndex
import TextSpotting

extension InputSearch {
    /// Prints the index's sightings in an input, as if it had been read.
    func answer(_ input: String, _ entry: IndexedInputs.Entry) async throws -> FindSummary {
        let name = redacted(input)
        let asked = try job.time.resolved(
            in: entry.source.isStill ? nil : entry.source.searchedLength, of: name
        ) { writer.tell("framegrep: \($0)") }
        let time = try narrowed(
            asked, from: entry.source.wallStart, length: entry.source.searchedLength, path: entry.source.name,
            stamp: entry.source.stamp, name)
        let sightings = if let time { try await found(in: entry, time, named: name) } else { [Sighting]() }
        if time != nil {
            tellAbsences(
                sightings, from: time?.from, until: min(entry.source.end, time?.to ?? entry.source.end), of: name,
                isStill: entry.source.isStill)
        }
        writer.say { [printer] in printer.end(source: name) }
        var summary = FindSummary()
        summary.sightings = sightings.count
        summary.end = entry.source.end
        if job.isVerbose { writer.tell("framegrep: \(name): from the index, \(sightings.count) sightings") }
        if entry.source.isLive, outputs.needSecondPass, !sightings.isEmpty {
            writer.tell("framegrep: \(name) was shown live: only its text was kept, so there are no pictures of it.")
        } else if outputs.needSecondPass {
            let source = try await OpenedSource.open(try SourceURI(input), timeout: .seconds(20))
            await writer.turn()
            try await write(sightings, of: source, until: min(summary.end, time?.to ?? summary.end), to: time?.to)
        }
        return summary
    }

    /// Prints the results of the index for an input as they are found.
    private func found(
        in entry: IndexedInputs.Entry, _ time: (from: StreamTime?, to: StreamTime?), named name: String
    ) async throws -> [Sighting] {
        func reported(_ sightings: [Sighting]) -> [Sighting] {
            IndexedAnswer(
                sightings: sightings, from: time.from, to: time.to, maximum: job.settings.maximumCount
            ).reported
        }
        guard let findings = entry.findings else {
            let sightings = reported(entry.sightings)
            await tell(sightings, of: entry, named: name)
            return sightings
        }
        // In a part of the time they can only be counted once all are known.
        let isCut = time.from != nil || time.to != nil
        var all: [Sighting] = []
        while true {
            let (more, isWhole) = try await findings.next(of: entry.source.id, after: all.count)
            all += more
            if !isCut { await tell(reported(more), of: entry, named: name) }
            guard isWhole else { continue }
            let sightings = reported(all)
            if isCut { await tell(sightings, of: entry, named: name) }
            return sightings
        }
    }

    private func tell(_ sightings: [Sighting], of entry: IndexedInputs.Entry, named name: String) async {
        let clock = entry.source.clock
        for sighting in job.absences == nil ? sightings : [] {
            writer.say { [printer, notices] in
                printer.print(sighting, of: ShownSource(name: name, isStill: entry.source.isStill, clock: clock))
                notices.tell {
                    JSONLinesFormatter().format(sighting, source: name, wallStart: clock?.date(at: sighting.start))
                }
            }
            await outputs.caughtUp()
        }
    }
}
