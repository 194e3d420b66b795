import CGStreamer
import Synchronization
import TextSpotting

/// Keeps `qtdemux` from ending a trimmed or cut MP4 or QuickTime file early.
///
/// An edit list says which parts of a track are shown. `qtdemux` compares times *in the track* with the duration of the
/// movie *as shown*, and ends the stream without an error where a key frame, or the beginning of a part, is later than
/// that (GStreamer 1.22, `gst_qtdemux_loop_state_movie`): a second that was cut out of a minute
/// (`ffmpeg -ss 30.5 -t 1 -c copy`) has no picture, and of several parts the later ones are missing. Therefore `qtdemux`
/// reads such a file with a longer duration in the movie's header. Each part still ends where its edit says.
///
/// Source of the boxes: ISO/IEC 14496-12, 8.2.2 (`mvhd`), 8.4.2 (`mdhd`) and 8.6.6 (`elst`).
final class EditLists: Sendable {
    /// Bytes that are read in place of those in the file.
    struct Replacement: Sendable, Equatable {
        let offset: UInt64
        let bytes: [UInt8]
        /// By how much the duration is longer than in the file.
        let added: StreamTime
    }

    private let longest = Mutex(StreamTime.zero)

    /// By how much the length is overstated that the pipeline's elements report.
    var added: StreamTime { longest.withLock { $0 } }

    /// Watches for files that are opened in a pipeline. Call it once, before the pipeline is prepared.
    func watch(_ pipeline: UnsafeMutablePointer<GstElement>, containing elements: [GObjectReference<GstElement>]) {
        for element in elements { mend(element.pointer) }
        AddedElements.listen(to: pipeline) { [self] in mend($0) }
    }

    private func mend(_ element: UnsafeMutablePointer<GstElement>) {
        guard factoryName(element) == "filesrc",
            let path = String(takingOwnershipOf: fgst_take_string(element, "location")),
            let replacement = Self.replacement(in: path)
        else { return }
        longest.withLock { $0 = max($0, replacement.added) }
        let kinds = [GST_PAD_PROBE_TYPE_PULL, GST_PAD_PROBE_TYPE_PUSH, GST_PAD_PROBE_TYPE_BUFFER]
        PadProbe.add(to: element, pad: "src", kinds) { passing in
            guard let buffer = passing.buffer else { return GST_PAD_PROBE_OK }
            let begin = UInt64(buffer.pointee.offset)
            let (end, isUnknown) = begin.addingReportingOverflow(UInt64(gst_buffer_get_size(buffer)))
            let place = replacement.offset
            guard !isUnknown, begin <= place, place + UInt64(replacement.bytes.count) <= end,
                let own = fgst_buffer_make_writable(buffer)
            else { return GST_PAD_PROBE_OK }
            gst_buffer_fill(own, gsize(place - begin), replacement.bytes, gsize(replacement.bytes.count))
            passing.replace(byTakingOwnershipOf: own)
            return GST_PAD_PROBE_OK
        }
    }

    /// Returns a longer duration for the movie's header; nil if no edit needs it.
    static func replacement(in path: String) -> Replacement? {
        // A pipe would lose its writer if it were opened and closed here.
        guard FileStatus(of: path)?.isFile == true, let file = FileBytes(path), let movie = MovieIndex.movie(in: file),
            let header = movie.parts(in: file).first(where: { $0.type == "mvhd" }),
            let clock = Clock(header, in: file), clock.scale > 0, clock.duration > 0
        else { return nil }
        let begin =
            movie.parts(in: file).filter { $0.type == "trak" }
            .compactMap { lastBeginning(of: $0, in: file) }.max() ?? 0
        let added = (begin * Double(clock.scale)).rounded(.up)
        let needed = added + Double(clock.duration)
        guard begin > reordering || added >= Double(clock.duration), needed < clock.limit else { return nil }
        return Replacement(
            offset: clock.offset, bytes: clock.bytes(of: UInt64(needed)),
            added: StreamTime(seconds: added / Double(clock.scale)))
    }

    /// Returns where in its media the last of a track's parts begins, in seconds; nil if it has no edit list.
    private static func lastBeginning(of track: MovieIndex.Box, in file: FileBytes) -> Double? {
        func box(_ names: String...) -> MovieIndex.Box? {
            names.reduce(Optional(track)) { box, name in box?.parts(in: file).first { $0.type == name } }
        }
        guard let list = box("edts", "elst"), let header = box("mdia", "mdhd"), let clock = Clock(header, in: file),
            clock.scale > 0
        else { return nil }
        let head = file.bytes(at: list.content, count: 8)
        guard head.count == 8 else { return nil }
        let width = head[0] == 1 ? 8 : 4
        let entry = 2 * width + 4
        let count = min(Int(MovieIndex.Box.number(head[4...])), mostEdits)
        let entries = file.bytes(at: list.content + 8, count: count * entry)
        let begins = (0..<entries.count / entry).map { index in
            let place = index * entry + width
            let value = MovieIndex.Box.number(entries[place..<place + width])
            return width == 8 ? Int64(bitPattern: value) : Int64(Int32(truncatingIfNeeded: value))
        }
        // A part that begins at -1 is a pause before the track.
        return begins.filter { $0 > 0 }.max().map { Double($0) / Double(clock.scale) }
    }

    /// Frames that are stored in another order than they are shown begin late by a few frames, in almost every file. That
    /// costs no frame, so such files are read as they are.
    private static let reordering = 0.25

    /// No program that cuts recordings writes more edits.
    private static let mostEdits = 10_000

    /// The time scale and the duration in a header (`mvhd`, `mdhd`).
    private struct Clock {
        /// Units per second.
        let scale: UInt64
        let duration: UInt64
        /// Where the duration is in the file.
        let offset: UInt64
        private let width: Int

        init?(_ header: MovieIndex.Box, in file: FileBytes) {
            let bytes = file.bytes(at: header.content, count: 32)
            guard bytes.count == 32 else { return nil }
            width = bytes[0] == 1 ? 8 : 4
            let place = 4 + 2 * width
            scale = MovieIndex.Box.number(bytes[place..<place + 4])
            duration = MovieIndex.Box.number(bytes[place + 4..<place + 4 + width])
            offset = header.content + UInt64(place + 4)
        }

        /// The largest duration that can be written, all ones, means that it is unknown.
        var limit: Double { width == 8 ? Double(Int64.max) : Double(UInt32.max) }

        func bytes(of duration: UInt64) -> [UInt8] {
            (0..<width).reversed().map { UInt8(truncatingIfNeeded: duration >> UInt64(8 * $0)) }
        }
    }

}
