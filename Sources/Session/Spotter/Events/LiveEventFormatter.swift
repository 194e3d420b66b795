import Errors
public import Foundation
import GStreamerMedia
public import TextSpotting

/// Formats the events of the live job as JSON lines: the contract that programs rely on.
public struct LiveEventFormatter: Sendable {
    /// The name of the source, without passwords.
    public let sourceName: String
    /// The reason the program itself ended the job; nil if the job gives the reason.
    public let ending: String?

    public init(sourceName: String, ending: String? = nil) {
        self.sourceName = sourceName
        self.ending = ending
    }

    /// - Parameter now: the value of `wall`.
    public func line(for event: LiveEvent, now: Date) -> String { object(for: event, now: now).text }

    /// Returns the same event as a JSON object.
    public func object(for event: LiveEvent, now: Date) -> JSONObject {
        let (type, time) = Self.heading(of: event)
        var object = JSONObject(type: type)
        object.add("source", sourceName)
        if let time { object.add("t", time.seconds, decimals: 6) } else { object.add("t", json: "null") }
        object.add("wall", WallTime.text(now))
        add(event, to: &object)
        return object
    }

    private static func heading(of event: LiveEvent) -> (type: String, time: StreamTime?) {
        switch event {
        case .state: ("state", nil)
        case .appeared(_, let time, _): ("appeared", time)
        case .box(_, _, let time): ("box", time)
        case .disappeared(_, let time): ("disappeared", time)
        case .textAppeared: ("text-appeared", nil)
        case .text(_, let time): ("text", time)
        case .statistics(_, let time): ("stats", time)
        case .warning: ("warning", nil)
        case .snapshot(_, let time): ("snapshot", time)
        case .end(let end): ("end", end.time)
        }
    }

    /// Adds all that follows the type and the times.
    private func add(_ event: LiveEvent, to object: inout JSONObject) {
        switch event {
        case .state(let state, let message):
            object.add("state", state.rawValue)
            object.add("message", redacted(message))
        case .appeared(let sighting, _, let latency):
            add(sighting, to: &object)
            object.add("quad", json: JSONLinesFormatter.quad(sighting.peak.quad))
            object.add("latency_ms", latency.milliseconds, decimals: 1)
        case .box(let id, let quad, _):
            object.add("id", id)
            object.add("quad", json: JSONLinesFormatter.quad(quad))
        case .disappeared(let sighting, _):
            add(sighting, to: &object)
            addTimes(of: sighting, to: &object)
        case .textAppeared(let line):
            object.add("id", line.id)
        case .text(let line, _):
            object.add("id", line.id)
            object.add("text", line.text)
            object.add("line", line.line)
            object.add("score", line.score, decimals: 3)
            addTimes(of: line, to: &object)
        case .statistics(let statistics, _):
            add(statistics, to: &object)
        case .warning(let warning):
            object.add("code", warning.code.rawValue)
            object.add("message", redacted(warning.message))
        case .snapshot(let path, _):
            object.add("path", path)
        case .end(let end):
            // The job knows only that it was stopped.
            object.add("reason", end.reason == .signal ? ending ?? "signal" : end.reason.rawValue)
            object.add("sightings", end.sightings)
            add(end.statistics, to: &object)
        }
    }

    private func add(_ sighting: Sighting, to object: inout JSONObject) {
        object.add("id", sighting.id)
        object.add("pattern", sighting.pattern)
        if sighting.isByMeaning { object.add("kind", "meaning") }
        object.add("text", sighting.text)
        object.add("line", sighting.line)
        object.add("score", sighting.score, decimals: 3)
    }

    private func addTimes(of sighting: Sighting, to object: inout JSONObject) {
        object.add("start", sighting.start.seconds, decimals: 6)
        object.add("end", sighting.end.seconds, decimals: 6)
        var peak = JSONObject()
        peak.add("t", sighting.peak.time.start.seconds, decimals: 6)
        peak.add("quad", json: JSONLinesFormatter.quad(sighting.peak.quad))
        object.add("peak", json: peak.text)
    }

    private func add(_ figures: LiveStatistics, to object: inout JSONObject) {
        object.add("fps_in", figures.framesIn, decimals: 1)
        object.add("fps_shown", figures.framesShown, decimals: 1)
        object.add("fps_read", figures.framesRead, decimals: 1)
        object.add("skipped", figures.skipped)
        object.add("dropped", figures.dropped)
        object.add("read_ms_p50", figures.readMilliseconds.p50, decimals: 1)
        object.add("read_ms_p95", figures.readMilliseconds.p95, decimals: 1)
        object.add("staleness_ms_p50", figures.stalenessMilliseconds.p50, decimals: 1)
        object.add("staleness_ms_p95", figures.stalenessMilliseconds.p95, decimals: 1)
        object.add("memory_mib", figures.memoryMebibytes, decimals: 1)
        object.add("boxes_dropped", figures.droppedBoxes)
        object.add("events_dropped", figures.droppedEvents)
    }
}

