import ArgumentParser
import Engines
import Errors
import Foundation
import GStreamerMedia
import NeuralOCR
import Spotter
import TesseractOCR
import TextIndex
import TextMatching
import TextSpotting

/// Reads some units of a plan one after the other.
struct UnitRun: Sendable {
    let list: UnitList
    let numbers: [Int]
    let units: UnitReader
    let threads: Int?
    let isQuiet: Bool
    let isVerbose: Bool

    /// Counts of the work done.
    private struct Tally {
        var (read, there, failed) = (0, 0, 0)
    }

    /// - Throws: ``FramegrepError`` if none can be read; ``Interruption``.
    func run() async throws -> ExitStatus {
        let work = Task { try await readAll() }
        let interrupts = Interrupts(cancelling: work)
        let result = await work.result
        if let signal = interrupts.signal {
            StandardError.line("framegrep: interrupted; the same command reads what is missing.")
            throw Interruption(signal: signal)
        }
        let tally = try result.get()
        if !isQuiet, numbers.count > 1 {
            StandardError.line(
                "framegrep: \(Amount.of(tally.read, "unit")) read, \(tally.there) already there, \(tally.failed) with an error."
            )
        }
        return tally.failed > 0 ? .error : .found
    }

    private static func tell(_ damage: FramegrepError, of unit: ArchiveUnit) {
        StandardError.line("framegrep: \(redacted(unit.input)) is damaged or cut off: \(damage.message)")
    }

    private func readAll() async throws -> Tally {
        var tally = Tally()
        var loaded: Loaded?
        for number in numbers {
            try Task.checkCancellation()
            let unit = try list.unit(number)
            let progress = ProgressLine(
                place: "unit \(number)  ", name: redacted(unit.input), isEnabled: !isQuiet)
            defer { progress.clear() }
            do {
                switch try UnitResult.isWhole(unit, in: units.folder) {
                case true?:
                    tally.there += 1
                    continue
                case false?:
                    StandardError.line(
                        "framegrep: unit \(number): its result \(units.folder)/\(unit.fileName) is not complete, so it is read again."
                    )
                case nil: break
                }
                let reader = try await reader(of: unit, &loaded)
                let damage = try await units.run(unit, reader) { progress.update($0, of: $1) }
                tally.read += 1
                progress.clear()
                if let damage { Self.tell(damage, of: unit) }
            } catch let error as FramegrepError {
                progress.clear()
                // Without an engine, or room for results, the next unit would fail in the same way.
                if [.engineUnavailable, .outputFailed].contains(error.code) { throw error }
                tally.failed += 1
                StandardError.line("framegrep: unit \(number): \(error.message)")
            }
        }
        return tally
    }

    private typealias Loaded = (settings: ReaderSettings, reader: any TextReader)

    /// Returns the reader, loading it for the first unit, and again only if another unit needs a different one.
    private func reader(of unit: ArchiveUnit, _ loaded: inout Loaded?) async throws -> any TextReader {
        let settings = try unit.reading.reader(threads: threads)
        if let loaded, loaded.settings == settings { return loaded.reader }
        let choice = ReaderChoice(settings, Matcher(patterns: [])) { StandardError.line("framegrep: \($0)") }
        let reader = try await choice.load(use: .recordings)
        loaded = (settings, reader)
        if isVerbose { StandardError.line("framegrep: reading with \(reader.name)") }
        return reader
    }
}

/// The file that `index plan` wrote: one unit per line, the first being number 0.
struct UnitList {
    let path: String
    private let lines: [Data.SubSequence]

    /// - Throws: ``FramegrepError`` (`badArgument`) if it cannot be read or is empty.
    init(path: String) throws {
        self.path = path
        do {
            // Map the file, because each of ten thousand units is a program that reads a single line.
            let data = try Data(contentsOf: URL(fileURLWithPath: path), options: .mappedIfSafe)
            lines = data.split(separator: UInt8(ascii: "\n"))
        } catch {
            throw FramegrepError(
                .badArgument, "The plan \(path) cannot be read; 'framegrep index plan ARCHIVE > \(path)' writes one.")
        }
        guard !lines.isEmpty else { throw FramegrepError(.badArgument, "The plan \(path) has no units in it.") }
    }

    var count: Int { lines.count }

    private struct Named: Decodable {
        let input: String
    }

    /// The recordings, one for each unit; lines that are not units are left out.
    var inputs: some Sequence<String> {
        lines.lazy.compactMap { try? JSONDecoder().decode(Named.self, from: Data($0)).input }
    }

