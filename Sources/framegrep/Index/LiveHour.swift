import Foundation
import Spotter
import TextIndex
import TextSpotting

/// Collects up to about an hour of a live job's readings as a recording of the index: a value, fed with readings.
///
/// Its times begin at that moment, and the clock on the wall then is in its name. An hour, so that what is too old can go hour by
/// hour, and so that a camera's clock, which is never quite right, has no time to go far from ours.
struct LiveHour: Sendable {
    /// It takes readings up to here.
    private static let longest = StreamTime(seconds: 3600)
    /// A picture that stays as it was is noted so often.
    private static let stillInterval = StreamTime(seconds: 1)

    /// As it is up to the last part that was taken.
    private(set) var source: IndexedSource
    private var recorder = LineRecorder(from: .zero)
    /// The job's time that is the beginning here.
    private let origin: StreamTime
    /// Frames count from 0 here, without gaps.
    private var frameCount = 0
    private var last: (lines: [Line], time: StreamTime)?
    /// A reading that says nothing new, and the frames until then.
    private var waiting: (finding: FrameResult, frames: [FrameHistory.Frame])?

    private struct Line: Equatable {
        let track: Int
        let line: TextLine
    }

    /// - Parameters:
    ///   - finding: the first reading.
    ///   - arrival: when its frame came.
    init(_ name: String, manner: String, _ finding: FrameResult, arrival: ContinuousClock.Instant) {
        origin = finding.frames.first.map { min($0.time.start, finding.time.start) } ?? finding.time.start
        let age = (ContinuousClock.now - arrival).inSeconds + (finding.time.start - origin).seconds
        let name = LiveName(source: name, start: Date(timeIntervalSinceNow: -age))
        source = IndexedSource(
            id: .drawn(), name: name.text, manner: LiveName.manner(manner), stamp: nil, digest: nil, state: .complete,
            wallStart: name.start, isLive: true)
    }

    /// It takes no more readings.
    var isOver: Bool { recorder.end >= Self.longest }
    /// Whether there are lines that were not taken yet.
    var hasLines: Bool { recorder.lineCount > 0 }
    /// How long that is.
    var length: StreamTime { recorder.end - source.end }

    /// Takes the next reading.
    mutating func add(_ finding: FrameResult) {
        let lines = finding.tracks.map { Line(track: $0.id, line: $0.line) }
        if let last, last.lines == lines, finding.time.start - last.time < Self.stillInterval {
            waiting = (finding, (waiting?.frames ?? []) + finding.frames)
            return
        }
        noteWaiting()
        note(finding, finding.frames)
        last = (lines, finding.time.start)
    }

    /// Returns everything read since the last call; nil if nothing was.
    mutating func takePart() -> RecordedPart? {
        noteWaiting()
        guard recorder.end > source.end else { return nil }
        let part = recorder.finish()
        source.end = part.to
        source.added = Date()
        recorder = LineRecorder(from: part.to)
        frameCount = 0
        return part
    }

    private mutating func noteWaiting() {
        if let waiting { note(waiting.finding, waiting.frames) }
        waiting = nil
    }

    /// - Parameter frames: since the reading before.
    private mutating func note(_ finding: FrameResult, _ frames: [FrameHistory.Frame]) {
        let geometry = LineReading.Geometry(
            origin: finding.geometry.origin, pixelAspect: finding.geometry.pixelAspect, scale: finding.geometry.scale,
            width: finding.geometry.width, height: finding.geometry.height)
        let timed = spread(frames)
        let time = timed.last?.time ?? own(finding.time)
        frameCount += max(1, timed.count)
        recorder.add(
            LineReading(
                time: time, geometry: geometry,
                lines: finding.tracks.map { LineReading.Line(track: $0.id, line: $0.line) }, frames: timed))
    }

    /// The frames with evenly spaced times: a camera's are nearly so, their exact times would take a hundred times the room, and they
    /// cannot be looked up anyway.
    private func spread(_ frames: [FrameHistory.Frame]) -> [FrameHistory.Frame] {
        guard let first = frames.first, let last = frames.last else { return [] }
        let start = max(first.time.start - origin, recorder.end).nanoseconds
        let step = max(1, ((last.time.end - origin).nanoseconds - start) / Int64(frames.count))
        return frames.enumerated().map { number, frame in
            FrameHistory.Frame(
                time: FrameTime(
                    index: frameCount + number, start: StreamTime(nanoseconds: start + Int64(number) * step),
                    duration: StreamTime(nanoseconds: step)), picture: frame.picture)
        }
    }

    private func own(_ time: FrameTime) -> FrameTime {
        FrameTime(index: frameCount, start: max(time.start - origin, recorder.end), duration: time.duration)
    }
}
