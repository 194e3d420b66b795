import Errors
import Foundation
import GStreamerMedia
import Spotter
import TextSpotting

/// Writes the copy and searches it until nothing is left in it.
extension RecordingRedaction {
    /// The number of times that remaining findings are hidden before giving up: each time finds something new, or the
    /// loop would have ended.
    private static let mostRepeats = 25

    /// Writes the copy, and hides more of it until nothing is left.
    ///
    /// - Parameters:
    ///   - place: the place to write it.
    ///   - path: the same file under its own name, for reading.
    ///   - frames: the number of frames searched; nil if there was no search.
    /// - Returns: everything hidden in it, and what could not be read.
    func write(
        _ source: OpenedSource, _ found: HidingPlan, _ kind: Kind, to place: String, readFrom path: String,
        named name: String,
        frames: Int?
    ) async throws -> (plan: HidingPlan, unread: [UnreadPlace]) {
        var plan = found
        // The copy as it was searched last, the times in which more was hidden since, and those to search because of
        // it; nil before the first search.
        var searched: (sums: CopySums?, changed: [Range<StreamTime>], around: [Range<StreamTime>])?
        var unread: [UnreadPlace] = []
        for round in 0...Self.mostRepeats {
            try await write(source, plan, kind, to: place)
            try Task.checkCancellation()
            guard readers != nil else { break }
            let copy = try await OpenedSource.open(try SourceURI(path), timeout: .seconds(20))
            let delay = try await delay(of: copy, after: source)
            var sums = searched?.sums == nil ? nil : try await CopySums(of: copy, later: delay)
            let parts = searched.flatMap { Self.unsearched(sums, since: $0.sums, $0.around) }
            let again = try await search(
                Copy(source: copy, delay: delay, original: source), plan, in: parts, searched?.changed ?? [], frames,
                name)
            unread = UnreadPlace.joined(unread.filter { !plan.hides($0) }, with: again.unread, in: parts)
            if again.things.isEmpty { break }
            if isVerbose { printAll(again.things, of: source, as: "left") }
            guard round < Self.mostRepeats else { throw Self.stillFound(again.things, name) }
            say("searched again: \(Amount.of(again.things.count, "place")) more; hidden too.")
            printAll(again.things, of: source)
            let longer = StreamTime(seconds: round == 0 ? 0 : min(4, 0.2 * Double(1 << (round - 1))))
            plan.add(again.things.map { $0.lasting(longer: longer) })
            guard !source.isStill else { continue }
            let margin = StreamTime(seconds: 1) + longer
            if sums == nil { sums = try await CopySums(of: copy, later: delay) }
            func times(searchedIn parts: [Range<StreamTime>]) -> [Range<StreamTime>] {
                StreamTime.united(again.things.map { $0.surroundings(within: margin, searchedIn: parts) })
            }
            searched = (sums, times(searchedIn: []), times(searchedIn: parts ?? []))
        }
        return (plan, unread)
    }

    /// Returns the parts of a copy that were not searched as they are now: the pictures that its last encoding changed,
    /// and the times in which more is hidden; nil if that is unknown, and all of it must be searched.
    private static func unsearched(
        _ sums: CopySums?, since before: CopySums?, _ changed: [Range<StreamTime>]
    ) -> [Range<StreamTime>]? {
        guard let sums, let before, let differences = sums.differences(from: before) else { return nil }
        return StreamTime.united(differences + changed)
    }

    /// A copy to be searched.
    private struct Copy {
        let source: OpenedSource
        /// How much later it shows the same frame than the original.
        let delay: StreamTime
        let original: OpenedSource
    }

    /// Searches for what is left in a copy. All times are those of the original.
    ///
    /// - Parameters:
    ///   - parts: the only parts to search; nil for all of it.
    ///   - changed: the times in which each frame that differs from the one before is read, besides the usual ones.
    private func search(
        _ copy: Copy, _ plan: HidingPlan, in parts: [Range<StreamTime>]?, _ changed: [Range<StreamTime>],
        _ frames: Int?, _ name: String
    ) async throws -> HidingSearch.Outcome {
        let time = try await time(in: copy.original)
        if let parts {
            return try await search(copy, plan, parts.compactMap { $0.within(time) }, changed)
        }
        let again = try await search(copy, plan, time, changed)
        guard let again, again.summary.damage == nil, frames.map({ $0 == again.summary.frames }) ?? true else {
            throw FramegrepError(
                .outputFailed,
                "The copy of \(copy.original.uri.redacted) has \(again?.summary.frames ?? 0) pictures that can be searched again, and not \(frames ?? 0); \(name) is not written."
                    + (hiding.from != nil || hiding.to != nil
                        ? " Leave --from and --to out: then all of it is searched and hidden." : "")
            )
        }
        return again
    }

