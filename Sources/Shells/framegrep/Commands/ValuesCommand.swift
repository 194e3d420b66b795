import ArgumentParser
import Engines
import Errors
import Foundation
import GStreamerMedia
import Spotter
import TextMatching
import TextSpotting

struct ValuesCommand: AsyncParsableCommand, Talkative {
    static let configuration = CommandConfiguration(
        commandName: "values",
        abstract: "Print the values of a clock, a meter or a counter in the picture over time.",
        discussion: """
            framegrep values drone.mp4 --near Speed --format csv
            framegrep values meter.mp4 --region 40,20,300,60 --every 1s --plot meter.svg
            framegrep values match.mp4 --near HOME --kind number
            framegrep values /dev/video0 --near kWh --mqtt mqtt://broker.local

            Prints a row for each value, from its first frame to its last: when, the text, its number, how sure the reading is. Without \
            --region and --near, the place that changes most is read. From a camera or another running source, each row comes when it \
            is over, and --mqtt publishes the current value, also for Home Assistant. docs/VALUES.md has more.

            Exit status: 0 something was read, 1 nothing was, 2 an error.
            """, helpNames: .shortAndLong)

    @OptionGroup var values: ValueOptions
    @OptionGroup var reading: ReadingOptions
    @OptionGroup var trust: TrustOptions
    @OptionGroup var broker: BrokerOptions
    @OptionGroup var source: SourceOptions

    @Flag(help: "Read the source at its own speed while it runs, as with cameras and RTSP.")
    var live = false

    @Option(help: ArgumentHelp("For a running source: end after this time.", valueName: "time"))
    var timeout: DurationArgument?

    @Option(
        name: .customLong("from"), parsing: .unconditional,
        help: ArgumentHelp("Read from this time: 90, 1:30, 1m30s, 50%, -10s (from the end).", valueName: "time"))
    var from: TimeArgument?

    @Option(
        name: .customLong("to"), parsing: .unconditional,
        help: ArgumentHelp("Read up to this time.", valueName: "time"))
    var to: TimeArgument?

    @Argument(help: ArgumentHelp("A recording, a camera, or a URI.", valueName: "input"), completion: .file())
    var input: String

    var isVerbose: Bool { reading.isVerbose }

    func run() async throws {
        reading.enforceLimits()
        try DependentOption.check(broker.dependents)
        var settings = try settings()
        let uri = try SourceURI(input)
        if live || Self.runs(uri) { throw try await runLive(uri) }
        try checkForRecording()
        let (table, plot) = try outputs(reading: uri)
        try trust.enforce()
        try SourceGuard.check(uri, allowing: trust.allowed)
        let matcher = try SearchMode(kind: .plain, options: MatchOptions()).matcher(
            for: [values.near].compactMap(\.self))
        CrashRestart.blame(uri.redacted, "No values of it are printed.")
        let source = try await OpenedSource.open(uri, timeout: .seconds(20))
        defer { withExtendedLifetime(source) {} }
        (settings.from, settings.to, settings.canSeek) = try await SearchedTime(from: from, to: to).resolved(in: source)
        {
            StandardError.line("framegrep: \($0)")
        }
        let read = try await read(spotter(for: source, settings, matcher), of: source)
        let place = try self.place(in: read, of: source)
        let rows = place.map { place in
            var table = ValueTable(of: place, kind: values.kind, minimumScore: reading.minScore)
            table.mark(
                skippedAt: read.summary.leftOut.places.filter {
                    $0.quad.bounds.intersection(place.bounds).area > 0
                }.map(\.time))
            return table
        }
        if let place, rows?.rows.isEmpty ?? false { sayWhatWasRead(at: place) }
        if let sentence = read.summary.leftOut.sentence(of: uri.redacted) { say(sentence) }
        let isFound = !(rows?.rows.isEmpty ?? true)
        let (begin, end) = (settings.from ?? .zero, settings.to.map { min($0, read.summary.end) } ?? read.summary.end)
        try await print(rows ?? ValueTable(rows: []), from: begin, to: end, table: table)
        if let rows { try await draw(rows.rows, from: begin, to: end, of: uri, to: plot) }
        throw try status(of: read, of: uri, isFound: isFound, table)
    }

    /// Reports problems, and returns the status.
    private func status(
        of read: Texts, of uri: SourceURI, isFound: Bool, _ table: OutputFile?
    ) throws -> ExitStatus {
        if let damage = read.summary.damage {
            StandardError.line(
                "framegrep: \(uri.redacted) \(read.summary.fate): read up to \(ClockTime.text(read.summary.end)). \(damage.message)"
            )
        }
        if let signal = read.signal {
            StandardError.line(
                "framegrep: interrupted; what was read until then is \(table.map { "in \($0.name)" } ?? "above").")
            throw Interruption(signal: signal)
        }
        return read.summary.damage != nil ? .error : isFound ? .found : .notFound
    }

