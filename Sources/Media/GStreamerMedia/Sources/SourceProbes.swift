import CGStreamer
import Errors
import Glibc
import Processes
import TextSpotting

/// Owns one GstDiscovererInfo and reads it.
struct DiscovererReport: ~Copyable {
    private let info: OpaquePointer

    init(takingOwnershipOf info: OpaquePointer) {
        self.info = info
    }

    deinit {
        g_object_unref(UnsafeMutableRawPointer(info))
    }

    var result: GstDiscovererResult { gst_discoverer_info_get_result(info) }

    var hasAudio: Bool {
        guard let streams = gst_discoverer_info_get_audio_streams(info) else { return false }
        gst_discoverer_stream_info_list_free(streams)
        return true
    }

    private var audioFormat: String? {
        guard let streams = gst_discoverer_info_get_audio_streams(info) else { return nil }
        defer { gst_discoverer_stream_info_list_free(streams) }
        guard let data = streams.pointee.data, let caps = gst_discoverer_stream_info_get_caps(OpaquePointer(data))
        else { return nil }
        defer { gst_caps_unref(caps) }
        return String(takingOwnershipOf: gst_caps_to_string(caps))
    }

    /// A missing plugin that the picture needs; nil if only sound or subtitles lack one.
    var missingVideoPlugin: MissingPlugin? {
        guard result == GST_DISCOVERER_MISSING_PLUGINS,
            let details = gst_discoverer_info_get_missing_elements_installer_details(info)
        else { return nil }
        var index = 0
        while let text = details[index] {
            if let plugin = MissingPlugin(installerDetail: String(cString: text)), !plugin.isOptional { return plugin }
            index += 1
        }
        return nil
    }

    /// The first video stream and its container; nil if there is none.
    var mediaInfo: MediaInfo? {
        guard let streams = gst_discoverer_info_get_video_streams(info) else { return nil }
        defer { gst_discoverer_stream_info_list_free(streams) }
        guard let data = streams.pointee.data else { return nil }
        let video = OpaquePointer(data)
        let duration = gst_discoverer_info_get_duration(info)
        let isImage = gst_discoverer_video_info_is_image(video) != 0
        return MediaInfo(
            duration: duration == noClockTime || duration == 0 || isImage
                ? nil : StreamTime(nanoseconds: Int64(clamping: duration)),
            width: Int(gst_discoverer_video_info_get_width(video)),
            height: Int(gst_discoverer_video_info_get_height(video)),
            frameRate: Ratio(
                Int(gst_discoverer_video_info_get_framerate_num(video)),
                Int(gst_discoverer_video_info_get_framerate_denom(video))),
            pixelAspectRatio: Ratio(
                Int(gst_discoverer_video_info_get_par_num(video)), Int(gst_discoverer_video_info_get_par_denom(video))),
            isImage: isImage,
            isInterlaced: gst_discoverer_video_info_is_interlaced(video) != 0,
            isSeekable: gst_discoverer_info_get_seekable(info) != 0, isLive: gst_discoverer_info_get_live(info) != 0,
            videoCodec: Self.codec(of: video) ?? "", container: container, orientation: orientation(of: video),
            hasAudio: hasAudio, audioFormat: audioFormat, creationTime: creationTime)
    }

    /// No digital recording is older; clocks that were never set begin in 1904, 1970 or 1980.
    private static let earliest = 631_152_000.0

    private var creationTime: Double? {
        var moment: OpaquePointer?
        guard let tags = gst_discoverer_info_get_tags(info),
            gst_tag_list_get_date_time(tags, GST_TAG_DATE_TIME, &moment) != 0, let moment
        else { return nil }
        defer { gst_date_time_unref(moment) }
        // Nil if only the day or the year is known.
        guard gst_date_time_has_time(moment) != 0, let time = gst_date_time_to_g_date_time(moment) else { return nil }
        defer { g_date_time_unref(time) }
        let seconds = Double(g_date_time_to_unix(time)) + Double(g_date_time_get_microsecond(time)) / 1e6
        return seconds >= Self.earliest ? seconds : nil
    }

