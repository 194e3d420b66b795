public import GStreamerMedia
import Synchronization
public import TextSpotting
import Threads

/// Selects the pictures of a recording that a skim reads: its key frames, which can be decoded without the frames in
/// between.
///
/// If key frames are closer together than `spacing`, some are skipped. If they are further apart than `longest`,
/// everything there is decoded and a picture is considered every `sampling`. Times are the stream's own. A value; all
/// decisions depend only on the key frames.
public struct SkimPlan: Sendable, Hashable {
    /// The largest interval up to which key frames are skipped.
    static let spacing = StreamTime(seconds: 3)
    /// Key frames further apart than this do not bound what can be missed. Encoders make one in 250 by default.
    static let longest = StreamTime(seconds: 10.1)
    /// A recording with fewer key frames than this is sampled instead.
    static let fewest = 3
    /// The interval at which a picture is considered if there is no key frame.
    static let sampling = StreamTime(seconds: 3)
    /// The largest difference between the times after a decoder and those before it.
    static let tolerance = StreamTime(nanoseconds: 1_000_000)

    /// A stretch from one considered picture to the next one, or one that is decoded completely.
    struct Stretch: Sendable, Hashable {
        var start: StreamTime
        var end: StreamTime
        /// Whether it is decoded completely, with a picture considered at intervals.
        var isSampled: Bool
    }

    /// The stretches in order, without gaps.
    let stretches: [Stretch]
    /// The end of the recording; nil if unknown.
    let end: StreamTime?

    /// A plan that considers a picture at intervals, for recordings without key frames and those that can be read only
    /// once.
    public static let sampled = SkimPlan(stretches: [], end: nil)

    private init(stretches: [Stretch], end: StreamTime?) {
        (self.stretches, self.end) = (stretches, end)
    }

    /// - Parameters:
    ///   - keys: the times of key frames, in any order.
    ///   - end: the end of the recording.
    init(keys: [StreamTime], end: StreamTime) {
        guard let first = keys.min() else {
            self = .sampled
            return
        }
        var chosen = [first]
        let sorted = keys.sorted()
        for (number, key) in sorted.enumerated() where key > chosen[chosen.count - 1] {
            let next = number + 1 < sorted.count ? sorted[number + 1] : max(end, key)
            // The next one would be too far from the last.
            if next - chosen[chosen.count - 1] > Self.spacing + Self.tolerance { chosen.append(key) }
        }
        let isPoor = chosen.count < Self.fewest
        let ends = chosen.dropFirst() + [max(end, chosen[chosen.count - 1])]
        stretches = zip(chosen, ends).filter { $0 < $1 }.map { start, end in
            Stretch(start: start, end: end, isSampled: end - start > (isPoor ? Self.sampling : Self.longest))
        }
        self.end = max(end, first)
    }

    /// The longest time between two considered pictures: text that is visible for this long is seen.
    public var interval: StreamTime {
        stretches.map { $0.isSampled ? Self.sampling : $0.end - $0.start }.max() ?? Self.sampling
    }

    /// The description for users: `key frames every 5.0 s`.
    public var sentence: String {
        func text(_ time: StreamTime) -> String {
            let tenths = Int((time.seconds * 10 - 0.001).rounded(.up))
            return "\(tenths / 10).\(tenths % 10) s"
        }
        let sampled = "every \(text(Self.sampling))"
        let keyed = stretches.filter { !$0.isSampled }.map { $0.end - $0.start }.sorted()
        guard !keyed.isEmpty else { return "a picture \(sampled), for lack of key frames" }
        let (middle, most) = (keyed[keyed.count / 2], keyed[keyed.count - 1])
        var parts = ["key frames every \(text(middle))"]
        if most.seconds > middle.seconds * 1.1 + 0.1 { parts.append("\(text(most)) at most") }
        if keyed.count < stretches.count { parts.append("a picture \(sampled) where they are further apart") }
        return parts.joined(separator: ", ")
    }
}

extension SkimPlan {
    /// Follows a plan through the pictures of a recording, before and after the decoder. Each side is a separate value.
    struct Follower: Sendable {
        private let plan: SkimPlan
        /// The earliest time of the next considered picture.
        private var next: StreamTime?
        /// Whether pictures after the last key frame are decoded too.
        private var goesOn = false

