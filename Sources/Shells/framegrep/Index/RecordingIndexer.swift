import Engines
import Errors
import Foundation
import GStreamerMedia
import NeuralOCR
import Spotter
import TextIndex
import TextMatching
import TextSpotting

/// Reads one recording into the index.
struct RecordingIndexer: Sendable {
    /// The settings that all recordings of a run share.
    struct Job: Sendable {
        let index: TextIndex
        let settings: FindSettings
        /// The profile, whether everything is read or it is skimmed; see ``ReadingProfile``.
        let manner: String
        /// The profile for still pictures.
        let stillManner: String
        /// The reader for still pictures, if they are read more closely than frames.
        let stillReader: (any TextReader)?
        /// Whether only key frames are read; see ``SkimPlan``.
        var skims = false
        let reader: any TextReader
        let allowed: Set<String>
        let isVerbose: Bool
        let isQuiet: Bool

        /// The reading profile as the catalog stores it.
        fileprivate var mannerInEffect: String { skims ? SkimProfile.text(manner) : manner }

        /// Returns the reading profile for a source that turned out to be a still picture or not.
        fileprivate func mannerInEffect(isStill: Bool) -> String { isStill ? stillManner : mannerInEffect }
    }

    /// The result for a recording.
    enum Outcome: Sendable {
        /// It was already in the index.
        case unchanged
        /// It was in the index, and was removed because it was too old or exceeded the budget.
        case expired
        case renamed(from: String)
        /// Read up to here; to the end unless it was interrupted. For a still, which has no length, the time means
        /// nothing.
        case read(until: StreamTime, isStill: Bool, isWhole: Bool, damage: FramegrepError?)
    }

    let job: Job

    /// - Parameter progress: called with the progress.
    /// - Throws: ``FramegrepError`` if it cannot be read at all, or the index cannot be written.
    func run(
        _ input: String, _ progress: @escaping @Sendable (StreamTime, _ total: StreamTime?) -> Void
    ) async throws -> Outcome {
        let uri = try SourceURI(input)
        try SourceGuard.check(uri, allowing: job.allowed)
        let name = try IndexedInputs.sourceName(of: input) ?? uri.redacted
        var goesOn: IndexedSource?
        if job.skims, let known = try outcomeOfReadingAll(name) { return known }
        switch uri.path == nil ? .new : try status(name) {
        case .unchanged(let source):
            if !job.skims { try job.index.dropSkim(of: source, manner: job.manner) }
            return .unchanged
        case .expired: return .expired
        case .renamed(_, let before): return .renamed(from: before)
        case .goesOn(let source): goesOn = source
        case .new: break
        }
        let before = FileStamp(path: name)
        let digest = before.flatMap { _ in FileStamp.digest(ofFile: name) }
        do {
            let opened = try await OpenedSource.open(uri, timeout: .seconds(20))
            defer { withExtendedLifetime(opened) {} }
            if let omission = opened.omission, !job.isQuiet { StandardError.line("framegrep: \(omission)") }
            // A source that cannot seek is read from its beginning.
            if opened.isReadOnce { goesOn = nil }
            let manner = job.mannerInEffect(isStill: opened.isStill)
            var source = goesOn ?? opened.entry(named: name, manner: manner, stamp: before, digest: digest)
            // A catalog that was rebuilt can only guess (``Adoption``).
            source.isStill = opened.isStill
            return try await read(opened, source, progress)
        } catch let error as FramegrepError where error.code != .outputFailed && !error.isAboutAFile {
            // A name that does not exist is a typing error.
            if uri.path == nil || before != nil, goesOn == nil, error.code != .engineUnavailable,
                error.code != .sourceNotVideo
            {
                try noteFailure(error, named: name, before, digest)
            }
            throw error
        }
    }

    /// Determines how to handle a file. A still picture that was read like a frame is read again if closer reading is
    /// wanted.
    private func status(_ name: String) throws -> TextIndex.FileStatus {
        guard job.stillManner != job.manner else {
            return try job.index.status(ofFile: name, manner: job.mannerInEffect)
        }
        // Do this first, because the file must be opened to recognize it as a still under another name.
        if let source = try job.index.unchangedSource(ofFile: name, manner: job.mannerInEffect), !source.isStill {
            return .unchanged(source)
        }
        let asStill = try job.index.status(ofFile: name, manner: job.stillManner)
        guard case .new = asStill else { return asStill }
        let asRecording = try job.index.status(ofFile: name, manner: job.mannerInEffect)
        switch asRecording {
        case .unchanged(let source), .renamed(let source, _), .goesOn(let source):
            return source.isStill ? .new : asRecording
        case .new, .expired: return asRecording
        }
    }

    /// Records in the catalog that a recording could not be read, unless it was read before and has not changed, such
    /// as an address whose server is currently down.
    private func noteFailure(
        _ error: FramegrepError, named name: String, _ stamp: FileStamp?, _ digest: String?
    ) throws {
        let before = try Set([job.mannerInEffect, job.stillManner]).compactMap {
            try job.index.source(named: name, manner: $0)
        }
        guard !before.contains(where: { $0.state != .failed && TextIndex.isAsItWas($0) }) else { return }
        var failed = IndexedSource(
            id: .drawn(), name: name, manner: job.mannerInEffect, stamp: stamp, digest: digest, state: .failed)
        failed.problem = error.message
        try job.index.put(failed)
    }

