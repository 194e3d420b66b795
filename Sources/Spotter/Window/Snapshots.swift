import Errors
import Foundation
import GStreamerMedia
import OverlayDrawing
import Synchronization
import TextSpotting

/// Writes frames with their boxes as PNG files, one after the other on a thread of its own. Thread-safe.
///
/// A file that exists is never overwritten, and one that could not be written whole is removed.
final class Snapshots: Sendable {
    private let pictures: NewPicture
    private let queue = DispatchQueue(label: "framegrep.snapshots", qos: .utility)
    private let converter = PictureConverter()
    private let notices: PictureNotices
    private let report: LiveReport
    private let measurements: LiveMeasurements

    init(folder: String, _ notices: PictureNotices, _ report: LiveReport, _ measurements: LiveMeasurements) {
        pictures = NewPicture(folder: folder, advice: "name another with --snapshots", keepsSame: false)
        self.notices = notices
        self.report = report
        self.measurements = measurements
    }

    /// Saves a frame and reports the outcome.
    func save(_ sample: consuming Sample, _ patches: [OverlayPatch]) {
        let name = Self.fileName(at: Date())
        let frame = SampleBox(sample)
        queue.async { [self] in
            guard let sample = frame.take() else { return }
            do {
                let canvas = try Canvas(try converter.picture(from: sample, format: .rgb))
                try canvas.draw(patches)
                let path = try pictures.write(try PNGWriter.encode(canvas), named: name)
                notices.say("saved \(path)")
                report.tell(.snapshot(path: path, at: measurements.time))
            } catch let error as FramegrepError {
                notices.say(error.message, kind: .failure, for: .seconds(8))
                report.warn(error)
            } catch {}
        }
    }

    /// Returns when all frames are saved.
    func finish() async {
        await withCheckedContinuation { done in queue.async { done.resume() } }
    }

    /// `framegrep-2026-11-21-172430`, in local time.
    static func fileName(at date: Date) -> String {
        let parts = Calendar(identifier: .gregorian).dateComponents(
            [.year, .month, .day, .hour, .minute, .second], from: date)
        func two(_ value: Int?) -> String { (value ?? 0) < 10 ? "0\(value ?? 0)" : "\(value ?? 0)" }
        let day = "\(parts.year ?? 0)-\(two(parts.month))-\(two(parts.day))"
        return "framegrep-\(day)-\(two(parts.hour))\(two(parts.minute))\(two(parts.second))"
    }
}

/// A frame on its way into a closure, which could be copied where a frame cannot. Thread-safe.
private final class SampleBox: Sendable {
    private let sample: Mutex<Sample?>

    init(_ sample: consuming Sample) { self.sample = Mutex(sample) }

    func take() -> Sample? { sample.withLock { $0.take() } }
}
