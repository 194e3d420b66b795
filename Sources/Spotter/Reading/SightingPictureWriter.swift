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

/// The pictures of a running picture's sightings: the frames in which they were read. Used by the ``SightingJoiner`` only.
struct ReadPictures: Sendable {
    /// Is given a picture of each sighting; nil if not wanted.
    let writer: SightingPictureWriter?
    /// Is given one when a sighting appears, and each that is better; nil if not wanted.
    let best: (@Sendable (Sighting, Picture) -> Void)?
    /// The last frame of which there is a picture.
    private var shown: (picture: Picture, time: FrameTime, geometry: FrameGeometry)?
    /// The scores of the readings whose pictures were the best of their sightings.
    private var bestScores: [Int: Double] = [:]

    /// Nil if no pictures are wanted.
    init?(_ writer: SightingPictureWriter?, best: (@Sendable (Sighting, Picture) -> Void)?) {
        guard writer != nil || best != nil else { return nil }
        (self.writer, self.best) = (writer, best)
    }

    mutating func see(_ reading: SightingJoiner.Reading) {
        guard let picture = reading.shown, let time = reading.time else { return }
        shown = (picture, time, reading.geometry)
    }

    /// What comes has nothing to do with the last frame.
    mutating func forgetFrame() { shown = nil }

    /// A sighting is over.
    mutating func forget(_ id: Int) { bestScores[id] = nil }

    /// Saves the frame that was read last with the box where it was read there.
    func keep(_ sighting: Sighting, _ search: SightingSearch) {
        guard let writer, let shown,
            let place = search.confirmed.first(where: { $0.id == sighting.id })?.match.quad
        else { return }
        var pictured = sighting
        pictured.peak = Sighting.Box(time: shown.time, quad: shown.geometry.frame(place))
        writer.save(pictured, in: shown.picture)
    }

    /// Hands on the frame that was read last where a sighting was never read better.
    mutating func keepBetter(_ search: SightingSearch, of reading: SightingJoiner.Reading) {
        guard let best, let shown else { return }
        for (id, match) in search.confirmed {
            // A reading that is hardly better is worth no other picture.
            if let score = bestScores[id], reading.shown == nil || match.score < score + 0.02 { continue }
            guard var sighting = search.open.first(where: { $0.id == id }) else { continue }
            bestScores[id] = match.score
            sighting.peak = Sighting.Box(time: shown.time, quad: shown.geometry.frame(match.quad))
            best(sighting, shown.picture)
        }
    }
}
