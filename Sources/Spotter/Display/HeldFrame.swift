import GStreamerMedia
import TextSpotting

/// A frame that came and is still to be shown, or is shown.
final class HeldFrame {
    let sample: Sample
    let time: FrameTime
    /// When to show it, on the source's clock; nil where the source gives no times.
    let running: StreamTime?
    let arrival: ContinuousClock.Instant
    /// The part that it shows enlarged, of a frame that was read as a whole; nil if it shows all of it.
    let part: EnlargedPart?

    /// The boxes of the frame that was read where they are in this one; those outside of it are missing.
    func shown(_ boxes: [FollowedBox]) -> [FollowedBox] {
        guard let part else { return boxes }
        return boxes.compactMap { part.shows($0.quad) ? $0.placed(at: part.shown($0.quad)) : nil }
    }

    init(
        _ sample: consuming Sample, time: FrameTime, running: StreamTime?, arrival: ContinuousClock.Instant,
        part: EnlargedPart? = nil
    ) {
        self.sample = sample
        self.time = time
        self.running = running
        self.arrival = arrival
        self.part = part
    }
}

extension HeldFrame {
    /// - Parameter maximumAge: a box whose words were read so long ago is as good as gone.
    func viewed(with boxes: [FollowedBox], _ maximumAge: StreamTime) -> ViewedFrame {
        let (info, now) = (sample.info, time.start)
        let viewed = boxes.map { box in
            let age = (now - box.readAt).seconds / max(1e-3, maximumAge.seconds)
            return ViewedBox(
                id: box.id, pattern: box.match.pattern, text: box.match.text, patternIndex: box.match.patternIndex,
                score: box.match.score, age: min(1, max(0, age, 1 - box.presence)),
                quad: info?.displayed(box.quad) ?? box.quad)
        }
        return ViewedFrame(sample: sample.retained(), time: now, arrival: arrival, boxes: viewed)
    }
}