    private var container: String? {
        guard let top = gst_discoverer_info_get_stream_info(info) else { return nil }
        defer { g_object_unref(UnsafeMutableRawPointer(top)) }
        let isContainer = g_type_check_instance_is_a(
            UnsafeMutableRawPointer(top).assumingMemoryBound(to: GTypeInstance.self),
            gst_discoverer_container_info_get_type())
        return isContainer != 0 ? Self.codec(of: top) : nil
    }

    private func orientation(of video: OpaquePointer) -> String? {
        for tags in [gst_discoverer_stream_info_get_tags(video), gst_discoverer_info_get_tags(info)] {
            var text: UnsafeMutablePointer<CChar>?
            if let tags, gst_tag_list_get_string(tags, GST_TAG_IMAGE_ORIENTATION, &text) != 0 {
                return String(takingOwnershipOf: text)
            }
        }
        return nil
    }

    private static func codec(of stream: OpaquePointer) -> String? {
        guard let caps = gst_discoverer_stream_info_get_caps(stream) else { return nil }
        defer { gst_caps_unref(caps) }
        return String(takingOwnershipOf: gst_pb_utils_get_codec_description(caps))
    }
}

/// Examines a still picture that GStreamer's discoverer cannot: one that only gdk-pixbuf or nothing can read.
struct StillProbe {
    let source: SourceURI
    let header: PictureHeader

    /// Decodes it once, so that an unreadable picture is reported before anything else begins.
    ///
    /// - Throws: ``FramegrepError`` (`missingPlugin`, `sourceNotVideo`, `sourceDamaged`).
    func examine(within timeout: Duration) async throws -> MediaInfo {
        let name = "'\(source.redacted)'"
        guard header.format.decoding == .pixbuf else {
            throw FramegrepError(
                .sourceNotVideo,
                "\(name) is \(header.format.name), which nothing that is installed can read. \(header.format.advice)"
            )
        }
        if let error = try await failure(within: timeout) {
            guard error.code != .missingPlugin else { throw error }
            guard header.format.needsLoader else {
                throw FramegrepError(
                    .sourceDamaged, "\(name) is damaged or cut short: it begins like \(header.format.name).")
            }
            let package = PortableArchive.folder == nil ? header.format.package : nil
            let help = package.map { "Install the Debian package \($0), or convert it" } ?? "Convert it"
            throw FramegrepError(
                .missingPlugin,
                "\(name) is \(header.format.name), which nothing that is installed can read, or is damaged. \(help), for example to PNG."
            )
        }
        return .still(header)
    }

    /// Returns the reason it cannot be decoded; nil if it can.
    private func failure(within timeout: Duration) async throws -> FramegrepError? {
        let pipeline = try Pipeline(
            parsing: "\(PixbufDecoding.elements(source.text)) ! appsink name=\(Pipeline.framesName)")
        do {
            _ = try await pipeline.stopping { try await pipeline.prepare(timeout: timeout) }
            return pipeline.bus.firstFailure
        } catch let error as FramegrepError {
            return error
        }
    }
}

/// Pipeline elements that decode with gdk-pixbuf.
public enum PixbufDecoding {
    /// Returns the elements. The gdk-pixbuf element has caps for few formats but examines the bytes itself, so any of
    /// its caps will do.
    ///
    /// - Parameter uri: the URI of a file, which has no character with a meaning in a description.
    public static func elements(_ uri: String) -> String {
        // Data without a signature stops the usual source, which looks for one.
        let source = uri.lowercased().hasSuffix(".tga") ? "giosrc location" : "urisourcebin uri"
        return "\(source)=\"\(uri)\" ! capssetter join=false replace=true caps=image/bmp ! gdkpixbufdec"
    }
}

