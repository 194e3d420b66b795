import Errors
public import Foundation
import GStreamerMedia
public import TextSpotting

/// The events of the live job as JSON lines: the contract that programs rely on.
public struct LiveEventFormatter: Sendable {
    /// The name of the source, without passwords.
    public let sourceName: String
    /// Why the program itself has ended the job; nil if the job says why.
    public let ending: String?

    public init(sourceName: String, ending: String? = nil) {
        self.sourceName = sourceName
        self.ending = ending
    }

    /// - Parameter now: what `wall` says.
    public func line(for event: LiveEvent, now: Date) -> String { object(for: event, now: now).text }

    /// The same, field by field.
    public func object(for event: LiveEvent, now: Date) -> JSONObject {
        switch event {
        case .state(let state, let message):
            var object = begin("state", at: nil, now)
            object.add("state", state.rawValue)
            object.add("message", redacted(message))
            return object
        case .appeared(let sighting, let time, let latency):
            var object = begin("appeared", at: time, now)
            add(sighting, to: &object)
            object.add("quad", json: JSONLinesFormatter.quad(sighting.peak.quad))
            object.add("latency_ms", latency.milliseconds, decimals: 1)
            return object
        case .box(let id, let quad, let time):
            var object = begin("box", at: time, now)
            object.add("id", id)
            object.add("quad", json: JSONLinesFormatter.quad(quad))
            return object
        case .disappeared(let sighting, let time):
            var object = begin("disappeared", at: time, now)
            add(sighting, to: &object)
            addTimes(of: sighting, to: &object)
            return object
        case .textAppeared(let id):
            var object = begin("text-appeared", at: nil, now)
            object.add("id", id)
            return object
        case .text(let line, let time):
            var object = begin("text", at: time, now)
            object.add("id", line.id)
            object.add("text", line.text)
            object.add("line", line.line)
            object.add("score", line.score, decimals: 3)
            addTimes(of: line, to: &object)
            return object
        case .statistics(let statistics, let time):
            var object = begin("stats", at: time, now)
            add(statistics, to: &object)
            return object
        case .warning(let warning):
            var object = begin("warning", at: nil, now)
            object.add("code", warning.code.rawValue)
            object.add("message", redacted(warning.message))
            return object
        case .snapshot(let path, let time):
            var object = begin("snapshot", at: time, now)
            object.add("path", path)
            return object
        case .end(let end):
            var object = begin("end", at: end.time, now)
            // The job knows only that it was stopped.
            object.add("reason", end.reason == .signal ? ending ?? "signal" : end.reason.rawValue)
            object.add("sightings", end.sightings)
            add(end.statistics, to: &object)
            return object
        }
    }

    private func begin(_ type: String, at time: StreamTime?, _ now: Date) -> JSONObject {
        var object = JSONObject(type: type)
        object.add("source", sourceName)
        if let time { object.add("t", time.seconds, decimals: 6) } else { object.add("t", json: "null") }
        object.add("wall", WallTime.text(now))
        return object
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
    }
}