    /// Returns the outcome of an earlier full reading, if there was one, because a skim would add nothing.
    private func outcomeOfReadingAll(_ name: String) throws -> Outcome? {
        guard FileStamp(path: name) != nil else { return nil }
        return switch try job.index.status(ofFile: name, manner: job.manner) {
        case .unchanged: .unchanged
        case .expired: .expired
        case .renamed(_, let before): .renamed(from: before)
        case .goesOn, .new: nil
        }
    }

    private func read(
        _ opened: OpenedSource, _ source: IndexedSource,
        _ progress: @escaping @Sendable (StreamTime, _ total: StreamTime?) -> Void
    ) async throws -> Outcome {
        var settings = job.settings
        settings.from = source.end > .zero ? source.end : nil
        settings.canSeek = !opened.isReadOnce
        let description = SourceDescription.search(opened)
        var source = source
        if job.skims, !opened.isStill {
            let plan = try await SkimPlan.of(opened, description)
            settings.skim(plan)
            source.interval = plan.interval
            if !job.isQuiet { StandardError.line("framegrep: \(opened.uri.redacted): \(plan.sentence)") }
        }
        let writer = PartWriter(job.index, source)
        let summary = try await opened.readAll(
            settings, opened.isStill ? job.stillReader ?? job.reader : job.reader, description: description,
            take: writer.take, progress: progress)
        if let failure = writer.failure { throw failure }
        if !job.isQuiet, let sentence = summary.leftOut.sentence(of: opened.uri.redacted) {
            StandardError.line("framegrep: \(sentence)")
        }
        let isWhole = !Task.isCancelled && !summary.hasChanged
        try writer.finish(isWhole: isWhole, end: summary.end, damage: summary.damage)
        if summary.hasChanged, let damage = summary.damage {
            throw FramegrepError(
                damage.code,
                "\(opened.uri.redacted) has changed and does not count as read: \(damage.message) Index it again when it is complete."
            )
        }
        if isWhole, !job.skims { try job.index.dropSkim(of: source, manner: job.manner) }
        return .read(until: summary.end, isStill: opened.isStill, isWhole: isWhole, damage: summary.damage)
    }
}

/// The options that determine how a recording is read, as a text: a recording read with one profile does not answer a
/// search with another.
struct ReadingProfile: Hashable {
    let text: String
    /// The profile of still pictures, if they are read more closely than frames.
    let stillText: String
    /// Other profiles that answer too: those of the networks, if the user left the choice to the program and they are
    /// not installed (any more).
    private let others: [String]

    var skimmed: String { SkimProfile.text(text) }

    /// Returns all profiles of recordings that can answer.
    ///
    /// - Parameter skims: whether skimmed recordings answer too.
    func texts(skims: Bool) -> Set<String> { Set([text, stillText] + others + (skims ? [skimmed] : [])) }

    /// Returns whether a recording was read as this profile requires; a still picture that was read like a frame was
    /// not if closer reading is wanted.
    func fits(_ source: IndexedSource) -> Bool {
        stillText == text || (source.manner == stillText) == source.isStill
    }

    /// - Parameter everyFrame: whether every frame is read, changed or not.
    init(_ options: ReadingOptions, everyFrame: Bool) {
        let isInstalled = NeuralEngine.installation().problem == nil
        let isNeural = options.engine == .neural || options.engine == .auto && isInstalled
        (text, stillText) = Self.texts(options, isNeural: isNeural, everyFrame: everyFrame)
        let (other, otherStill) = Self.texts(options, isNeural: true, everyFrame: everyFrame)
        others = options.engine == .auto && !isNeural ? [other, otherStill] : []
    }

    private static func texts(
        _ options: ReadingOptions, isNeural: Bool, everyFrame: Bool
    ) -> (text: String, stillText: String) {
        var parts = [isNeural ? "neural" : "tesseract"]
        if isNeural { parts.append(options.level.rawValue) }
        if let language = options.language { parts.append("language=\(language)") }
        if let region = options.region { parts.append("region=\(region)") }
        if let age = options.maxAge { parts.append("max-age=\(age.time.seconds)") }
        if everyFrame { parts.append("every-frame") }
        let text = parts.joined(separator: " ")
        if isNeural, options.reader.readsStillsClosely { parts.insert(IndexedSource.closely, at: 2) }
        return (text, parts.joined(separator: " "))
    }

    /// Returns whether the networks read the letters of the patterns; others are read by another engine, unless
    /// languages were named.
    static func isRead(_ patterns: [Pattern], asBy options: ReadingOptions) -> Bool {
        options.language != nil || options.level == .accurate
            || patterns.allSatisfy { $0.question != nil || WritingSystems.languages(for: $0.text).isEmpty }
    }
}
