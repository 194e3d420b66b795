import TextSpotting
import Threads

/// A search of pictures that come one after the other. Every job is one of these, with other policies: where the frames come from and where
/// their boxes are drawn is its maker's.
///
/// - `find`, `index` (``FileSpotter``): a thread pulls from an appsink, and waits while the buffer is full.
/// - `live`, `run`, a camera of the page (``LiveSpotter``): the display's thread pulls from an appsink, and pushes into the window's appsrc.
/// - the element (``PushedSession``): another program's thread brings the frames, and takes them on.
struct Session: Sendable {
    /// Which frames wait to be read: bounded in either case.
    enum Buffer: Sendable {
        /// Every one that is worth it, in order: who brings them waits.
        case all(BoundedQueue<ReadRequest>)
        /// The newest: who brings them never waits.
        case latest(LatestFrames)

        /// Nothing is left out of it.
        var isWhole: Bool { if case .all = self { true } else { false } }

        func next() async throws -> ReadRequest? {
            switch self {
            case .all(let queue): await queue.next()
            case .latest(let frames): try await frames.next()
            }
        }
    }

    let buffer: Buffer
    let recognizer: Recognizer
    let joiner: SightingJoiner
    /// How many readings may be under way, or done and waiting for those before.
    var limit = 1
    /// Where it runs; nil for Swift's shared pool.
    var executor: (any TaskExecutor)?
    /// Called with each reading before its sightings are told.
    var willJoin: @Sendable (ReadRequest, SightingJoiner.Reading) -> Void = { _, _ in }
    /// Called with each reading after that; the next one waits for it.
    var hasJoined: @Sendable (ReadRequest, SightingJoiner.Reading) async -> Void = { _, _ in }
    /// Called when no more frames are wanted.
    var stop: @Sendable () -> Void = {}

    /// A bounded buffer of frames feeds a recognizer actor, and what it reads becomes sightings and boxes, in the order of the frames.
    ///
    /// When the task is cancelled, what is read by then is joined and all that is open is told to be over.
    ///
    /// - Returns: what was found before all ended, and why it ended where a reading failed.
    func run() async -> (summary: FindSummary, failure: (any Error)?) {
        let readings = OrderedReadings<ReadRequest, TextTracker>(limit: limit, executor: executor)
        // A task of its own, because what is read already is joined when this one is cancelled.
        let joining = Task(executorPreference: executor) {
            var failure: (any Error)?
            do {
                try await readings.run(
                    next: { try await buffer.next() },
                    begin: { request in
                        // The work has the picture; the request is kept for its frames only.
                        defer { request.picture = nil }
                        return await recognizer.begin(request)
                    },
                    join: { request, tracker in
                        let reading = SightingJoiner.Reading(request, tracker)
                        willJoin(request, reading)
                        let isEnough = await joiner.join(reading)
                        await hasJoined(request, reading)
                        return isEnough
                    })
            } catch {
                failure = error
            }
            stop()
            if case .all(let queue) = buffer { queue.close() }
            return (await joiner.finish(), failure)
        }
        return await withTaskCancellationHandler {
            await joining.value
        } onCancel: {
            stop()
            readings.interrupt(awaitsSteps: buffer.isWhole)
        }
    }
}
