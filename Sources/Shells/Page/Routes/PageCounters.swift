import Synchronization
import Threads

/// The numbers of `/metrics`, which contain no names and no words. Thread-safe.
final class PageCounters: Sendable {
    private struct State {
        var answers: [Int: Int] = [:]
        var searches = 0
        var searchSeconds = 0.0
        var clips = 0
    }

    private let state = Mutex(State())

    func noteAnswer(_ status: Int) { state.withLock { $0.answers[status, default: 0] += 1 } }
    func noteClip() { state.withLock { $0.clips += 1 } }
    func noteSearch(since start: ContinuousClock.Instant) {
        let time = ContinuousClock.now - start
        state.withLock { state in
            state.searches += 1
            state.searchSeconds += time.inSeconds
        }
    }

    /// Returns the numbers in Prometheus's text format, version 0.0.4.
    func text(recordings: Int, pictures: Int, _ live: LiveManager) -> String {
        let lines = ownLines(recordings: recordings, pictures: pictures) + Self.lines(of: live)
        return lines.joined(separator: "\n") + "\n"
    }

    private static func lines(
        _ name: String, kind: String, help: String, _ values: [(labels: String, value: String)]
    ) -> [String] {
        ["# HELP framegrep_\(name) \(help)", "# TYPE framegrep_\(name) \(kind)"]
            + values.map { "framegrep_\(name)\($0.labels) \($0.value)" }
    }

    private func ownLines(recordings: Int, pictures: Int) -> [String] {
        let state = state.withLock { $0 }
        var lines: [String] = []
        func add(_ name: String, kind: String, help: String, values: [(labels: String, value: String)]) {
            lines += Self.lines(name, kind: kind, help: help, values)
        }
        let answers = state.answers.sorted { $0.key < $1.key }.map { ("{status=\"\($0.key)\"}", String($0.value)) }
        add("answers_total", kind: "counter", help: "Requests that were answered, by status.", values: answers)
        add("searches_total", kind: "counter", help: "Searches of the index.", values: [("", String(state.searches))])
        add(
            "search_seconds_total", kind: "counter", help: "How long they took together.",
            values: [("", String(state.searchSeconds))])
        add("pictures_total", kind: "counter", help: "Pictures that were decoded.", values: [("", String(pictures))])
        add(
            "clips_total", kind: "counter", help: "Clips that were made for browsers.",
            values: [("", String(state.clips))])
        add("recordings", kind: "gauge", help: "Recordings in the index.", values: [("", String(recordings))])
        return lines
    }

    /// Returns no lines if nothing is watched.
    private static func lines(of live: LiveManager) -> [String] {
        let watched = live.sources.map { (labels: "{source=\"\($0.number)\"}", known: $0.known) }
        guard !watched.isEmpty else { return [] }
        var lines = lines("live_viewers", kind: "gauge", help: "Pages that look.", [("", String(live.viewers))])
        func add(_ name: String, kind: String, help: String, value: (WatchState) -> String) {
            lines += Self.lines("live_" + name, kind: kind, help: help, watched.map { ($0.labels, value($0.known)) })
        }
        add("running", kind: "gauge", help: "1 while frames come.") { $0.state == "running" ? "1" : "0" }
        add("frames_per_second", kind: "gauge", help: "Frames that come.") { String($0.framesIn) }
        add("readings_per_second", kind: "gauge", help: "Frames that are read.") { String($0.framesRead) }
        add("skipped", kind: "gauge", help: "Frames that the job has not read since it began.") { String($0.skipped) }
        add("lost", kind: "gauge", help: "Frames that came and that the job did not follow since it began.") {
            String($0.lost)
        }
        add("sightings_total", kind: "counter", help: "What appeared.") { String($0.sightings) }
        add("starts_total", kind: "counter", help: "How often the job was started.") { String($0.starts) }
        add("frames_sent_total", kind: "counter", help: "Frames for browsers.") { String($0.framesSent) }
        add("frames_dropped_total", kind: "counter", help: "Frames that browsers were too slow for.") {
            String($0.framesDropped)
        }
        return lines
    }
}