/// Examines a file again if a short attempt gave no answer.
///
/// GStreamer's decodebin (1.22) holds back the error of an element that fails while it is being added, and forgets it
/// if the adding itself succeeds, for example if a demuxer finds its file damaged at once, on a faster thread. The
/// discoverer then waits until its timeout. On a busy machine this happened in 37 to 47 of 2,500 first attempts with
/// one damaged file, and in more than a third of the next ones, in a program that has loaded everything it needs. So
/// there are several attempts.
enum RepeatedProbes {
    /// In seconds, each longer than a readable file takes on a machine that is not overloaded.
    static let short = [2, 1, 1, 1, 1, 4]

    /// - Parameters:
    ///   - seconds: the time for all attempts.
    ///   - isFile: whether it is a file; for other sources there is only one attempt, because remote sources may take
    ///     long.
    ///   - look: returns nil if there was no answer within this many seconds.
    static func take<Answer>(
        within seconds: Int, atFile isFile: Bool, _ look: (_ seconds: Int) throws -> Answer?
    ) rethrows -> Answer? {
        var left = seconds
        for time in short {
            guard isFile, left >= 2 * time else { break }
            if let answer = try look(time) { return answer }
            left -= time
        }
        return try look(left)
    }
}

/// Compares the length that a container declares in its header with that of its file.
///
/// Sources: ISO/IEC 14496-12, 4.2 (boxes); RFC 8794, 4 and 5, and RFC 9559, 5.1 (EBML, Matroska's Segment); Microsoft's
/// RIFF specification (AVI).
enum DeclaredLength {
    /// - Returns: true only for a file that certainly ends before the end it declares.
    static func exceedsFile(_ path: String) -> Bool {
        guard let file = FileBytes(path) else { return false }
        guard let status = file.status, status.isFile else { return false }
        let length = UInt64(clamping: status.size)
        let head = file.bytes(at: 0, count: 64)
        if head.starts(with: matroska) { return segmentEnd(head).map { $0 > length } ?? false }
        if head.starts(with: Array("RIFF".utf8)), head.count >= 12, head[8..<11].elementsEqual("AVI".utf8) {
            return 8 + head[4..<8].reversed().reduce(0) { $0 << 8 | UInt64($1) } > length
        }
        return head.count >= 8 && head[4..<8].elementsEqual("ftyp".utf8) && lastBoxEnd(file, length) > length
    }

    /// - Returns: true only for a Matroska or WebM file that does not state its length, as when its recorder was
    ///   interrupted; GStreamer then makes up a length.
    static func isMissing(in path: String) -> Bool {
        guard let file = FileBytes(path) else { return false }
        guard file.bytes(at: 0, count: 4).elementsEqual(matroska) else { return false }
        var place: UInt64 = 0
        // Headers, indexes and gaps come before the wanted element.
        for _ in 0..<64 {
            let head = file.bytes(at: place, count: 12)
            guard let id = head.first, id >= 0x10 else { return false }
            let idLength = id.leadingZeroBitCount + 1
            guard idLength < head.count else { return false }
            let size = variableNumber(head, at: idLength)
            let inside = place + UInt64(size?.next ?? idLength + head[idLength].leadingZeroBitCount + 1)
            switch Array(head.prefix(idLength)) {
            case segment: place = inside
            case information:
                return !holdsDuration(file.bytes(at: inside, count: Int(min(size?.value ?? 0, 4096))))
            default:
                guard let size else { return false }
                let (next, isTooLarge) = inside.addingReportingOverflow(size.value)
                guard !isTooLarge else { return false }
                place = next
            }
        }
        return false
    }

    /// Returns whether the elements of a Matroska file's Info include a duration.
    private static func holdsDuration(_ elements: [UInt8]) -> Bool {
        var index = 0
        while index < elements.count, elements[index] >= 0x10 {
            let idLength = elements[index].leadingZeroBitCount + 1
            if elements[index...].starts(with: [0x44, 0x89]) { return true }
            guard let size = variableNumber(elements, at: index + idLength), size.value < elements.count else { break }
            index = size.next + Int(size.value)
        }
        return false
    }

