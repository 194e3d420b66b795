import Errors
import TextSpotting
import Threads

/// Reads a recording ahead of the picture that is played: one search after the other, each of the part that is wanted next.
struct AheadReader: Sendable {
    /// Settings that never change while a job runs.
    struct Settings: Sendable {
        /// The name of the recording in messages.
        var sourceName: String
        /// The part of the picture to search; nil for all of it.
        var region: RegionOfInterest?
        /// Matches below this score are ignored.
        var minimumScore: Double
        /// Text that seems not to change is read again after this time, or later.
        var maximumAge: StreamTime
    }

    let player: RecordingPlayer
    /// The pipeline of a search.
    let description: String
    let settings: Settings
    let reader: any TextReader
    let words: SearchedWords
    /// Shows boxes of a picture that is shown and still being read.
    let partialResults: PartialResults
    let notices: PictureNotices
    let report: LiveReport

    /// Runs until the task is cancelled.
    func run() async {
        var hasFailed = false
        while !Task.isCancelled {
            guard !hasFailed, let (number, range) = player.beginPart() else {
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
            if let failure = await search.value {
                hasFailed = true
                report.warn(failure)
                notices.say(failure.message, kind: .failure)
            }
        }
    }

    /// Ends a search when another part is wanted sooner.
    private func watch(_ number: Int, _ search: Task<FramegrepError?, Never>) async {
        while !Task.isCancelled {
            if player.isElsewhere(number) { return search.cancel() }
            await player.reading.wait()
        }
    }

    /// Reads one part; returns why it could not be.
    private func read(_ range: Range<Double>, _ number: Int) async -> FramegrepError? {
        var find = FindSettings()
        find.region = settings.region
        find.minimumScore = settings.minimumScore
        find.gate.maximumAge = max(find.gate.maximumAge, settings.maximumAge)
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
        return Task.isCancelled ? nil : failure
    }
}
