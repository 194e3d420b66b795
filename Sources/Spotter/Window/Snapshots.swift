import Foundation
import GStreamerMedia
import OverlayDrawing
import Synchronization
import TextSpotting

/// Writes frames with their boxes as PNG files, one after the other on a thread of its own. Thread-safe.
///
/// A file that exists is never overwritten, and one that could not be written whole is removed.
final class Snapshots: Sendable {
    private let folder: String
    private let queue = DispatchQueue(label: "framegrep.snapshots", qos: .utility)
    private let converter = PictureConverter()

    init(folder: String) {
        self.folder = folder
    }

    /// Saves a frame and tells the session what became of it.
    func save(_ sample: consuming Sample, _ patches: [OverlayPatch], _ session: LiveSession) {
        let name = Self.fileName(at: Date())
        let frame = SampleBox(sample)
        queue.async { [self] in
            guard let sample = frame.take() else { return }
            do {
                let canvas = try Canvas(try converter.picture(from: sample, format: .rgb))
                try canvas.draw(patches)
                let path = try write(try PNGWriter.encode(canvas), name)
                session.window.say("saved \(path)")
                session.snapshotWasSaved(path)
            } catch let error as FramegrepError {
                session.window.say(error.message, kind: .failure, for: .seconds(8))
                session.warn(error)
            } catch {}
        }
    }

    /// Returns when all frames are saved.
    func finish() async {
        await withCheckedContinuation { done in queue.async { done.resume() } }
    }

    /// `framegrep-2026-11-21-172430.png`, in local time.
    static func fileName(at date: Date) -> String {
        let parts = Calendar(identifier: .gregorian).dateComponents(
            [.year, .month, .day, .hour, .minute, .second], from: date)
        func two(_ value: Int?) -> String { (value ?? 0) < 10 ? "0\(value ?? 0)" : "\(value ?? 0)" }
        let day = "\(parts.year ?? 0)-\(two(parts.month))-\(two(parts.day))"
        return "framegrep-\(day)-\(two(parts.hour))\(two(parts.minute))\(two(parts.second)).png"
    }

    /// Writes a new file, under the next free name where `name` is taken, and returns its path.
    private func write(_ bytes: [UInt8], _ name: String) throws -> String {
        let (path, descriptor) = try create(name)
        do {
            try Self.write(bytes, to: descriptor, path)
        } catch {
            unlink(path)
            throw error
        }
        return path
    }

    private func create(_ name: String) throws -> (path: String, descriptor: Int32) {
        let stem = name.dropLast(".png".count)
        let folder = folder == "." ? "" : folder.hasSuffix("/") ? folder : folder + "/"
        for number in 1...999 {
            let path = "\(folder)\(stem)\(number == 1 ? "" : "-\(number)").png"
            let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
            if descriptor >= 0 { return (path, descriptor) }
            guard errno == EEXIST else { throw Self.failure(path, errno) }
        }
        throw FramegrepError(
            .outputFailed, "The picture \(folder)\(name) cannot be written: a thousand of its names are taken.")
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32, _ path: String) throws {
        var reason: Int32 = 0
        bytes.withUnsafeBytes { all in
            var rest = UnsafeRawBufferPointer(all)
            while !rest.isEmpty, reason == 0 {
                let count = Foundation.write(descriptor, rest.baseAddress, rest.count)
                if count > 0 {
                    rest = UnsafeRawBufferPointer(rebasing: rest[count...])
                } else if errno != EINTR {
                    reason = errno
                }
            }
        }
        // A full disk may show only here.
        if close(descriptor) != 0, reason == 0 { reason = errno }
        if reason != 0 { throw failure(path, reason) }
    }

    private static func failure(_ path: String, _ reason: Int32) -> FramegrepError {
        FramegrepError(
            .outputFailed,
            "The picture \(path) cannot be written: \(String(cString: strerror(reason))). "
                + "Check that the folder exists, can be written to and has room, or name another with --snapshots.")
    }
}

/// A frame on its way into a closure, which could be copied where a frame cannot. Thread-safe.
private final class SampleBox: Sendable {
    private let sample: Mutex<Sample?>

    init(_ sample: consuming Sample) { self.sample = Mutex(sample) }

    func take() -> Sample? { sample.withLock { $0.take() } }
}
