import Errors
import Foundation
import OverlayDrawing
import Synchronization
import TextSpotting

/// Writes a picture of each sighting of a running picture, one after the other on a thread of its own. Thread-safe.
final class SightingPictureWriter: Sendable {
    /// More pictures than this do not wait to be written: a disk that is slower than what is seen must not fill the memory.
    private static let mostWaiting = 64

    private let pictures: SightingPictures
    private let file: NewPicture
    private let failed: @Sendable (FramegrepError) -> Void
    private let queue = DispatchQueue(label: "framegrep.pictures", qos: .utility)
    private let state = Mutex((waiting: 0, dropped: 0))
    private let report: LiveReport

    /// - Parameter failed: told why a picture was not written.
    init(
        _ pictures: SightingPictures, _ report: LiveReport, failed: @escaping @Sendable (FramegrepError) -> Void
    ) {
        self.pictures = pictures
        self.report = report
        self.failed = failed
        file = NewPicture(folder: pictures.folder, advice: "name another with --save-frames")
    }

    /// Saves the frame in which a sighting was read, its box drawn; the sighting's peak says when and where.
    func save(_ sighting: Sighting, in frame: Picture) {
        let hasRoom = state.withLock { state in
            let hasRoom = state.waiting < Self.mostWaiting
            if hasRoom { state.waiting += 1 } else { state.dropped += 1 }
            return hasRoom
        }
        guard hasRoom else { return }
        queue.async { [self] in
            defer { state.withLock { $0.waiting -= 1 } }
            do {
                _ = try file.write(
                    try PNGWriter.encode(try SightingDrawing.canvas(sighting, in: frame)),
                    named: pictures.name(of: sighting))
            } catch let error as FramegrepError {
                failed(error)
            } catch {
                failed(FramegrepError(.outputFailed, "The picture of a sighting cannot be drawn: \(error)."))
            }
        }
    }

    /// Returns when all pictures are written, and says how many were not because there were too many at once.
    func finish() async {
        await withCheckedContinuation { done in queue.async { done.resume() } }
        let dropped = state.withLock { $0.dropped }
        guard dropped > 0 else { return }
        report.warn(
            FramegrepError(
                .outputFailed,
                "\(dropped) pictures of sightings were not written to \(pictures.folder), because they came faster than they could be; "
                    + "name a folder on a faster disk, or search for less."))
    }
}
