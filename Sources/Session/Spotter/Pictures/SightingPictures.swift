public import Errors
import Foundation
import GStreamerMedia
import OverlayDrawing
import Processes
import Synchronization
public import TextSpotting

/// The folder and the names of the pictures of a recording's sightings.
public struct SightingPictures: Sendable, Hashable {
    /// The folder, which must exist.
    public let folder: String
    /// Whether sightings in one frame are drawn into one picture, named after the first.
    public var areTogether = false
    /// The recording's name in the names of the pictures.
    let source: String

    /// - Parameter source: the recording as the user named it, a path or a URI, without credentials.
    public init(folder: String, source: String) {
        self.folder = folder
        let name = Self.plain(Self.lastPart(of: source), limit: 100).drop { $0 == "-" }
        self.source = name.isEmpty ? "recording" : String(name)
    }

    /// Returns `lobby-00.00.12.367-3-EXIT`: the recording, the start of the sighting as results print it, its number
    /// and its pattern. Pictures and clips therefore sort in order, and those of other recordings or searches have
    /// other names.
    public func name(of sighting: Sighting) -> String {
        let pattern = Self.plain(sighting.pattern, limit: 80)
        let name = "\(source)-\(ClockTime.text(sighting.start).replacing(":", with: "."))-\(sighting.id)"
        return pattern.isEmpty ? name : "\(name)-\(pattern)"
    }

    /// Replaces characters other than letters and digits by dashes, so that no name can refer to another folder or hide
    /// a file.
    ///
    /// - Parameter limit: the largest length in bytes: a file system takes 255 for the whole name.
    private static func plain(_ text: some StringProtocol, limit: Int) -> String {
        var result = ""
        for character in text {
            let kept = character.isLetter || character.isNumber || character == "_" ? character : "-"
            guard result.utf8.count + kept.utf8.count <= limit else { break }
            result.append(kept)
        }
        return result
    }

    /// Returns `lobby` for `clips/lobby.mp4` and for `http://host/lobby.mp4?size=1`.
    private static func lastPart(of source: String) -> Substring {
        var rest = source[...]
        if rest.contains("://"), let end = rest.firstIndex(where: { "?#".contains($0) }) { rest = rest[..<end] }
        let name = rest.split(separator: "/").last ?? "recording"
        let stem = name.lastIndex(of: ".").map { name[..<$0] } ?? name
        return stem.isEmpty ? name : stem
    }
}

/// Draws a sighting into the picture in which it was read.
public enum SightingDrawing {
    /// Returns a JPEG file with the box drawn, at most 1280 pixels wide or high.
    ///
    /// - Parameter sighting: its peak gives its place, in pixels of the frame.
    /// - Throws: `FramegrepError` (`outputFailed`, `missingPlugin`).
    public static func jpeg(_ sighting: Sighting, in frame: Picture) throws(FramegrepError) -> [UInt8] {
        let canvas = try canvas(sighting, in: frame)
        return try JPEGEncoder.encode(bgra: canvas.bgra, width: frame.width, height: frame.height, longestSide: 1280)
    }

    static func canvas(_ sighting: Sighting, in frame: Picture) throws(FramegrepError) -> Canvas {
        let canvas = try Canvas(frame)
        let box = OverlayBox(
            quad: sighting.peak.quad, text: sighting.pattern, score: sighting.score,
            patternIndex: sighting.patternIndex)
        let list = OverlayComposer(pictureWidth: frame.width, pictureHeight: frame.height).compose([box])
        try canvas.draw(try OverlayRasterizer().rasterize(list, width: frame.width, height: frame.height))
        return canvas
    }
}

/// A picture in a new file: existing files are never overwritten, and a file that cannot be written completely is
/// removed.
struct NewPicture {
    let folder: String
    /// Advice for the user if it cannot be written.
    let advice: String
    /// Whether an existing file of the wanted name with exactly the same bytes counts as the picture: repeating a
    /// search adds nothing.
    var keepsSame = true

    /// Writes a PNG file under the next free name if `stem` is taken, and returns its path.
    ///
    /// - Throws: ``FramegrepError`` (`outputFailed`) naming the file and the system's reason.
    func write(_ bytes: [UInt8], named stem: String) throws(FramegrepError) -> String {
        let folder = folder == "." ? "" : folder.hasSuffix("/") ? folder : folder + "/"
        for number in 1...999 {
            let path = "\(folder)\(stem)\(number == 1 ? "" : "-\(number)").png"
            let descriptor = FileName.withCName(path) { open($0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644) }
            if descriptor < 0 {
                guard errno == EEXIST else { throw failure(path, errno) }
                if keepsSame, holds(bytes, path) { return path }
                continue
            }
            let reason = Self.write(bytes, to: descriptor)
            guard reason != 0 else { return path }
            _ = FileName.withCName(path) { unlink($0) }
            throw failure(path, reason)
        }
        throw FramegrepError(
            .outputFailed, "The picture \(folder)\(stem).png cannot be written: a thousand files of that name exist.")
    }

    private func holds(_ bytes: [UInt8], _ path: String) -> Bool {
        let file = FileName.withCName(path) { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        guard file >= 0 else { return false }
        defer { close(file) }
        guard let status = FileStatus(ofDescriptor: file), status.isFile, status.size == bytes.count else {
            return false
        }
        return FileHandle(fileDescriptor: file).readDataToEndOfFile().elementsEqual(bytes)
    }

    /// Writes everything and closes the file; returns 0, or the system's error.
    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
        var reason = PipeBytes.failure(writing: bytes, to: descriptor) ?? 0
        // A full disk may be reported only here.
        if close(descriptor) != 0, reason == 0 { reason = errno }
        return reason
    }

    private func failure(_ path: String, _ reason: Int32) -> FramegrepError {
        FramegrepError(
            .outputFailed,
            "The picture \(path) cannot be written: \(String(cString: strerror(reason))). "
                + "Check that the folder exists, can be written to and has room, or \(advice).")
    }
}

/// Writes a picture of each sighting of a running picture, one after the other on a thread of its own. Thread-safe.
final class SightingPictureWriter: Sendable {
    /// The largest number of pictures waiting to be written: a disk slower than the sightings must not fill the memory.
    private static let mostWaiting = 64

    private let pictures: SightingPictures
    private let file: NewPicture
    private let failed: @Sendable (FramegrepError) -> Void
    private let queue = DispatchQueue(label: "framegrep.pictures", qos: .utility)
    private let state = Mutex((waiting: 0, dropped: 0))
    private let report: LiveReport

    /// - Parameter failed: called with the reason a picture was not written.
    init(
        _ pictures: SightingPictures, _ report: LiveReport, failed: @escaping @Sendable (FramegrepError) -> Void
    ) {
        self.pictures = pictures
        self.report = report
        self.failed = failed
        file = NewPicture(folder: pictures.folder, advice: "name another with --save-frames")
    }

    /// Saves the frame in which a sighting was read, with its box drawn; the sighting's peak gives its time and place.
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

    /// Returns when all pictures are written, and reports how many were not because there were too many at once.
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
