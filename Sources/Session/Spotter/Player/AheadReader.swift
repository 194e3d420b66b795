import Errors
import TextSpotting
import Threads

/// Reads a recording ahead of the picture that is played: one search after the other, each of the part that is wanted next.
struct AheadReader: Sendable {
    let player: RecordingPlayer
    /// The pipeline of a search.
    let description: String
    let settings: LiveSettings
    let reader: any TextReader
    let words: SearchedWords
    /// Shows boxes of a picture that is shown and still being read.
    let partialResults: PartialResults
    let notices: PictureNotices
    let report: LiveReport

    /// Runs until the task is cancelled. What could not be read is not tried again until other words are searched; what is damaged was read.
    func run() async {
        var failedFor: Int?
        var warnings = Set<String>()
        while !Task.isCancelled {
            let revision = words.versioned.revision
            guard failedFor != revision, let (number, range) = player.beginPart() else {
                await player.reading.wait()
                continue
            }
            let search = Task { await read(range, number) }
            await withTaskCancellationHandler {
                await withTaskGroup(of: Void.self) { group in
                    group.addTask { _ = await search.value }
                    group.addTask { await watch(number, search) }
                    await group.next()
                    group.cancelAll()
                }
            } onCancel: {
                search.cancel()
            }
            let (failure, isWhole) = await search.value
            guard let failure else { continue }
            if !isWhole { failedFor = revision }
            guard warnings.count < Self.mostWarnings, warnings.insert(failure.message).inserted else { continue }
            report.warn(failure)
            notices.say(failure.message, kind: .failure)
        }
    }

    /// More different ones say nothing new.
    private static let mostWarnings = 100

    /// Ends a search when another part is wanted sooner.
    private func watch(_ number: Int, _ search: Task<(FramegrepError?, isWhole: Bool), Never>) async {
        while !Task.isCancelled {
            if player.isElsewhere(number) { return search.cancel() }
            await player.reading.wait()
        }
    }

    /// Reads one part; returns what went wrong, and whether it was read to its end all the same.
    private func read(_ range: Range<Double>, _ number: Int) async -> (FramegrepError?, isWhole: Bool) {
        var find = FindSettings(settings.reading)
        find.gate.maximumAge = max(FindSettings().gate.maximumAge, settings.reading.runningAge)
        find.keepsBoxes = true
        find.from = range.lowerBound > 0 ? StreamTime(seconds: range.lowerBound) : nil
        find.to = range.upperBound.isFinite ? StreamTime(seconds: range.upperBound) : nil
        find.see = { [player, notices] step in
            if let notice = player.take(step, ofPart: number) { notices.say(notice, for: .seconds(3)) }
        }
        find.partialResult = { [partialResults] line, time in partialResults.see(line, at: time) }
        let spotter = FileSpotter(
            description: description, sourceName: settings.sourceName, settings: find, reader: reader,
            matcher: words.matcher)
        var failure: FramegrepError?
        var isWhole = false
        do {
            let summary = try await spotter.search { [player] event in
                if case .sighting(let sighting) = event { player.take(sighting, ofPart: number) }
            }
            isWhole = !Task.isCancelled
            failure = summary.damage
        } catch let error as FramegrepError {
            failure = error
        } catch {
            failure =
                Task.isCancelled ? nil : FramegrepError(.engineUnavailable, "The recording cannot be read: \(error).")
        }
        if let notice = player.finishPart(number, isWhole: isWhole) { notices.say(notice, for: .seconds(3)) }
        return (Task.isCancelled ? nil : failure, isWhole)
    }
}

/// Decides which part of a recording to read next: first ahead of the shown picture, then parts that were left out. A state machine without
/// readers. Times are seconds of the recording.
struct ReadingAhead: Sendable, Hashable {
    /// How far reading may be behind the shown frame before it jumps there.
    static let patience = 1.0
    /// A part whose first reading is under way is given this long: given up over and over, nothing would ever be read.
    static let firstPatience = 20.0
    /// Parts that are no further apart are one: less than a frame of any film that is read.
    static let crack = 0.05

