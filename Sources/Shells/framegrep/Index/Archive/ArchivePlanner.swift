import Errors
import Foundation
import GStreamerMedia
import TextIndex
import TextSpotting

/// Divides the recordings of an archive into units on a grid.
struct ArchivePlanner: Sendable {
    let reading: ArchiveUnit.Reading
    /// The reading profile as the catalog stores it.
    let manner: String
    let allowed: Set<String>
    let isVerbose: Bool

    /// The facts about one recording.
    struct Recording: Sendable {
        var input: String
        var fingerprint: String?
        /// The length; nil if the recording is one unit.
        var length: StreamTime?
        var seconds: Double
    }

    /// Inspects the inputs, several concurrently.
    ///
    /// - Returns: the units in the order of the inputs, their length in seconds, and the number of inputs that could
    ///   not be opened, each of which was reported.
    /// - Throws: ``FramegrepError`` (`badArgument`) if a password could go to several servers; `CancellationError`.
    func units(
        of inputs: [SearchInput], sideBySide: Int
    ) async throws -> (units: [ArchiveUnit], seconds: Double, failed: Int) {
        try StorageCredentials.checkServers(of: inputs.lazy.map(\.name))
        var found: [Int: Result<Recording?, FramegrepError>] = [:]
        try await withThrowingTaskGroup(of: (Int, Result<Recording?, FramegrepError>).self) { group in
            var next = 0
            func begin() {
                guard next < inputs.count else { return }
                let (number, input) = (next, inputs[next])
                group.addTask { (number, try await look(at: input)) }
                next += 1
            }
            for _ in 0..<sideBySide { begin() }
            while let (number, result) = try await group.next() {
                found[number] = result
                begin()
            }
        }
        var (units, seconds, failed) = ([ArchiveUnit](), 0.0, 0)
        // Two names of one file are one recording.
        var known = Set<ExactName>()
        for number in inputs.indices {
            switch found[number] {
            case .success(let recording?) where known.insert(ExactName(recording.input)).inserted:
                seconds += recording.seconds
                units += ArchiveUnit.units(
                    of: recording.input, fingerprint: recording.fingerprint, length: recording.length, manner: manner,
                    reading: reading, first: units.count)
            case .failure(let error):
                failed += 1
                StandardError.line("framegrep: \(error.message)")
            case .success, nil: break
            }
        }
        return (units, seconds, failed)
    }

    /// Returns nil for inputs that are skipped.
    private func look(at input: SearchInput) async throws -> Result<Recording?, FramegrepError> {
        do throws(FramegrepError) {
            return .success(try await recording(input.name))
        } catch  where input.passesOver(error) {
            if isVerbose { StandardError.line("framegrep: passed over: \(error.message)") }
            return .success(nil)
        } catch {
            try Task.checkCancellation()
            return .failure(error)
        }
    }

    private func recording(_ name: String) async throws(FramegrepError) -> Recording {
        do {
            let given = try SourceURI(name)
            try StorageCredentials.check(given)
            let path = try IndexedInputs.sourceName(of: name)
            let uri = try SourceURI(path ?? StorageCredentials.address(name))
            try SourceGuard.check(uri, allowing: allowed)
            let opened = try await OpenedSource.open(uri, timeout: .seconds(20))
            guard !opened.isReadOnce, !opened.info.isLive else {
                throw FramegrepError(
                    .badArgument,
                    "\(redacted(name)) can be read only once, so other machines cannot read parts of it; plan files and addresses of recordings."
                )
            }
            let canBeParted = !opened.isStill && opened.info.isSeekable
            return Recording(
                input: path ?? name, fingerprint: path.flatMap(FileStamp.digest(ofFile:)),
                length: canBeParted ? opened.info.duration : nil, seconds: opened.info.duration?.seconds ?? 0)
        } catch let error as FramegrepError {
            throw error
        } catch {
            throw FramegrepError(.sourceUnavailable, "\(redacted(name)) was not inspected: \(error).")
        }
    }
}
