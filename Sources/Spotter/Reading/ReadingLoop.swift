import Errors
import TextSpotting
import Threads

/// The reader's side of the live job: takes the newest frame, reads it, and hands on what it says.
struct ReadingLoop {
    private let slot: LatestSlot<LiveFrame>
    private var reader: FrameReader
    private let findings: LiveResults
    private let text: LatestText
    private var judge: PictureJudge
    private let hasRead: @Sendable () -> Void
    private var connection: Int?

    /// - Parameters:
    ///   - slot: where the newest frame is taken.
    ///   - text: where all that was read is put.
    ///   - hasRead: called after each reading.
    init(
        _ slot: LatestSlot<LiveFrame>, _ reader: FrameReader, _ findings: LiveResults, _ text: LatestText,
        _ judge: PictureJudge, hasRead: @escaping @Sendable () -> Void
    ) {
        self.slot = slot
        self.reader = reader
        self.findings = findings
        self.text = text
        self.judge = judge
        self.hasRead = hasRead
    }

    /// Reads until the frames end or the task is cancelled, then closes the sightings that are still open.
    ///
    /// - Throws: why nothing can be read any more; an engine's error of a kind that only it knows becomes a sentence.
    mutating func run() async throws(FramegrepError) {
        while let frame = await slot.take() {
            await startAnew(ifNewIn: frame)
            if frame.sample != nil {
                do {
                    try await read(frame)
                } catch is CancellationError {
                } catch let failure as FramegrepError {
                    throw failure
                } catch {
                    throw FramegrepError(
                        .engineUnavailable,
                        "The picture cannot be read any more, because \(reader.name) failed with an error of its own: \(error)."
                    )
                }
            }
            if Task.isCancelled { break }
        }
        await findings.finish()
    }

    /// Sightings through an earlier connection are over, even if the same words are seen again.
    private mutating func startAnew(ifNewIn frame: borrowing LiveFrame) async {
        defer { connection = frame.sample == nil ? nil : frame.connection }
        guard let connection, connection != frame.connection || frame.sample == nil else { return }
        await reader.startAnew()
        await findings.forget()
    }

    private mutating func read(_ frame: consuming LiveFrame) async throws {
        guard let reading = try await reader.read(frame) else { return }
        text.put(reading.linesInFrame, at: reading.time)
        judge.judge(reading.lines, at: reading.time)
        await findings.take(reading)
        hasRead()
    }
}
