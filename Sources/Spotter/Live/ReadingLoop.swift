import Errors
import GStreamerMedia
import TextSpotting
import Threads

/// The reader's side of the live job: takes the newest frame, reads it, and hands on what it says.
struct ReadingLoop {
    let session: LiveSession
    let reader: any TextReader
    let findings: LiveFindings
    private let converter = PictureConverter()
    private var sparing: SparingReader
    private var connection: Int?

    init(session: LiveSession, reader: any TextReader, findings: LiveFindings) {
        self.session = session
        self.reader = reader
        self.findings = findings
        sparing = SparingReader(reader, maximumAge: session.settings.maximumAge)
    }

    /// Reads until the frames end or the task is cancelled, then closes the sightings that are still open.
    ///
    /// - Throws: why nothing can be read any more; an engine's error of a kind that only it knows becomes a sentence.
    mutating func run() async throws(FramegrepError) {
        while let frame = await session.slot.take() {
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

    /// What was seen through an earlier connection is over, even where the same words are seen again.
    private mutating func startAnew(ifNewIn frame: borrowing LiveFrame) async {
        defer { connection = frame.sample == nil ? nil : frame.connection }
        guard let connection, connection != frame.connection || frame.sample == nil else { return }
        sparing = SparingReader(reader, maximumAge: session.settings.maximumAge)
        await findings.forget()
    }

    /// - Throws: `CancellationError` when nobody waits for the reading any more, else why there is none.
    private mutating func read(_ frame: consuming LiveFrame) async throws {
        var sample = frame.sample?.retained()
        guard let info = sample?.info else { return }
        let (time, arrival, isFrozen) = (frame.time, frame.arrival, frame.isFrozen)
        let geometry = try FrameGeometry(info, region: nil)
        let region = try session.settings.region?.rect(width: info.width, height: info.height)
        // The small pictures show the whole frame; of a part of it nothing is known to be unchanged.
        let small = region == nil ? session.trail.picture(at: time.index) : nil
        let begun = ContinuousClock.now
        _ = consume frame
        let lines: [TextLine]
        if isFrozen,
            let close = try await session.linesReadClosely(
                ofFrame: time.index,
                { [converter] in
                    guard let frame = sample.take() else { throw CancellationError() }
                    return try converter.picture(from: frame, format: $0, region: region)
                })
        {
            lines = close
        } else {
            let wasRead: Bool
            (lines, wasRead) = try await sparing.lines(of: small, at: time) {
                [converter, format = reader.pictureFormat] in
                guard let frame = sample.take() else { throw CancellationError() }
                // A camera has few buffers: the frame goes back before the reading begins.
                return try converter.picture(from: frame, format: format, region: region)
            }
            if wasRead { session.read(in: .now - begun) } else { session.foundUnchanged() }
        }
        let origin = Point(region?.x ?? 0, region?.y ?? 0)
        session.tellWindow(lines, movedBy: origin, at: time)
        await findings.take(
            LiveFindings.Reading(
                lines: lines, time: time, arrival: arrival, geometry: geometry, origin: origin,
                picture: session.trail.picture(at: time.index)))
    }
}