    /// Returns the outputs for the table and the drawing; nil for standard output.
    private func outputs(reading uri: SourceURI) throws -> (table: OutputFile?, plot: OutputFile?) {
        var plan = try OutputPlan(of: self)
        if let path = uri.path { try plan.reads(recording: path, named: input) }
        let table = try values.path.flatMap { try plan.writes($0, by: "-o") }
        let plot = try values.plot.flatMap { try plan.writes($0, by: "--plot") }
        guard values.plot == nil || plot != nil || table != nil || reading.isQuiet else {
            throw FramegrepError(
                .badArgument,
                "The table and the drawing would both go to standard output; give one of them a file (-o, --plot), or leave the table out with -q."
            )
        }
        return (table, plot)
    }

    /// Starts the search; its engine may still be loading.
    private func spotter(
        for source: OpenedSource, _ settings: FindSettings, _ matcher: Matcher
    ) async throws -> FileSpotter {
        let choice = ReaderChoice(reading.reader, matcher, isDoubtful: ReadValue.isDoubtful) {
            StandardError.line("framegrep: \($0)")
        }
        return FileSpotter(
            description: SourceDescription.search(source), sourceName: source.uri.redacted, settings: settings,
            reader: try await choice.begin(sayingName: isVerbose), matcher: matcher, file: source.file)
    }

    // MARK: A running source

    /// Returns whether it is not a recording, so that its values are read as they arrive.
    private static func runs(_ uri: SourceURI) -> Bool {
        uri.isCamera || ["rtsp", "rtsps", "rtspt", "rtspu", "rtmp", "rtp", "udp", "srt"].contains(uri.scheme)
    }

    private func runLive(_ uri: SourceURI) async throws -> ExitStatus {
        guard values.near != nil || reading.region != nil else {
            throw FramegrepError(
                .badArgument,
                "framegrep cannot find the place of the values in \(uri.redacted) while it runs: name the word beside the value with --near, or the "
                    + "place with --region x,y,w,h.")
        }
        let given = [
            ("--from", from != nil), ("--to", to != nil), ("--every", values.every != nil),
            ("--plot", values.plot != nil),
        ]
        if let (name, _) = given.first(where: \.1) {
            throw FramegrepError(.badArgument, "\(name) is for recordings, and \(uri.redacted) is read while it runs.")
        }
        var plan = try OutputPlan(of: self)
        if let path = uri.path { try plan.reads(recording: path, named: input) }
        let table = try values.path.flatMap { try plan.writes($0, by: "-o") }
        try trust.enforce()
        // A camera is identified as by 'live'.
        if !uri.isCamera { try SourceGuard.check(uri, allowing: trust.allowed) }
        let live = try await source.live(uri)
        let output = try table.map { file throws in try ResultOutput(file, isFollowed: true) } ?? .standard()
        do {
            return try await LiveValues(
                live: live, sourceName: uri.redacted, values: values, reading: reading, broker: broker,
                timeout: timeout?.time, output: output
            ).run()
        } catch {
            await output.abandon()
            throw error
        }
    }

    /// Rejects options for running sources that are given for a recording.
    private func checkForRecording() throws {
        let given = [
            ("--mqtt", broker.mqtt != nil), ("--timeout", timeout != nil), ("--device", source.device != nil),
            ("--on-lost", source.onLost != nil), ("--reconnect", source.reconnect != nil),
            ("--zoom", source.zoom != nil), ("--torch", source.torch != nil), ("--autofocus", source.autofocus != nil),
            ("--exposure", source.exposure != nil), ("--brightness", source.brightness != nil),
        ]
        if let (name, _) = given.first(where: \.1) {
            throw FramegrepError(
                .badArgument,
                "\(name) is for sources that run, and \(redacted(input)) is read as a recording; --live reads it while it runs."
            )
        }
        try source.checkForCameraOptions()
    }

    private func settings() throws -> FindSettings {
        var settings = FindSettings(try reading.plan())
        settings.reportsAllText = true
        settings.reportsEachChange = true
        return settings
    }

    // MARK: Reading

    /// All text of a recording, and the place of the word of `--near`.
    private struct Texts {
        var texts: [Sighting] = []
        var labels: [Sighting] = []
        var summary = FindSummary()
        /// The signal that ended it early.
        var signal: Int32?
    }

    private func read(_ spotter: FileSpotter, of source: OpenedSource) async throws -> Texts {
        let (events, sender) = AsyncStream.makeStream(of: FindEvent.self, bufferingPolicy: .unbounded)
        let progress = ProgressLine(name: source.uri.redacted, isEnabled: !reading.isQuiet)
        let work = Task {
            defer { sender.finish() }
            return try await spotter.search { event in
                if case .progress(let position, let total) = event {
                    progress.update(position, of: total ?? source.info.duration)
                } else {
                    sender.yield(event)
                }
            }
        }
        let interrupts = Interrupts(cancelling: work)
        var texts = Texts()
        for await event in events {
            switch event {
            case .text(let text): texts.texts.append(text)
            case .sighting(let sighting): texts.labels.append(sighting)
            case .warning(let warning): StandardError.line("framegrep: \(warning.message)")
            default: break
            }
        }
        defer { progress.clear() }
        texts.summary = try await work.value
        texts.signal = interrupts.signal
        return texts
    }