    private static let segment: [UInt8] = [0x18, 0x53, 0x80, 0x67]
    private static let information: [UInt8] = [0x15, 0x49, 0xA9, 0x66]

    /// - Returns: true only for a Matroska or WebM file that is followed by another one in the same file.
    static func isFollowedByAnother(_ path: String) -> Bool {
        guard let file = FileBytes(path) else { return false }
        let head = file.bytes(at: 0, count: 64)
        guard head.starts(with: matroska) else { return false }
        if let end = segmentEnd(head) { return file.bytes(at: end, count: 4).elementsEqual(matroska) }
        return hasAnotherHead(file)
    }

    /// Returns whether the file contains another Matroska or WebM header after the first; reads the whole file, because
    /// nothing states where its first part ends.
    private static func hasAnotherHead(_ file: FileBytes) -> Bool {
        let (step, overlap) = (1 << 20, 64)
        var place: UInt64 = 64
        while true {
            let part = file.bytes(at: place, count: step + overlap)
            guard part.count >= overlap else { return false }
            for start in places(of: matroska, in: part) {
                // The format's name, an element of the header, distinguishes it from four equal bytes of a picture.
                let head = part[start..<min(start + overlap, part.count)]
                if ["matroska", "webm"].contains(where: { !places(of: Array($0.utf8), in: Array(head)).isEmpty }) {
                    return true
                }
            }
            place += UInt64(step)
        }
    }

    private static func places(of pattern: [UInt8], in bytes: [UInt8]) -> [Int] {
        guard let first = pattern.first else { return [] }
        var found: [Int] = []
        bytes.withUnsafeBytes { all in
            guard let base = all.baseAddress else { return }
            var start = 0
            // Only the C function is fast enough for a film.
            while start < all.count, let place = memchr(base + start, Int32(first), all.count - start) {
                let index = base.distance(to: place)
                if all[index...].starts(with: pattern) { found.append(index) }
                start = index + 1
            }
        }
        return found
    }

    /// The first bytes of such a file.
    private static let matroska: [UInt8] = [0x1A, 0x45, 0xDF, 0xA3]

    /// Returns the end that the last of a movie's boxes declares.
    private static func lastBoxEnd(_ file: FileBytes, _ length: UInt64) -> UInt64 {
        var offset: UInt64 = 0
        while offset < length {
            guard file.bytes(at: offset, count: 8).count == 8 else { return offset }
            guard let end = MovieIndex.Box(in: file, at: offset)?.end else { return length }
            offset = end
        }
        return offset
    }

    /// Returns the end of a Matroska file's Segment; nil if it is not declared, as in a live stream.
    private static func segmentEnd(_ head: [UInt8]) -> UInt64? {
        guard let first = variableNumber(head, at: 4), let place = Int(exactly: first.value).map({ first.next + $0 }),
            place + 4 < head.count, head[place..<(place + 4)].elementsEqual(segment),
            let segment = variableNumber(head, at: place + 4)
        else { return nil }
        let (end, isTooLarge) = UInt64(segment.next).addingReportingOverflow(segment.value)
        return isTooLarge ? nil : end
    }

    /// Reads an EBML number, whose leading zero bits state its length; all ones mean unknown.
    private static func variableNumber(_ bytes: [UInt8], at index: Int) -> (value: UInt64, next: Int)? {
        guard index < bytes.count, bytes[index] != 0 else { return nil }
        let extra = bytes[index].leadingZeroBitCount
        guard index + extra < bytes.count else { return nil }
        let mask = UInt64(1) << UInt64(7 * (extra + 1)) - 1
        let value = bytes[index...(index + extra)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) } & mask
        return value == mask ? nil : (value, index + extra + 1)
    }
}
