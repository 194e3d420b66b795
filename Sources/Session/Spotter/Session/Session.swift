import TextSpotting
import Threads

/// A search of consecutive pictures. Every job is one of these, with different policies; its creator determines where
/// the frames come from and where their boxes are drawn.
///
/// - `find`, `index` (``FileSpotter``): a thread pulls from an appsink, and waits while the buffer is full.
/// - `live`, `run`, a camera of the page (``LiveSpotter``): the display's thread pulls from an appsink, and pushes into
///   the window's appsrc.
/// - the element (``PushedSession``): another program's thread supplies the frames, and passes them on.
struct Session: Sendable {
    /// Determines which frames wait to be read; bounded in either case.
    enum Buffer: Sendable {
        /// Every frame worth reading, in order: the supplier waits.
        case all(BoundedQueue<ReadRequest>)
        /// The newest frame: the supplier never waits.
        case latest(LatestFrames)

        /// Whether no frame worth reading is left out.
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
    /// The largest number of readings in progress, or done and waiting for earlier ones.
    var limit = 1
    /// The executor; nil for Swift's shared pool.
    var executor: (any TaskExecutor)?
    /// Called with each reading before its sightings are reported.
    var willJoin: @Sendable (ReadRequest, SightingJoiner.Reading) -> Void = { _, _ in }
    /// Called with each reading after that; the next one waits for it.
    var hasJoined: @Sendable (ReadRequest, SightingJoiner.Reading) async -> Void = { _, _ in }
    /// Called when no more frames are wanted.
    var stop: @Sendable () -> Void = {}

    /// Runs the search: a bounded buffer of frames feeds a recognizer actor, and its readings become sightings and
    /// boxes, in the order of the frames.
    ///
    /// When the task is cancelled, finished readings are joined and all open sightings are reported as over.
    ///
    /// - Returns: the summary, and the error if a reading failed.
    func run() async -> (summary: FindSummary, failure: (any Error)?) {
        let readings = OrderedReadings<ReadRequest, TextTracker>(limit: limit, executor: executor)
        // Use a separate task, because finished readings are joined when this one is cancelled.
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
