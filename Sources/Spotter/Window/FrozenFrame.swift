import Errors
import GStreamerMedia
import TextSpotting
import Threads

/// Has a frame that stands still read closely: once, and again for each new word. Used by the display thread only.
struct FrozenFrame {
    private var asked: (index: Int, revision: Int)?

    /// The frame is being shown.
    mutating func ask(_ session: LiveSession, _ frame: HeldFrame, connection: Int) {
        let revision = session.words.versioned.revision
        guard asked?.index != frame.time.index || asked?.revision != revision else { return }
        asked = (frame.time.index, revision)
        session.slot.put(
            LiveFrame(
                sample: frame.sample.retained(), time: frame.time, arrival: .now, connection: connection,
                isFrozen: true))
    }
}

extension LiveSession {
    /// The lines of a frame that stands still, read by the better reader where there is one; nil where there is none, or
    /// where it failed, which is said.
    ///
    /// - Parameter picture: makes the picture to be read.
    /// - Throws: `CancellationError` when the picture moves again, and nothing else.
    func linesReadClosely(
        ofFrame index: Int, _ picture: (Picture.Format) throws -> Picture
    ) async throws -> [TextLine]? {
        if let known = closely.lines(ofFrame: index) { return known }
        guard closely.isPossible else { return nil }
        window.beginReadingClosely()
        defer { window.endReadingClosely() }
        do {
            guard let reader = try await closely.reader(), isFrozen else { return nil }
            let begun = ContinuousClock.now
            let lines = try await closely.read(picture(reader.pictureFormat), ofFrame: index, with: reader)
            read(in: .now - begun)
            return lines
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            window.say("The picture cannot be read closely.", kind: .failure)
            warn(
                error as? FramegrepError
                    ?? FramegrepError(
                        .engineUnavailable, "The picture cannot be read closely, because the engine failed: \(error)."))
            return nil
        }
    }
}
