import Errors
import Foundation
import GStreamerMedia
import Spotter
import Synchronization
import TextSpotting

/// Reports on a redaction: what is hidden, how the copy was checked, and what is unknown.
extension RecordingRedaction {
    func printAll(_ things: [HiddenThing], of source: OpenedSource, as prefix: String? = nil) {
        guard !isQuiet else { return }
        let name = Visible.text(source.uri.redacted)
        for thing in things {
            let end = thing.end < Self.forever ? thing.end : source.info.duration ?? thing.end
            let box = thing.paths[0].quad(at: thing.paths[0].middle(endingBefore: end)).bounds
            let times = source.isStill ? "" : "\(ClockTime.text(thing.start))-\(ClockTime.text(end)):"
            let text = hiding.show ? thing.text.map { " " + Visible.text($0) } ?? "" : ""
            let line =
                "\(name):\(times) \(Visible.text(thing.reason)) at \(Self.sides(of: box))\(text)"
            if let prefix { StandardError.line("framegrep: \(prefix): \(line)") } else { list.line(line) }
        }
    }

    /// - Throws: ``FramegrepError`` if something could not be read and that must not be ignored.
    func checkStrictly(_ unread: [UnreadPlace], _ output: OutputFile) throws {
        let unread = unread.filter(\.reason.isReadableByPeople)
        guard hiding.strict, !unread.isEmpty else { return }
        throw FramegrepError(
            .outputFailed,
            "\(Self.sentence(of: unread)) \(output.name) is not written, as --strict asks; look at these places, and hide them with --region."
        )
    }

    func sayNothingFound(_ source: OpenedSource, _ unread: [UnreadPlace]) {
        let found = readers.map { "nothing was found by \($0.name.value)" } ?? "the plan hides nothing"
        say(
            "\(source.uri.redacted): \(found), and no copy is written; --copy-anyway writes one."
                + (unread.isEmpty ? "" : " " + Self.sentence(of: unread)))
    }

    func sayDone(_ plan: HidingPlan, _ unread: [UnreadPlace], _ output: OutputFile) {
        let nothing = readers == nil ? "nothing is hidden" : "nothing was found"
        let what =
            plan.isEmpty ? "\(nothing); it is a copy all the same" : "\(Amount.of(plan.things.count, "thing")) hidden"
        say(
            "\(output.name): \(what). \(checked(plan))\(unread.isEmpty ? "" : " " + Self.sentence(of: unread)) Subtitles, chapters, titles, tags and attached pictures are left out."
        )
    }

    /// Writes the page for the person who approves the redaction.
    ///
    /// - Parameter path: the path of the copy, complete and not yet in its place.
    func writeReport(
        _ plan: HidingPlan, _ unread: [UnreadPlace], of source: OpenedSource, copiedTo path: String, _ file: OutputFile
    ) async throws {
        let hidden = plan.things.map { thing in
            let end = min(thing.end, source.info.duration ?? thing.end)
            let middle = thing.paths[0].middle(endingBefore: end)
            let box = thing.paths[0].quad(at: middle).bounds
            let times = source.isStill ? "" : "\(ClockTime.text(thing.start)) to \(ClockTime.text(end)): "
            let text = hiding.show ? thing.text.map { " (\($0))" } ?? "" : ""
            return RedactionReport.Entry(
                title: "\(times)\(thing.reason) at \(Self.sides(of: box))\(text)", time: middle, place: box,
                isDoubtful: false)
        }
        let doubtful = unread.map { place in
            let what = place.reason.sentence(count: 1, seconds: (place.end - place.start).seconds)
            let box = place.quad?.bounds
            return RedactionReport.Entry(
                title: "\(ClockTime.text(place.start)): \(what)\(box.map { " at \(Self.sides(of: $0))" } ?? "")",
                time: place.start, place: box, isDoubtful: true)
        }
        var report = RedactionReport(
            title: "Redaction of \(source.uri.redacted)",
            statement: "\(Amount.of(plan.things.count, "thing")) hidden. \(checked(plan))",
            entries: hidden + doubtful)
        let copy = try await OpenedSource.open(try SourceURI(path), timeout: .seconds(20))
        let delay = try await delay(of: copy, after: source)
        try await report.takePictures(from: source, and: copy, later: delay)
        file.limit(to: 0o600)
        let output = try ResultOutput(file)
        output.line(report.html)
        try await output.finish()
    }

    /// Returns how the copy was checked, claiming no more than is known.
    private func checked(_ plan: HidingPlan) -> String {
        guard let readers else {
            return hiding.apply != nil
                ? "It was not searched again, because a plan does not say for what: with patterns beside --apply it is."
                : "Nothing was searched for."
        }
        let isPart = hiding.from != nil || hiding.to != nil
        let by = "\(isPart ? "That part of it was searched" : "Searched") again with \(readers.name.value)"
        if plan.isEmpty { return by + (isPart ? "; the rest is as it was." : ".") }
        return by + ": nothing that this program can read is left" + (isPart ? " there; the rest is as it was." : ".")
    }

    /// Returns how much could not be read, and the first place.
    private static func sentence(of unread: [UnreadPlace]) -> String {
        let parts = UnreadPlace.Reason.allCases.compactMap { reason -> String? in
            let places = unread.filter { $0.reason == reason }
            guard !places.isEmpty else { return nil }
            let seconds = places.reduce(0) { $0 + ($1.end - $1.start).seconds }
            let examples = places.prefix(3).map { place in
                let box = place.quad.map { " at \(Self.sides(of: $0.bounds))" } ?? ""
                return ClockTime.text(place.start) + box
            }
            let more = places.count > examples.count ? " and more" : ""
            return
                "\(reason.sentence(count: places.count, seconds: seconds)) (\(examples.joined(separator: ", "))\(more))"
        }
        return "Could not be checked: \(parts.joined(separator: "; "))."
    }

    private static func sides(of box: Rect) -> String {
        let sides = [box.x, box.y, box.width, box.height].map { Int($0.rounded()) }
        return "\(sides[0]),\(sides[1]) \(sides[2])×\(sides[3])"
    }

    func say(_ text: String) { if !isQuiet { StandardError.line("framegrep: \(text)") } }
}

/// The name of the reader, once that is known. Thread-safe.
final class ReaderName: Sendable {
    private let name = Mutex("")

    var value: String { name.withLock { $0 } }

    func set(_ value: String) { name.withLock { $0 = value } }
}

extension HiddenPath {
    /// Returns the time in the middle of it, as far as a recording lasts.
    fileprivate func middle(endingBefore end: StreamTime) -> StreamTime {
        StreamTime(nanoseconds: (start.nanoseconds + max(start, min(self.end, end)).nanoseconds) / 2)
    }
}
