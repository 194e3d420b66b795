import Errors
import Synchronization
import TextSpotting
import Threads

/// Reads a picture that stands still with a better reader, which is created the first time this happens. Thread-safe.
///
/// The reading of a frame is kept, so that another word is found in it at once.
final class CloseReading: Sendable {
    private struct State {
        var reader: (any TextReader)?
        /// Rings when the picture in progress must no longer be read; nil while none is.
        var moving: TaskWakeEvent?
        var last: (index: Int, lines: [TextLine])?
        var hasFailed = false
    }

    private let make: (@Sendable () async throws -> any TextReader)?
    private let notices: PictureNotices
    private let measurements: LiveMeasurements
    private let report: LiveReport
    private let state = Mutex(State())

    /// - Parameter make: creates the better reader; nil if there is none.
    init(
        make: (@Sendable () async throws -> any TextReader)?, notices: PictureNotices,
        measurements: LiveMeasurements, report: LiveReport
    ) {
        self.make = make
        self.notices = notices
        self.measurements = measurements
        self.report = report
    }

    /// Whether there is a better reader than the usual one, as far as is known.
    var isPossible: Bool { make != nil && !state.withLock { $0.hasFailed } }

    /// Returns the better reader; nil if there is none.
    ///
    /// - Throws: the error from creating it, once; after that there is no better reader.
    private func reader() async throws -> (any TextReader)? {
        guard isPossible, let make else { return nil }
        if let made = state.withLock({ $0.reader }) { return made }
        do {
            let made = try await make()
            state.withLock { $0.reader = made }
            return made
        } catch {
            state.withLock { $0.hasFailed = true }
            throw error
        }
    }

    /// Returns the reading of the frame with this index, if it was the last one read here.
    private func known(ofFrame index: Int) -> [TextLine]? {
        state.withLock { state in state.last.flatMap { $0.index == index ? $0.lines : nil } }
    }

    /// Reads a picture.
    ///
    /// - Throws: `CancellationError` after ``cancel()`` or when the task is cancelled, otherwise the error of the
    ///   reader.
    private func read(_ picture: Picture, ofFrame index: Int, with reader: any TextReader) async throws -> [TextLine] {
        let moving = TaskWakeEvent()
        state.withLock { $0.moving = moving }
        defer { state.withLock { $0.moving = nil } }
        let lines = try await withThrowingTaskGroup(of: [TextLine]?.self) { group in
            group.addTask { try await reader.read(picture) }
            group.addTask {
                await moving.wait()
                return nil
            }
            let first = try await group.next()
            group.cancelAll()
            guard let lines = first ?? nil else { throw CancellationError() }
            return lines
        }
        state.withLock { $0.last = (index, lines) }
        return lines
    }

    /// Cancels the reading in progress because the picture moves again.
    func cancel() {
        state.withLock { $0.moving }?.ring()
    }
}

extension CloseReading {
    /// Returns the lines of a frame that stands still, read by the better reader; nil if there is none, or if it
    /// failed, which is reported.
    ///
    /// - Parameters:
    ///   - isFrozen: returns whether the picture still stands when the reader has been created.
    ///   - picture: makes the picture to read.
    /// - Throws: `CancellationError` when the picture moves again, and nothing else.
    func lines(
        ofFrame index: Int, while isFrozen: () -> Bool, _ picture: (Picture.Format) throws -> Picture
    ) async throws -> [TextLine]? {
        if let known = known(ofFrame: index) { return known }
        guard isPossible else { return nil }
        notices.begin("reading closely…")
        defer { notices.begin(nil) }
        do {
            guard let reader = try await reader(), isFrozen() else { return nil }
            let begun = ContinuousClock.now
            let lines = try await read(picture(reader.pictureFormat), ofFrame: index, with: reader)
            measurements.read(in: .now - begun)
            return lines
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            notices.say("The picture cannot be read closely.", kind: .failure)
            report.warn(
                error as? FramegrepError
                    ?? FramegrepError(
                        .engineUnavailable, "The picture cannot be read closely, because the engine failed: \(error)."))
            return nil
        }
    }
}
