import Errors
import Synchronization
import TextSpotting
import Threads

/// Reads a picture that stands still with a better reader, which is made when that first happens. Thread-safe.
///
/// The reading of a frame is kept, so that another word is found in it at once.
final class CloseReading: Sendable {
    private struct State {
        var reader: (any TextReader)?
        /// Rings when the picture under way is not to be read any more; nil while none is.
        var moving: TaskWakeEvent?
        var last: (index: Int, lines: [TextLine])?
        var hasFailed = false
    }

    private let make: (@Sendable () async throws -> any TextReader)?
    private let notices: PictureNotices
    private let measurements: LiveMeasurements
    private let report: LiveReport
    private let state = Mutex(State())

    /// - Parameter make: makes the better reader; nil where there is none.
    init(
        make: (@Sendable () async throws -> any TextReader)?, notices: PictureNotices,
        measurements: LiveMeasurements, report: LiveReport
    ) {
        self.make = make
        self.notices = notices
        self.measurements = measurements
        self.report = report
    }

    /// There is a better reader than the usual one, as far as is known.
    var isPossible: Bool { make != nil && !state.withLock { $0.hasFailed } }

    /// The better reader; nil where there is none.
    ///
    /// - Throws: what making it throws, once; after that there is none.
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

    /// The reading of the frame of this number, if it was the last one read here.
    private func known(ofFrame index: Int) -> [TextLine]? {
        state.withLock { state in state.last.flatMap { $0.index == index ? $0.lines : nil } }
    }

    /// Reads a picture.
    ///
    /// - Throws: `CancellationError` after ``cancel()`` or when the task is cancelled, else what the reader throws.
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

    /// The picture moves again: the reading under way is no longer needed.
    func cancel() {
        state.withLock { $0.moving }?.ring()
    }
}

extension CloseReading {
    /// The lines of a frame that stands still, read by the better reader where there is one; nil where there is none, or
    /// where it failed, which is said.
    ///
    /// - Parameters:
    ///   - isFrozen: whether the picture still stands when the reader has been made.
    ///   - picture: makes the picture to be read.
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
