import Errors
import TextSpotting
import Threads

/// Reads a recording ahead of the picture being played: one search after the other, each of the part that is needed
/// next.
struct AheadReader: Sendable {
    let player: RecordingPlayer
    let recording: LiveSource.Recording
    let settings: LiveSettings
    let reader: any TextReader
    let session: LatestSession
    /// Shows boxes of a picture that is shown while it is still being read.
    let partialResults: PartialResults

    /// Runs until the task is cancelled. Parts that could not be read are not tried again until the search changes;
    /// damaged parts count as read.
    func run() async {
        var failedFor: Int?
        var warnings = Set<String>()
        while !Task.isCancelled {
            let revision = session.words.versioned.revision
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
            session.report.warn(failure)
            session.notices.say(failure.message, kind: .failure)
        }
    }

    /// The largest number of different warnings; more add no information.
    private static let mostWarnings = 100

    /// Ends a search when another part is needed sooner.
    private func watch(_ number: Int, _ search: Task<(FramegrepError?, isWhole: Bool), Never>) async {
        while !Task.isCancelled {
            if player.isElsewhere(number) { return search.cancel() }
            await player.reading.wait()
        }
    }

    /// Reads one part; returns the error, if any, and whether the part was read to its end regardless.
    private func read(_ range: Range<Double>, _ number: Int) async -> (FramegrepError?, isWhole: Bool) {
        var find = FindSettings(settings.reading)
        find.gate.maximumAge = max(FindSettings().gate.maximumAge, settings.reading.runningAge)
        find.keepsBoxes = true
        find.from = range.lowerBound > 0 ? StreamTime(seconds: range.lowerBound) : nil
        find.to = range.upperBound.isFinite ? StreamTime(seconds: range.upperBound) : nil
        find.see = { [player, notices = session.notices] step in
            if let notice = player.take(step, ofPart: number) { notices.say(notice, for: .seconds(3)) }
        }
        find.partialResult = { [partialResults] line, time in partialResults.see(line, at: time) }
        let spotter = FileSpotter(
            description: recording.search, sourceName: settings.sourceName, settings: find, reader: reader,
            matcher: session.words.matcher, file: recording.file)
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
        if Task.isCancelled { failure = nil }
        let notice = player.finishPart(number, isWhole: isWhole, hasFailed: failure != nil && !isWhole)
        if let notice { session.notices.say(notice, for: .seconds(3)) }
        return (failure, isWhole)
    }
}

/// Decides which part of a recording to read next: first the part ahead of the shown picture, then parts that were left
/// out. A state machine without readers. Times are seconds of the recording.
struct ReadingAhead: Sendable {
    /// How far reading may be behind the shown frame before it jumps there.
    static let patience = 1.0
    /// The time that a part gets for its first reading: if it were given up again and again, nothing would ever be
    /// read.
    static let firstPatience = 20.0
    /// Parts that are no further apart are merged: less than a frame of any film.
    static let crack = 0.05

    /// The parts that were read, in order and without touching.
    private(set) var parts: [ClosedRange<Double>] = []
    /// The part being read: its beginning, the progress, and its end.
    private(set) var current: (from: Double, read: Double, to: Double)?
    private var wasOvertaken = false

    /// Everything that has been read, including the part in progress.
    var read: [ClosedRange<Double>] {
        guard let current, current.read > current.from else { return parts }
        return Self.joined(parts + [current.from...current.read])
    }

    /// Returns whether the frame shown at this time has been read.
    func covers(_ time: Double) -> Bool {
        read.contains { $0.lowerBound - Self.crack <= time && time <= $0.upperBound }
    }

    /// Returns whether the part being read still comes to the frame at this time.
    func comes(to time: Double) -> Bool {
        current.map { $0.from - Self.crack <= time && time < $0.to } ?? false
    }

    /// Returns the time up to which everything after this one has been read; infinity if nothing is left to read there.
    func readEnd(after time: Double, of end: Double) -> Double {
        let part = read.last { $0.lowerBound - Self.crack <= time }
        guard let part, part.upperBound < end - 2 * Self.crack else { return part == nil ? time : .infinity }
        return max(time, part.upperBound)
    }

    /// Begins the next part; nil if everything has been read.
    ///
    /// - Parameters:
    ///   - place: the position of the shown frame.
    ///   - speed: the playback speed; 0 for a picture that stands still.
    ///   - latency: the number of seconds until the first reading of a part: if the picture is faster than reading, the
    ///     part begins that much further on.
    ///   - end: the end of the recording.
    mutating func begin(at place: Double, speed: Double, latency: Double, end: Double) -> Range<Double>? {
        let lead = wasOvertaken && speed > 0 ? latency * speed : 0
        wasOvertaken = false
        // If the picture will be at the end by then, there is nothing to read ahead.
        let part = rest(from: place + lead < end - Self.crack ? place + lead : place, end) ?? rest(from: 0, end)
        guard let part else { return nil }
        current = (part.lowerBound, part.lowerBound, part.upperBound)
        return part
    }

    /// Records that the part in progress has been read up to this time.
    mutating func reach(_ time: Double) {
        guard let before = current else { return }
        current = (before.from, max(before.read, min(time, before.to)), before.to)
    }

    /// Ends the part in progress.
    ///
    /// - Parameter isWhole: whether it was read to its end; otherwise up to the current progress.
    mutating func finish(isWhole: Bool) {
        guard let part = current else { return }
        current = nil
        let read = isWhole ? part.to : part.read
        if read > part.from { parts = Self.joined(parts + [part.from...read]) }
    }

    /// Returns whether to read elsewhere now, because the shown frame will not be reached soon.
    ///
    /// Starting elsewhere costs a first reading, during which the picture continues: a part that is no further behind
    /// than that is continued.
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

    /// Starts again because the search changed.
    mutating func forget() { self = ReadingAhead() }

    /// Returns the first part from this time on that was not read.
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
}