        init(_ plan: SkimPlan) { self.plan = plan }

        /// Returns whether an encoded picture must be decoded. Call it in the order of decoding.
        mutating func lets(_ picture: EncodedPicture) -> Bool {
            guard !plan.stretches.isEmpty, let time = picture.time else { return true }
            guard picture.isKey else { return goesOn }
            let index = plan.stretch(at: time + SkimPlan.tolerance)
            let stretch = plan.stretches[index]
            // A sampled stretch is decoded completely; it contains no other relevant key frame.
            goesOn = stretch.isSampled
            return stretch.isSampled || (stretch.start - time).magnitude <= SkimPlan.tolerance
        }

        /// Returns whether a decoded picture is considered. Call it in the order of times.
        mutating func takes(_ time: StreamTime?) -> Bool {
            guard let time else { return true }
            if let next, time < next - SkimPlan.tolerance { return false }
            guard !plan.stretches.isEmpty else {
                next = time + SkimPlan.sampling
                return true
            }
            let stretch = plan.stretches[plan.stretch(at: time + SkimPlan.tolerance)]
            let following = stretch.isSampled ? min(stretch.end, time + SkimPlan.sampling) : stretch.end
            next = following > time ? following : time + SkimPlan.sampling
            return true
        }
    }

    /// Returns the last stretch that begins by then, or the first.
    private func stretch(at time: StreamTime) -> Int {
        max(0, stretches.prefixEnd(while: { $0.start <= time }) - 1)
    }
}

extension StreamTime {
    fileprivate var magnitude: StreamTime { self < .zero ? .zero - self : self }
}

extension SkimPlan {
    /// The time limit for scanning a whole recording without decoding: it is read as fast as the disk allows.
    private static let patience = Duration.seconds(1800)

    /// Scans a recording for its key frames; only the first one is decoded.
    ///
    /// - Parameters:
    ///   - source: the recording.
    ///   - description: the pipeline that supplies its frames, with `appsink name=frames`.
    /// - Throws: the errors of `GStreamerMedia/Pipeline/prepare(timeout:)`; `CancellationError`.
    public static func of(_ source: OpenedSource, _ description: String) async throws -> SkimPlan {
        // A stream that comes only once is not inspected before it is read.
        guard !source.isReadOnce else { return .sampled }
        let pipeline = try Pipeline(parsing: description)
        let seen = Seen()
        pipeline.letPackets { seen.take($0) }
        let length = try await pipeline.stopping {
            // The first frame comes when the stream is over, because its decoder waits for more.
            let sink = try await pipeline.preparedSink(within: patience)
            try await pipeline.play()
            let isCancelled = CancellationFlag()
            try await withTaskCancellationHandler {
                try await DedicatedThread.run(named: "framegrep-scan") {
                    while !isCancelled.isCancelled, !seen.isEmpty, pipeline.bus.firstFailure == nil {
                        if case .endOfStream = sink.pull(timeout: .milliseconds(200)) { return }
                    }
                }
            } onCancel: {
                isCancelled.cancel()
            }
            try Task.checkCancellation()
            return pipeline.duration
        }
        return seen.plan(length: length)
    }

    /// The key frames seen so far. Thread-safe.
    private final class Seen: Sendable {
        private struct State {
            var keys: [StreamTime] = []
            var last = StreamTime.zero
            var count = 0
            var isTimed = true
        }

        private let state = Mutex(State())

        /// Records an encoded picture; returns true for the first.
        func take(_ picture: EncodedPicture) -> Bool {
            state.withLock { state in
                defer { state.count += 1 }
                if let time = picture.time {
                    if picture.isKey { state.keys.append(time) }
                    state.last = max(state.last, time)
                } else if picture.isKey {
                    state.isTimed = false
                }
                return state.count == 0
            }
        }

        /// Whether no encoded picture was seen: the source is not encoded, or its decoder is not known here.
        var isEmpty: Bool { state.withLock { $0.count == 0 } }

        func plan(length: StreamTime?) -> SkimPlan {
            state.withLock { state in
                guard state.isTimed, state.keys.count > 0 else { return .sampled }
                return SkimPlan(keys: state.keys, end: max(state.last, length ?? .zero))
            }
        }
    }
}