    /// The parts that were read, in order; no two of them touch.
    private(set) var parts: [ClosedRange<Double>] = []
    /// The part that is being read: where it began, how far it is, and where it ends.
    private(set) var current: (from: Double, read: Double, to: Double)?
    private var wasOvertaken = false

    /// All that has been read, the part under way included.
    var read: [ClosedRange<Double>] {
        guard let current, current.read > current.from else { return parts }
        return Self.joined(parts + [current.from...current.read])
    }

    /// Whether the frame shown at this time has been read.
    func covers(_ time: Double) -> Bool {
        read.contains { $0.lowerBound - Self.crack <= time && time <= $0.upperBound }
    }

    /// Whether nothing is left to read after this time.
    func isComplete(after time: Double, of end: Double) -> Bool {
        read.contains { $0.lowerBound - Self.crack <= time && $0.upperBound >= end - 2 * Self.crack }
    }

    /// Begins the next part; nil if all has been read.
    ///
    /// - Parameters:
    ///   - place: of the shown frame.
    ///   - speed: how fast; 0 for a picture that stands still.
    ///   - latency: how many seconds of the user's time pass until the first reading of a part: if the picture was faster, it is met so
    ///     much further on.
    ///   - end: of the recording.
    mutating func begin(at place: Double, speed: Double, latency: Double, end: Double) -> Range<Double>? {
        let lead = wasOvertaken && speed > 0 ? latency * speed : 0
        wasOvertaken = false
        // Nothing is to be had where the picture will be, when that is the end.
        let part = rest(from: place + lead < end - Self.crack ? place + lead : place, end) ?? rest(from: 0, end)
        guard let part else { return nil }
        current = (part.lowerBound, part.lowerBound, part.upperBound)
        return part
    }

    /// The part under way has been read up to this time.
    mutating func reach(_ time: Double) {
        guard let before = current else { return }
        current = (before.from, max(before.read, min(time, before.to)), before.to)
    }

    /// The part under way is over.
    ///
    /// - Parameter isWhole: it was read to its end; else up to where it is.
    mutating func finish(isWhole: Bool) {
        guard let part = current else { return }
        current = nil
        let read = isWhole ? part.to : part.read
        if read > part.from { parts = Self.joined(parts + [part.from...read]) }
    }

    /// Whether to read elsewhere now, because the shown frame will not be reached soon.
    ///
    /// To begin elsewhere costs a first reading, in which the picture goes on: a part that is no further behind than that is read on.
    ///
    /// - Parameters:
    ///   - speed: see ``begin(at:speed:latency:end:)``.
    ///   - latency: see there.
    mutating func isElsewhere(from place: Double, speed: Double = 0, latency: Double = 0) -> Bool {
        guard let current, !covers(place) else { return false }
        let patience = current.read > current.from ? max(Self.patience, speed * latency) : Self.firstPatience
        let isNear = place >= current.from - Self.crack && place <= current.read + patience
        guard !isNear else { return false }
        wasOvertaken = place >= current.from && place < current.to
        return true
    }

    /// Something else is searched for.
    mutating func forget() { self = ReadingAhead() }

    /// The first part from this time on that was not read.
    private func rest(from place: Double, _ end: Double) -> Range<Double>? {
        var from = max(0, place)
        for part in parts where part.upperBound >= from {
            guard part.lowerBound <= from + Self.crack else { return from..<part.lowerBound }
            from = max(from, part.upperBound)
        }
        return from < end - 2 * Self.crack ? from..<end : nil
    }

    private static func joined(_ parts: [ClosedRange<Double>]) -> [ClosedRange<Double>] {
        parts.sorted { $0.lowerBound < $1.lowerBound }.reduce(into: []) { result, part in
            guard let last = result.last, part.lowerBound <= last.upperBound + crack else { return result.append(part) }
            result[result.count - 1] = last.lowerBound...max(last.upperBound, part.upperBound)
        }
    }

    static func == (a: ReadingAhead, b: ReadingAhead) -> Bool {
        a.parts == b.parts && a.wasOvertaken == b.wasOvertaken && a.current?.from == b.current?.from
            && a.current?.read == b.current?.read && a.current?.to == b.current?.to
    }

    func hash(into hasher: inout Hasher) { hasher.combine(parts) }
}
