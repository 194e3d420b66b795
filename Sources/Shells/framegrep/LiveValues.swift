import Engines
import Errors
import Foundation
import GStreamerMedia
import Spotter
import Synchronization
import TextMatching
import TextSpotting

/// Reads the values of a running source (`values`): prints each row when it is over, and publishes the current value to
/// a broker.
struct LiveValues {
    let live: LiveSource
    /// The name without passwords.
    let sourceName: String
    let values: ValueOptions
    let reading: ReadingOptions
    let broker: BrokerOptions
    let timeout: StreamTime?
    let output: ResultOutput

    /// The time for which the end waits for a broker that responds.
    private static let patience = Duration.seconds(5)
    /// The largest number of readings that wait to be processed; further ones are left out and counted.
    private static let mostWaiting = 24

    func run() async throws -> ExitStatus {
        let interrupts = Interrupts()
        let label = try label()
        let choice = ReaderChoice(reading.reader, label) { StandardError.line("framegrep: \($0)") }
        let reader = try await choice.load(use: .live)
        if reading.isVerbose { StandardError.line("framegrep: reading with \(reader.name)") }
        let target = try ValueBroker(broker, sourceName: sourceName, name: values.shownName) {
            StandardError.line("framegrep: \(redacted($0.message))")
        }
        var settings = LiveSettings()
        settings.reading = try reading.plan()
        settings.sourceName = sourceName
        let (findings, sender) = AsyncStream.makeStream(
            of: LiveResult.self, bufferingPolicy: .bufferingOldest(Self.mostWaiting))
        let lost = Mutex(0)
        let spotter = LiveSpotter(source: live, output: nil, settings: settings, reader: reader, matcher: label)
        let teller = Teller(self, target)
        let telling = Task { [output] in
            await teller.tell(findings) { if output.failure != nil { spotter.stop() } }
        }
        let result = await Result {
            try await run(spotter, target, interrupts) { result in
                if case .dropped = sender.yield(result) { lost.withLock { $0 += 1 } }
            }
        }
        sender.finish()
        let rows = await telling.value
        await target?.finish(within: Self.patience)
        tellMissed(lost.withLock { $0 })
        let end = try result.get()
        try await output.finish(after: interrupts.signal)
        if let failure = end.failure { throw failure }
        if rows == 0 { tellNothing() }
        if let signal = interrupts.signal { throw Interruption(signal: signal) }
        return rows > 0 ? .found : .notFound
    }

    private func tellMissed(_ count: Int) {
        guard count > 0, !reading.isQuiet else { return }
        StandardError.line("framegrep: \(count) readings were left out: they came faster than they could be printed.")
    }

    private func tellNothing() {
        guard !reading.isQuiet else { return }
        let place = values.near.map { "beside '\($0)'" } ?? "there"
        StandardError.line("framegrep: no value was read \(place) in \(sourceName).")
    }

    private func label() throws -> Matcher {
        try SearchMode(kind: .plain, options: MatchOptions()).matcher(for: [values.near].compactMap(\.self))
    }

    private func run(
        _ spotter: LiveSpotter, _ target: ValueBroker?, _ interrupts: Interrupts,
        keep: @escaping @Sendable (LiveResult) -> Void
    ) async throws -> LiveEnd {
        interrupts.then { _ in spotter.stop() }
        let deadline = Deadline(timeout) {
            spotter.stop()
            OutputQueue.endSoon()
        }
        defer { deadline.cancel() }
        let events = EventListener { event in
            switch event {
            case .state(let state, let message):
                target?.source(isThere: [.running, .paused].contains(state))
                if !message.isEmpty, state != .failed, !reading.isQuiet {
                    StandardError.line("framegrep: \(state.rawValue): \(redacted(message))")
                }
            case .warning(let warning): StandardError.line("framegrep: \(redacted(warning.message))")
            default: break
            }
        }
        return try await spotter.run([events, Kept(keep: keep)])
    }

    /// Passes readings on.
    private struct Kept: EventSink {
        let keep: @Sendable (LiveResult) -> Void
        var wishes: EventWishes { .results }
        func take(_ result: LiveResult) { keep(result) }
    }

    /// Processes readings, in order, in a task of its own.
    private struct Teller: Sendable {
        private let settings: ValueWatch.Settings
        private let isQuiet: Bool
        private let formatter: ValueFormatter
        private let output: ResultOutput
        private let target: ValueBroker?

        init(_ job: LiveValues, _ target: ValueBroker?) {
            let label = job.values.near == nil ? nil : try? job.label()
            settings = ValueWatch.Settings(
                label: label, kind: job.values.kind, minimumScore: job.reading.minScore)
            (isQuiet, output, self.target) = (job.reading.isQuiet, job.output, target)
            formatter = ValueFormatter(format: job.values.format, source: job.sourceName)
        }

        /// - Parameter look: called after each reading.
        ///
        /// - Returns: the number of rows.
        func tell(_ findings: AsyncStream<LiveResult>, _ look: () -> Void) async -> Int {
            var watch: (value: ValueWatch, geometry: FrameResult.Geometry)?
            var (rows, beginning) = (0, Date?.none)
            if !isQuiet, let header = formatter.header { output.line(header, isResult: false) }
            for await finding in findings {
                guard case .read(let reading, _) = finding else {
                    rows += print(watch?.value.finish() ?? [], beginning)
                    watch = nil
                    continue
                }
                if watch?.geometry != reading.geometry {
                    rows += print(watch?.value.finish() ?? [], beginning)
                    watch = (ValueWatch(settings, scale: reading.geometry.scale), reading.geometry)
                }
                beginning = Date() - reading.time.end.seconds
                let changes = watch?.value.take(reading.tracks, at: reading.time, frames: reading.frames)
                rows += print(changes ?? [], beginning)
                await output.caughtUp()
                look()
            }
            return rows + print(watch?.value.finish() ?? [], beginning)
        }

        /// - Parameter beginning: the wall-clock time of the stream's time 0; nil before anything was read.
        ///
        /// - Returns: the number of rows printed.
        private func print(_ changes: [ValueWatch.Change], _ beginning: Date?) -> Int {
            var rows = 0
            for change in changes {
                switch change {
                case .now(let row):
                    let began = beginning.map { $0 + row.start.seconds }
                    target?.tell(row, formatter.state(row, since: began))
                case .gone: target?.tellUnknown()
                case .over(let row):
                    rows += 1
                    let began = beginning.map { $0 + row.start.seconds }
                    if !isQuiet { output.line(formatter.line(row, began: began)) }
                }
            }
            return rows
        }
    }
}