    // MARK: The place

    /// Returns the place that is meant; nil if nothing was read at all.
    ///
    /// - Throws: ``FramegrepError`` (`badArgument`) if the user has to choose.
    private func place(in read: Texts, of source: OpenedSource) throws -> ValueRegion? {
        guard !read.texts.isEmpty else { return nil }
        if let near = values.near {
            guard !read.labels.isEmpty else {
                say("'\(near)' was not read in \(source.uri.redacted); 'framegrep find --all-text' prints what was.")
                return nil
            }
            let kind = values.kind
            let place = ValueRegion.near(read.labels, in: read.texts) { text in
                kind.map { !ReadValue.all($0, in: text).isEmpty } ?? (ReadValue.likelyKind(of: text) != nil)
            }
            if place == nil { say("There is no value after or below '\(near)' in \(source.uri.redacted).") }
            return place
        }
        guard reading.region == nil else { return ValueRegion(all: read.texts) }
        switch ValueRegion.choose(from: read.texts, kind: values.kind) {
        case .nothing:
            if let kind = values.kind {
                say("No value of the kind '\(kind.rawValue)' was read in \(source.uri.redacted).")
            }
            return nil
        case .one(let place, let others):
            say("Reading the place that changes most: --region \(region(of: place, source))")
            list(others, "These places change too:", source)
            return place
        case .several(let places):
            list(places, "These places of \(source.uri.redacted) could be meant:", source)
            throw FramegrepError(
                .badArgument,
                "It is not clear which value of \(source.uri.redacted) is meant: choose a place with --region, or name the word "
                    + "before the value with --near.")
        }
    }

    /// Reports the text that was read if nothing counts as a value.
    private func sayWhatWasRead(at place: ValueRegion) {
        guard let best = place.texts.max(by: { $0.score < $1.score }) else { return }
        let what = values.kind.map { "a value of the kind '\($0.rawValue)'" } ?? "sure enough"
        say("nothing that was read there is \(what); '\(best.line)' was.")
    }

    /// The largest number of places that are listed; users do not read more.
    private static let mostPlaces = 12

    private func list(_ places: [ValueRegion], _ heading: String, _ source: OpenedSource) {
        guard !places.isEmpty, !reading.isQuiet else { return }
        say(heading)
        for place in places.prefix(Self.mostPlaces) {
            let example = place.texts.max { $0.score < $1.score }.map { "   \($0.line)" } ?? ""
            StandardError.line("  --region \(region(of: place, source))\(example)")
        }
        if places.count > Self.mostPlaces { StandardError.line("  and \(places.count - Self.mostPlaces) more") }
    }

    /// Returns a place in the form that --region takes, with room for letters that are not cut.
    private func region(of place: ValueRegion, _ source: OpenedSource) -> String {
        let wide = source.info.pixelAspectRatio.pixelAspect
        let area = place.bounds.grown(by: 0.5 * place.bounds.height)
        let (left, top) = (max(0, (area.minX / wide).rounded(.down)), max(0, area.minY.rounded(.down)))
        let sides = [left, top, (area.maxX / wide).rounded(.up) - left, area.maxY.rounded(.up) - top]
        return sides.map { String(Int(max(-1e6, min(1e6, $0)))) }.joined(separator: ",")
    }

    private func say(_ message: String) { if !reading.isQuiet { StandardError.line("framegrep: \(message)") } }

    // MARK: Printing

    private func print(
        _ table: ValueTable, from begin: StreamTime, to end: StreamTime, table file: OutputFile?
    ) async throws {
        guard !reading.isQuiet else { return }
        let output = try file.map { try ResultOutput($0) } ?? .standard()
        let formatter = ValueFormatter(format: values.format, source: redacted(input))
        if let header = formatter.header { output.line(header, isResult: false) }
        let rows = values.every.map { table.stepped(every: $0.time, from: begin, to: end) } ?? table.rows
        for row in rows {
            output.line(formatter.line(row))
            await output.caughtUp()
            if output.failure != nil { break }
        }
        try await output.finish()
    }

    private func draw(
        _ rows: [ValueRow], from begin: StreamTime, to end: StreamTime, of uri: SourceURI, to file: OutputFile?
    ) async throws {
        guard values.plot != nil else { return }
        let name = Visible.text(uri.path.map { ($0 as NSString).lastPathComponent } ?? uri.redacted)
        let title = values.near.map { "\(name): \($0)" } ?? name
        let output = try file.map { try ResultOutput($0) } ?? .standard()
        output.line(ValuePlot(rows, title: title, from: begin, to: end).text)
        try await output.finish()
    }
}
