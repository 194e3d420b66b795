import Errors
import TextIndex
public import TextSpotting

/// Pictures of recordings' moments, made in processes of their own: decoders are large C libraries, and some damaged recording
/// crashes one of them. Two are made at a time; the last ones are kept. Thread-safe.
public final class MomentPictures: Sendable {
    /// One picture.
    public struct Made: Sendable {
        /// A PNG file.
        public let png: [UInt8]
        /// Of the recording as displayed, in pixels; the picture itself may be smaller.
        public let width: Int
        public let height: Int
    }

    private let manager: PictureManager

    /// - Parameter program: the path of what is started to decode, which must hand ``MediaWork/option`` to ``MediaWorker``.
    public init(program: String) { manager = PictureManager(program: program) }

    /// Makes the picture that is shown at a time.
    ///
    /// - Parameters:
    ///   - path: the recording's file.
    ///   - time: nil for a still picture.
    ///   - width: it is made no wider than this, in pixels.
    ///   - boxes: places that get a box, in pixels of the recording as displayed.
    /// - Throws: ``FramegrepError`` (`sourceDamaged`) that says why there is none; `CancellationError`.
    public func picture(of path: String, at time: StreamTime?, width: Int, boxes: [Quad]) async throws -> Made {
        var job = MediaJob(path: path, time: time?.seconds, width: width)
        job.boxes = boxes.map { $0.corners.flatMap { [$0.x, $0.y] } }
        do {
            let tag = FileStamp(path: path).map { "\($0.size)-\($0.modified)-\($0.inode)" } ?? ""
            let made = try await manager.picture(job, tag: tag)
            return Made(png: made.bytes, width: made.width, height: made.height)
        } catch let problem as PageProblem {
            throw FramegrepError(.sourceDamaged, problem.message)
        }
    }

    /// Ends processes that were not asked for anything for half a minute.
    public func rest() { manager.rest() }
}
