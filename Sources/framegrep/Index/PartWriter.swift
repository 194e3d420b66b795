import Errors
import Foundation
import Spotter
import Synchronization
import TextIndex
import TextSpotting

/// Turns findings into parts, and writes them. Thread-safe.
final class PartWriter: Sendable {
    /// The bounds of unsaved work, in the recording's time and on the clock.
    private static let checkpoint = (video: StreamTime(seconds: 60), clock: Duration.seconds(20))
    /// Parts are no longer than this, so that repeated writing stays cheap.
    private static let longestPart = StreamTime(seconds: 600)
    private static let mostLines = 50_000

    private struct State {
        var source: IndexedSource
        /// As it was when the part began.
        var before: IndexedSource
        var recorder: LineRecorder
        /// Where the part begins.
        var from: StreamTime
        /// The segment with the part as written so far.
        var segment: String?
        var written: (video: StreamTime, clock: ContinuousClock.Instant)
        var failure: (any Error)?
    }

    private let index: TextIndex
    private let state: Mutex<State>

    init(_ index: TextIndex, _ source: IndexedSource) {
        self.index = index
        state = Mutex(
            State(
                source: source, before: source, recorder: LineRecorder(from: source.end), from: source.end,
                written: (source.end, .now)))
    }

    var failure: (any Error)? { state.withLock { $0.failure } }

    /// - Returns: false if nothing more can be written.
    func take(_ finding: FrameResult) -> Bool {
        state.withLock { state in
            state.recorder.add(LineReading(finding))
            let end = state.recorder.end
            let isFull =
                end - state.from >= Self.longestPart
                || state.recorder.lineCount >= Self.mostLines
            let isDue =
                end - state.written.video >= Self.checkpoint.video
                && .now - state.written.clock >= Self.checkpoint.clock
            guard isFull || isDue else { return true }
            do {
                try write(&state, endsPart: isFull)
                return true
            } catch {
                state.failure = error
                return false
            }
        }
    }

    /// Writes the rest.
    func finish(isWhole: Bool, end: StreamTime, damage: FramegrepError?) throws {
        try state.withLock { state in
            state.source.problem = damage?.message
            if isWhole { state.source.state = .complete }
            try write(&state, endsPart: true, until: isWhole ? end : nil)
        }
    }

    private func write(_ state: inout State, endsPart: Bool, until end: StreamTime? = nil) throws {
        var recorder = state.recorder
        var part = recorder.finish()
        if let end { part.to = max(part.to, end) }
        state.source.end = part.to
        (state.source.burntIn, state.source.wallStart) = (state.before.burntIn, state.before.wallStart)
        if let clock = part.clock { state.source.note(clock) }
        state.source.added = Date()
        state.segment = try index.add(part, of: state.source, inPlaceOf: state.segment)
        state.written = (part.to, .now)
        guard endsPart else { return }
        state.recorder = LineRecorder(from: part.to)
        state.from = part.to
        state.before = state.source
        state.segment = nil
    }
}

extension LineReading {
    init(_ finding: FrameResult) {
        let geometry = finding.geometry
        self.init(
            time: finding.time,
            geometry: Geometry(
                origin: geometry.origin, pixelAspect: geometry.pixelAspect, scale: geometry.scale,
                width: geometry.width, height: geometry.height),
            lines: finding.tracks.map {
                Line(track: $0.id, line: $0.line, isRead: finding.isComplete || $0.read == finding.time)
            }, isComplete: finding.isComplete, frames: finding.frames)
    }
}
