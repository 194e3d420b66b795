import ArgumentParser
import Engines
import Errors
import Foundation
import GStreamerMedia
import TextIndex
import TextSpotting

struct IndexStatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show what is in the index, and what has changed since.", helpNames: .long)

    @OptionGroup var index: IndexOptions

    func run() throws {
        let store = try index.openForSearching()
        let sources = try store.sources()
        let (segments, lines, bytes) = try store.size()
        let lacks = IndexedSource.lacks(of: sources)
        let whole = sources.filter { $0.state == .complete && lacks[$0.id] == nil }
        let seconds = whole.reduce(0) { $0 + ($1.isStill ? 0 : $1.end.seconds) }
        try StandardOutput.print("folder: \(Visible.text(store.folder.path))")
        try StandardOutput.print("recordings: \(whole.count) (\(CoverageReport.hours(seconds)))")
        let skimmed = IndexedSource.best(of: sources).filter { $0.isSkimmed && !$0.isStill }
        if !skimmed.isEmpty {
            let seconds = skimmed.reduce(0) { $0 + $1.end.seconds }
            let apart = skimmed.compactMap(\.interval).max()
            let most = apart.map { ", pictures up to \(CoverageReport.tenths($0)) apart" }
            try StandardOutput.print(
                "skimmed: \(skimmed.count) of these (\(CoverageReport.hours(seconds)))\(most ?? "")")
        }
        let expired = sources.count { $0.state == .expired }
        if expired > 0 { try StandardOutput.print("expired: \(expired), which are not read again") }
        try StandardOutput.print("lines: \(lines), \(segments) segments, \(ByteCount.text(bytes))")
        try printCare(of: store)
        try printClocks(of: sources)
        for source in sources {
            guard source.state != .expired, let state = source.trouble(lacks[source.id]) else { continue }
            try StandardOutput.print("\(Visible.text(source.name)): \(Visible.text(state))")
        }
    }

    /// Prints possible remedies: for damaged segments, and for lines that cannot be found by meaning.
    private func printCare(of store: TextIndex) throws {
        let strange = try store.strangeSegments().count
        if strange > 0 {
            try StandardOutput.print(
                "damaged: \(strange) of these segments, which \(strange == 1 ? "is" : "are") missing or cut off; 'framegrep index check' says more"
            )
        }
        let aside = store.folder.damagedCount
        if aside > 0 {
            try StandardOutput.print(
                "moved aside: \(Amount.of(aside, "damaged file")) in \(Visible.text(store.folder.damaged)), which you may delete"
            )
        }
        let coverage = try store.vectorCoverage(MeaningInstallation.installed)
        if coverage.bytes > 0 || MeaningInstallation.installed != nil {
            let how = coverage.missing == 0 ? "all" : "\(coverage.texts - coverage.missing)"
            let rest = coverage.missing == 0 ? "" : "; 'framegrep index --meaning' prepares the others"
            try StandardOutput.print(
                "by meaning: \(how) of these lines, \(ByteCount.text(coverage.bytes)) of that\(rest)")
        }
    }

    private func printClocks(of sources: [IndexedSource]) throws {
        let clocks = sources.count { $0.burntIn != nil && $0.state != .expired }
        if clocks > 0 {
            let known = sources.count(where: \.hasTimeOfClock)
            try StandardOutput.print("clocks in the picture: \(clocks), of which \(known) tell when it was recorded")
        }
        for source in sources where source.state != .expired && !source.clockTroubles.isEmpty {
            try StandardOutput.print("\(Visible.text(source.name)): \(source.clockTroubles.joined(separator: ", "))")
        }
    }
}

struct IndexSourcesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sources", abstract: "List the recordings that are in the index.", helpNames: .long)

    @OptionGroup var index: IndexOptions

    func run() throws {
        let sources = try index.openForSearching().sources().filter { $0.state != .expired }
        let lacks = IndexedSource.lacks(of: sources)
        for source in sources {
            let length = source.isStill ? "still" : ClockTime.text(source.end)
            var trouble = source.trouble(lacks[source.id]).map { "; \($0)" } ?? ""
            if let interval = source.interval, !source.isStill {
                trouble = "; pictures up to \(CoverageReport.tenths(interval)) apart" + trouble
            }
            try StandardOutput.print(
                "\(Visible.text(source.name)): \(length), \(source.manner)\(Visible.text(trouble))")
        }
    }
}