/// Formats results as one JSON object per line: the contract that programs rely on.
public struct JSONLinesFormatter: Sendable {
    public init() {}

    /// - Parameter wallStart: the wall-clock time of the source's beginning; nil if unknown.
    public func format(_ sighting: Sighting, source: String, wallStart: Date? = nil) -> String {
        var object = JSONObject(type: "sighting")
        object.add("id", sighting.id)
        object.add("pattern", sighting.pattern)
        if sighting.isByMeaning { object.add("kind", "meaning") }
        addRest(of: sighting, source, to: &object)
        if let slack = sighting.slack { object.add("slack", slack.seconds, decimals: 6) }
        if let wallStart { object.add("wall_start", WallTime.text(wallStart)) }
        return object.text
    }

    public func format(text: Sighting, source: String) -> String {
        var object = JSONObject(type: "text")
        object.add("id", text.id)
        addRest(of: text, source, to: &object)
        return object.text
    }

    public func format(_ absence: Absence, source: String) -> String {
        var object = JSONObject(type: "absence")
        object.add("id", absence.id)
        object.add("patterns", list: absence.patterns.map(JSONObject.quoted))
        object.add("source", source)
        object.add("start", absence.start.seconds, decimals: 6)
        object.add("end", absence.end.seconds, decimals: 6)
        return object.text
    }

    /// Returns one line for each frame in which the sighting is visible, for `--boxes`.
    public static func boxes(of sighting: Sighting, source: String) -> [String] {
        sighting.boxes.map { box in
            var object = JSONObject(type: "box")
            object.add("id", sighting.id)
            object.add("source", source)
            object.add("t", box.time.start.seconds, decimals: 6)
            object.add("quad", json: quad(box.quad))
            return object.text
        }
    }

    public static func quad(_ quad: Quad) -> String {
        var text = ""
        for corner in quad.corners {
            text += text.isEmpty ? "[[" : ",["
            text += JSONObject.number(corner.x, decimals: 1)
            text += ","
            text += JSONObject.number(corner.y, decimals: 1)
            text += "]"
        }
        return text + "]"
    }

    /// Returns the line that reports how much of an index was searched; it comes last.
    ///
    /// - Parameters:
    ///   - count: the number of recordings searched.
    ///   - seconds: their total length.
    ///   - live: the part of it that was read live, where not every picture is read.
    ///   - skimmed: the part that was skimmed: read at key frames only.
    ///   - missing: the recordings whose current state is not in the index, and the reasons.
    public static func coverage(
        ofIndexIn folder: String, count: Int, seconds: Double, live: Double, skimmed: Double,
        missing: [(name: String, reason: String)]
    ) -> String {
        var object = JSONObject(type: "coverage")
        object.add("source", folder)
        object.add("sources", count)
        object.add("seconds", seconds, decimals: 3)
        if live > 0 { object.add("live_seconds", live, decimals: 3) }
        if skimmed > 0 { object.add("skimmed_seconds", skimmed, decimals: 3) }
        let entries = missing.map { name, reason in
            var entry = JSONObject()
            entry.add("source", name)
            entry.add("reason", reason)
            return entry.text
        }
        object.add("missing", list: entries)
        return object.text
    }

    private func addRest(of sighting: Sighting, _ source: String, to object: inout JSONObject) {
        object.add("text", sighting.text)
        object.add("line", sighting.line)
        object.add("source", source)
        object.add("start", sighting.start.seconds, decimals: 6)
        object.add("end", sighting.end.seconds, decimals: 6)
        object.add("score", sighting.score, decimals: 3)
        var peak = JSONObject()
        peak.add("t", sighting.peak.time.start.seconds, decimals: 6)
        peak.add("quad", json: Self.quad(sighting.peak.quad))
        object.add("peak", json: peak.text)
    }
}

/// Formats wall-clock times for events.
package enum WallTime {
    /// Returns the date in RFC 3339 format, UTC, to the millisecond.
    package static func text(_ date: Date) -> String {
        // The style truncates to milliseconds.
        (date + 0.000_5).formatted(
            .iso8601.year().month().day().time(includingFractionalSeconds: true).timeZone(separator: .omitted))
    }
}