    private func search(
        _ copy: Copy, _ plan: HidingPlan, _ parts: [Range<StreamTime>], _ changed: [Range<StreamTime>]
    ) async throws -> HidingSearch.Outcome {
        var all = HidingSearch.Outcome(things: [], summary: FindSummary())
        for part in parts {
            guard let found = try await search(copy, plan, (part.lowerBound, part.upperBound), changed) else { break }
            if let damage = found.summary.damage { throw Self.incomplete(copy.source, damage.message) }
            all.things += found.things
            all.unread += found.unread
        }
        return all
    }

    private func search(
        _ copy: Copy, _ plan: HidingPlan, _ time: (from: StreamTime?, to: StreamTime?), _ changed: [Range<StreamTime>]
    ) async throws -> HidingSearch.Outcome? {
        let delay = copy.delay
        func shown(_ time: StreamTime) -> StreamTime { max(.zero, time + delay) }
        let from = time.from.map(shown)
        let again = try await search(
            copy.source, (from == .zero ? nil : from, time.to.map(shown)), besides: plan.later(by: delay),
            changed.map { shown($0.lowerBound)..<shown($0.upperBound) }, as: "searching again")
        try Task.checkCancellation()
        return again?.later(by: .zero - delay)
    }

    private static func stillFound(_ things: [HiddenThing], _ name: String) -> FramegrepError {
        let first = things.prefix(3).map { "\($0.reason) at \(ClockTime.text($0.start))" }.joined(separator: ", ")
        return FramegrepError(
            .outputFailed,
            "Something is still found in the copy after \(mostRepeats) repeats: \(first)\(things.count > 3 ? " and more" : ""). \(name) is not "
                + "written; hide the place with --region, or raise --min-score where it is none of what you mean.")
    }

    private func write(_ source: OpenedSource, _ plan: HidingPlan, _ kind: Kind, to place: String) async throws {
        let brush = HidingBrush(plan, style: hiding.style)
        switch kind {
        case .still(let format): try await StillRedactor(source).write(hiding: brush, as: format, to: place)
        case .recording(let container): try await write(source, brush, container, to: place)
        }
    }

    private func write(
        _ source: OpenedSource, _ brush: HidingBrush, _ container: RecordingContainer, to place: String
    ) async throws {
        var recording = Recording(path: place, container: container)
        recording.hidesPlaces = true
        if let format = source.info.audioFormat {
            recording.sound = try SoundTrack(of: source.uri.text, format: format, into: container, leavesWords: true)
        }
        let progress = ProgressLine(name: "hiding", isEnabled: !isQuiet)
        defer { progress.clear() }
        let annotator = RecordingAnnotator(
            source, recording: recording, pictures: nil, patience: settings.patience, hiding: brush)
        let outcome = try await annotator.write([], until: StreamTime(nanoseconds: .max)) {
            progress.update($0, of: source.info.duration)
        }
        try Task.checkCancellation()
        if let failure = outcome.soundFailure {
            throw FramegrepError(
                failure.code, "The sound of \(source.uri.redacted) could not be copied: \(failure.message)")
        }
        guard outcome.isWhole else {
            throw Self.incomplete(source, outcome.failure?.message ?? "It could not be read a second time.")
        }
        // Only a user writes such an entry, in the belief that it will be hidden.
        if let late = brush.plan.things.flatMap(\.paths).first(where: { $0.start >= outcome.end }) {
            throw FramegrepError(
                .badArgument,
                "Something is to be hidden from \(ClockTime.text(late.start)) on, and \(source.uri.redacted) ends at \(ClockTime.text(outcome.end)): "
                    + "nothing is written. Times are in seconds from its beginning.")
        }
        if let sound = recording.sound, !sound.isCopied {
            say(
                "the sound is re-encoded, because .\(container.rawValue) does not take it as it is, or it holds titles of its own."
            )
        }
    }
}

extension Range<StreamTime> {
    /// Returns the part of it within a range of time; nil if there is none.
    fileprivate func within(_ time: (from: StreamTime?, to: StreamTime?)) -> Range<StreamTime>? {
        let begin = Swift.max(lowerBound, time.from ?? .zero)
        let end = Swift.min(upperBound, time.to ?? upperBound)
        return begin < end ? begin..<end : nil
    }
}
