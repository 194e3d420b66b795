import Engines
import Errors
import Foundation
import GStreamerMedia
import Spotter
import TextIndex
import TextMatching
import TextSpotting

/// Reads units of an archive, and writes their results.
struct UnitReader: Sendable {
    /// The folder of the results.
    let folder: String
    let allowed: Set<String>

    /// How far beyond its end a unit goes on at most, in seconds, for the reading that covers text shortly before its end.
    private static let longestTail = 30.0

    /// - Returns: damage in the recording.
    /// - Throws: ``FramegrepError`` if it cannot be read, or not be written; `CancellationError` where it was interrupted. Nothing of
    ///   it is left then.
    func run(
        _ unit: ArchiveUnit, _ reader: any TextReader,
        _ progress: @escaping @Sendable (StreamTime, _ total: StreamTime?) -> Void
    ) async throws -> FramegrepError? {
        let given = try SourceURI(unit.input)
        try StorageCredentials.check(given)
        let uri = given.path == nil ? try SourceURI(StorageCredentials.address(unit.input)) : given
        try SourceGuard.check(uri, allowing: allowed)
        try checkFile(of: unit)
        let opened = try await OpenedSource.open(uri, timeout: .seconds(20))
        defer { withExtendedLifetime(opened) {} }
        let writer = UnitWriter(from: unit.times.from, to: unit.times.to)
        let summary = try await read(opened, unit: unit, writer: writer, reader: reader, progress: progress)
        if !writer.isOver { try Task.checkCancellation() }
        // What was written to meanwhile is not what was planned.
        try checkFile(of: unit)
        // A recording may end before it says that it does; then there is nothing in its last units.
        let end = min(unit.times.to ?? summary.end, summary.end)
        let outcome = UnitResult.Outcome(
            end: end.seconds, duration: opened.info.duration?.seconds, isStill: opened.isStill,
            wallStart: opened.wallStart?.timeIntervalSince1970, problem: summary.damage?.message)
        var parts = writer.finish().filter { $0.frames.count > 0 || unit.piece == 0 }
        if unit.to == nil, let last = parts.indices.last { parts[last].to = max(parts[last].to, end) }
        try UnitResult.write(parts, of: unit, outcome, to: folder)
        return summary.damage
    }

    private func read(
        _ opened: OpenedSource, unit: ArchiveUnit, writer: UnitWriter, reader: any TextReader,
        progress: @escaping @Sendable (StreamTime, _ total: StreamTime?) -> Void
    ) async throws -> FindSummary {
        var settings = try unit.reading.settings()
        let (from, to) = unit.times
        settings.from = from > .zero ? from : nil
        settings.to = to.map {
            $0 + StreamTime(seconds: min(settings.gate.maximumAge.seconds, Self.longestTail) + 1)
        }
        let spotter = FileSpotter(
            description: SourceDescription.search(opened), sourceName: opened.uri.redacted, settings: settings,
            reader: reader, matcher: Matcher(patterns: []))
        let enough = EarlyEnd()
        let length = (to ?? opened.info.duration).map { $0 - from }
        return try await enough.run {
            try await spotter.search { event in
                switch event {
                case .finding(let finding):
                    if !writer.take(finding) { enough.ask() }
                case .progress(let position, _): progress(position - from, length)
                case .warning(let warning): StandardError.line("framegrep: \(warning.message)")
                case .sighting, .text, .onePicture: break
                }
            }
        }
    }

    /// - Throws: ``FramegrepError`` (`sourceUnavailable`) if the file differs from the plan.
    private func checkFile(of unit: ArchiveUnit) throws {
        guard let fingerprint = unit.fingerprint else { return }
        let now = FileStamp.digest(ofFile: unit.input)
        guard now != fingerprint else { return }
        let reason = now == nil ? "cannot be read on this machine" : "has changed since the archive was planned"
        throw FramegrepError(
            .sourceUnavailable,
            "\(unit.input) \(reason), so unit \(unit.unit) is not read; make it be there under that name, or plan again."
        )
    }
}