    /// - Throws: ``FramegrepError`` (`badArgument`) if there is no unit of that number, or it differs from the plan.
    func unit(_ number: Int) throws -> ArchiveUnit {
        guard lines.indices.contains(number) else {
            throw FramegrepError(
                .badArgument, "There is no unit \(number) in \(path); it has \(count), from 0 to \(count - 1).")
        }
        guard let unit = try? JSONDecoder().decode(ArchiveUnit.self, from: Data(lines[number])), unit.isWhole,
            unit.unit == number
        else {
            throw FramegrepError(
                .badArgument,
                "Line \(number + 1) of \(path) is not a unit as 'framegrep index plan' writes it; plan the archive again."
            )
        }
        guard unit.reading.program == ProgramVersion.text else {
            throw FramegrepError(
                .badArgument,
                "The plan \(path) was made by framegrep \(unit.reading.program), and this is \(ProgramVersion.text), which may read differently; use that version, or plan again."
            )
        }
        return unit
    }
}

/// One unit or several consecutive ones: `7`, `0-99`.
struct UnitRange: ExpressibleByArgument {
    let numbers: ClosedRange<Int>

    init?(argument: String) {
        let ends = argument.split(separator: "-", omittingEmptySubsequences: false).map {
            $0.allSatisfy(\.isNumber) ? Int($0) : nil
        }
        guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1], first <= last else {
            return nil
        }
        numbers = first...last
    }
}

extension ArchiveUnit.Reading {
    /// Creates the profile in which an archive is read, with all defaults of this machine written out: another one may
    /// have another locale, or no networks.
    ///
    /// - Throws: ``FramegrepError`` (`engineUnavailable`) if this machine could not read that way itself.
    init(_ options: ReadingOptions, grid: Double) throws {
        let isNeural =
            options.engine == .neural || options.engine == .auto && NeuralEngine.installation().problem == nil
        self.init(
            engine: (isNeural ? EngineName.neural : .tesseract).rawValue, level: options.level.rawValue,
            language: isNeural ? options.language : try TesseractEngine.languages(for: options.language),
            region: options.region, maximumAge: options.maximumAge?.seconds, program: ProgramVersion.text, grid: grid)
    }

    /// - Throws: ``FramegrepError`` (`badArgument`) if this program does not know the reader.
    func reader(threads: Int?) throws -> ReaderSettings {
        guard let engine = EngineName(rawValue: engine), let level = LevelName(rawValue: level) else {
            throw FramegrepError(
                .badArgument,
                "This program cannot read with '\(engine)' and '\(level)'; plan the archive again with it.")
        }
        var settings = ReaderSettings()
        (settings.engine, settings.level, settings.language) = (engine, level, language)
        settings.threads = threads
        return settings
    }

    /// - Throws: ``FramegrepError`` (`badArgument`) for an invalid region.
    func settings() throws -> FindSettings {
        var settings = FindSettings(
            ReadingPlan(
                region: try region.map(RegionOfInterest.init(parsing:)),
                maximumAge: maximumAge.map(StreamTime.init(seconds:))))
        settings.reportsFindings = true
        return settings
    }
}

/// Puts the results of an archive's units into an index.
struct UnitMerging {
    /// Replaces the names of folders with results by the results; nil if none of the names is a folder or a result.
    static func files(among names: [String]) throws -> (results: [String], others: [String]) {
        var (results, others): ([String], [String]) = ([], [])
        for name in names {
            if name.hasSuffix("." + ArchiveUnit.fileExtension) {
                results.append(name)
            } else if FolderWalk.isFolder(name), try !IndexFolder(name).exists {
                let inside = (try? FileManager.default.contentsOfDirectory(atPath: name)) ?? []
                let found = inside.filter { !$0.hasPrefix(".") && $0.hasSuffix("." + ArchiveUnit.fileExtension) }
                results += found.sorted().map { name + "/" + $0 }
                if found.isEmpty { others.append(name) }
            } else {
                others.append(name)
            }
        }
        return (results, others)
    }

    /// - Returns: `error` if something is missing, each of which was reported.
    /// - Throws: ``FramegrepError`` if the index cannot be written.
    static func merge(_ paths: [String], into index: TextIndex) throws -> ExitStatus {
        var results: [UnitResult] = []
        var unusable = 0
        for path in paths {
            do { results.append(try UnitResult(path: path)) } catch let error as FramegrepError {
                unusable += 1
                StandardError.line("framegrep: \(error.message)")
            }
        }
        let merge = try index.merge(results)
        StandardError.line(
            "framegrep: \(Amount.of(results.count, "unit")): \(Amount.of(merge.taken, "recording")) added, \(merge.known) already there, \(merge.missing.count) without all units."
        )
        for missing in merge.missing {
            StandardError.line(
                "framegrep: \(redacted(missing.name)) lacks \(missing.count) of its units; in the index up to \(ClockTime.text(missing.end)). 'framegrep index run' reads what is missing."
            )
        }
        return unusable > 0 || !merge.missing.isEmpty ? .error : .found
    }
}

/// An amount of something, in words.
enum Amount {
    static func of(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
}