struct IndexForgetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget", abstract: "Remove recordings from the index for good.",
        discussion: """
            Give names of recordings, as 'framegrep index sources' lists them, or of folders, for everything in them. The files \
            themselves stay as they are.
            """, helpNames: .long)

    @OptionGroup var index: IndexOptions

    @Flag(help: "Remove all recordings whose files are gone from folders that still exist.")
    var gone = false

    @Argument(help: ArgumentHelp("Recordings or folders.", valueName: "name"), completion: .file())
    var names: [String] = []

    func validate() throws {
        guard !names.isEmpty || gone else { throw ValidationError("Name what to forget, or give --gone.") }
    }

    func run() throws {
        _ = try index.openForSearching()
        let store = try TextIndex.forWriting(try index.folder())
        let sources = try store.sources()
        var ids = Set<SourceID>()
        for name in names {
            guard !name.isEmpty else {
                throw FramegrepError(.badArgument, "A name of what to forget is empty; nothing was removed.")
            }
            let path = FileName.absolute(name)
            let real = (try? IndexedInputs.sourceName(of: name)) ?? nil
            let alike = [name, path, real].compactMap { $0.map(ExactName.init) }
            let found = sources.filter {
                alike.contains(ExactName($0.name)) || FileName.isPath($0.name, inOrBelow: path)
            }
            guard !found.isEmpty else {
                throw FramegrepError(
                    .badArgument, "\(redacted(name)) is not in the index; 'framegrep index sources' lists what is.")
            }
            ids.formUnion(found.map(\.id))
        }
        // Only the names of expired recordings are known; they are removed as well.
        let lacks = gone ? IndexedSource.lacks(of: sources) : [:]
        ids.formUnion(sources.lazy.map(\.id).filter { lacks[$0] == .gone })
        let count = try store.forget(ids)
        StandardError.line("framegrep: \(Amount.of(count, "recording")) removed from the index.")
        if gone { Self.tell(left: sources.filter { !ids.contains($0.id) && lacks[$0.id] == .unreachable }) }
    }

    /// The largest number of recordings that are named individually.
    private static let mostNamed = 5

    private static func tell(left: [IndexedSource]) {
        guard !left.isEmpty else { return }
        StandardError.line(
            "framegrep: \(Amount.of(left.count, "recording")) stayed, because the folder or the disk is not there, or the file cannot be looked at:"
        )
        for source in left.prefix(mostNamed) { StandardError.line("  \(redacted(source.name))") }
        if left.count > mostNamed { StandardError.line("  and \(left.count - mostNamed) more") }
        StandardError.line("'framegrep index forget' with their names or their folders removes them.")
    }
}

struct IndexCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Verify every part of the index.", helpNames: .long)

    @OptionGroup var index: IndexOptions

    func run() throws {
        let store = try index.openForSearching()
        let findings = try store.check()
        for finding in findings { try StandardOutput.print(Visible.text(finding.message)) }
        if findings.isEmpty, StandardError.isTerminal {
            StandardError.line(
                "framegrep: every part of the index is intact (\(Amount.of(try store.size().segments, "segment"))).")
        }
        throw findings.isEmpty ? ExitStatus.found : ExitStatus.error
    }
}

struct IndexRepairCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "repair", abstract: "Move damaged parts aside, so that they are read again.",
        discussion: """
            Damaged files are moved into the folder 'damaged' of the index and never deleted: you decide what becomes of them. They \
            are not searched any more, and 'framegrep index forget' removes nothing from them.
            """, helpNames: .long)

    @OptionGroup var index: IndexOptions

    func run() throws {
        let folder = try index.folder()
        guard folder.exists || !folder.isEmpty else { throw index.noIndex(folder) }
        let repaired = try TextIndex.repair(folder)
        for finding in repaired {
            try StandardOutput.print(Visible.text(finding.message))
            // Files that were left alone are still in place.
            for source in finding.isLeftAlone ? [] : finding.sources {
                try StandardOutput.print("  to be read again: \(Visible.text(source))")
            }
            for file in finding.aside { try StandardOutput.print("  moved to: \(Visible.text(file))") }
        }
        func count(_ kind: TextIndex.Finding.Kind) -> Int { repaired.count { $0.kind == kind } }
        for (left, part, what) in [
            (count(.newer), "part", "can be read by a newer framegrep only"),
            (count(.unreadable), "part", "cannot be opened"),
            (count(.strangeVectors), "vectors' file", "cannot be used here"),
        ] where left > 0 {
            StandardError.line(
                "framegrep: \(Amount.of(left, part)) of the index \(what), and \(left == 1 ? "was" : "were") left alone; everything else is intact."
            )
        }
        let moved = repaired.reduce(0) { $0 + $1.aside.count }
        if moved > 0 {
            StandardError.line(
                "framegrep: \(Amount.of(moved, "file")) \(moved == 1 ? "was" : "were") moved to \(folder.damaged), and nothing was deleted; delete what you do not want to keep."
            )
        }
        guard !repaired.contains(where: \.isLeftAlone) else { throw ExitStatus.error }
        var sentence = repaired.isEmpty ? "the index is intact" : "the index is intact again"
        if repaired.contains(where: { !$0.sources.isEmpty }) {
            sentence += "; 'framegrep index' with the names above reads what was lost"
        }
        if count(.vectors) > 0 {
            sentence += "; 'framegrep index --meaning' rebuilds the vectors without reading a recording"
        }
        StandardError.line("framegrep: \(sentence).")
    }
}

extension IndexOptions {
    /// - Throws: ``FramegrepError`` (`badArgument`) if there is no index.
    func openForSearching() throws -> TextIndex {
        let folder = try folder()
        guard let store = try TextIndex.forSearching(folder) else { throw noIndex(folder) }
        return store
    }

    func noIndex(_ folder: IndexFolder) -> FramegrepError {
        FramegrepError(
            .badArgument, "There is no index in \(folder.path); 'framegrep index recordings' makes one.")
    }
}

extension IndexedSource {
    /// Returns a problem with the index, as text; nil for none.
    func trouble(_ lack: Lack?) -> String? {
        if state == .failed { return "not read: \(problem ?? "the reason is not known")" }
        switch lack {
        case .partial(let end): return "read only up to \(ClockTime.text(end))"
        case .changed: return "its file has changed since it was read"
        case .some(let lack): return lack.text
        case nil: return problem.map { "damaged: \($0)" }
        }
    }
}
