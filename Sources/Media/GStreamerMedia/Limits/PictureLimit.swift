import CGStreamer
import Errors
import Synchronization

/// Limits the size of decoded pictures, because a file of a few megabytes can decode to a picture of many gigabytes.
///
/// There is one limit for the whole process, which is checked before anything is decoded: in the header of a file, in
/// the caps that a demuxer or a parser announces, and in those that a decoder announces before it allocates memory.
/// Thread-safe.
public enum PictureLimit {
    /// In megapixels: a panorama of 16384×8192 and phone pictures of 108 megapixels are below it. Decoding one of that
    /// size takes some 1.2 GB.
    public static let ordinary = 140
    /// The number of pixels in a megapixel.
    private static let unit = 1_000_000

    /// In pixels: GStreamer's elements negotiate no larger pictures.
    static let longestSide = 32_767

    private static let limit = Mutex(ordinary * unit)

    /// Sets the limit for everything that is opened from now on.
    ///
    /// - Parameter megapixels: at least 1.
    public static func set(megapixels: Int) { limit.withLock { $0 = max(1, megapixels) * unit } }

    /// The number of pixels that a picture may have.
    static var pixels: Int { limit.withLock { $0 } }

    /// The number of bytes that one picture of a multipart stream may announce or take: an encoded picture has less
    /// than a byte per pixel, even a JPEG of the best quality.
    static var encodedBytes: Int { pixels }

    static func allows(width: Int, height: Int) -> Bool {
        let (product, isTooLarge) = max(0, width).multipliedReportingOverflow(by: max(0, height))
        return !isTooLarge && product <= pixels
    }

    /// Returns the error for a picture that is not decoded because it is too large.
    ///
    /// - Parameter name: the name of the source, as the user knows it.
    static func refusal(of name: String, width: Int, height: Int) -> FramegrepError {
        let megapixels = (Double(width) * Double(height) / Double(unit)).rounded(.up)
        let wanted = Int(exactly: megapixels).map { "If you trust it, add --max-picture \($0)." } ?? ""
        return FramegrepError(
            .sourceUnavailable,
            "\(name) is not decoded: its picture has \(width)×\(height) pixels, and with more than "
                + "\(pixels / unit) megapixels it would take more memory than most machines have to spare. \(wanted)")
    }

    /// Returns the error for a picture that is wider or higher than GStreamer accepts; nil if it is not.
    static func refusal(ofSidesOf name: String, width: Int, height: Int) -> FramegrepError? {
        guard max(width, height) > longestSide else { return nil }
        return FramegrepError(
            .sourceUnavailable,
            "\(name) is not decoded: its picture has \(width)×\(height) pixels, and GStreamer takes at most \(longestSide) a side. "
                + "Cut it into parts, or make it smaller, and search those.")
    }

    /// Returns the error for a multipart stream with a picture that is too long.
    static func refusal(of name: String, bytes: Int) -> FramegrepError {
        FramegrepError(
            .sourceUnavailable,
            "\(name) is not read any further: one of its pictures has more than \(encodedBytes / unit) megabytes, and would have to be kept in memory "
                + "until it is whole. If you trust it, add --max-picture \(bytes / unit + 1).")
    }
}

/// Keeps the decoders of one pipeline from pictures beyond the ``PictureLimit``.
///
/// Elements such as `decodebin` add decoders to a running pipeline; the bin reports each. This checks the caps that
/// reach a decoder, those that leave it before it allocates memory, and, if caps have no size, the header of the first
/// picture. The bin owns this, and this keeps no reference to the bin. Thread-safe.
final class DecoderWatch: Sendable {
    private let name: String
    private let report: @Sendable (FramegrepError) -> Void
    private let first = Mutex<FramegrepError?>(nil)

    /// - Parameters:
    ///   - name: the name of the source in messages.
    ///   - report: called for the first refusal, on the thread of the element.
    init(name: String, report: @escaping @Sendable (FramegrepError) -> Void = { _ in }) {
        self.name = name
        self.report = report
    }

    /// The first refusal; nil if nothing was refused.
    var refusal: FramegrepError? { first.withLock { $0 } }

    /// Watches the elements in a bin, and those that are added from now on.
    func watch(_ bin: UnsafeMutablePointer<GstElement>) {
        guard let inside = fgst_as_bin(bin) else { return }
        AddedElements.listen(to: bin) { self.look(at: $0) }
        for element in elementsInside(inside) { look(at: element.pointer) }
    }

    private func look(at element: UnsafeMutablePointer<GstElement>) {
        if factoryName(element) == "multipartdemux" { return PartWatch(self).watch(element) }
        guard Self.isDecoder(element) || fgst_as_app_sink(element) != nil else { return }
        for name in ["sink", "src"] {
            let kinds = [GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, GST_PAD_PROBE_TYPE_BUFFER]
            PadProbe.add(to: element, pad: name, kinds) { passing in
                let isFine =
                    passing.event.map { self.lets($0, through: passing.pad) }
                    ?? passing.buffer.map { self.lets($0, through: passing.pad) } ?? true
                return isFine ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP
            }
        }
    }

    /// Refuses the data of a pad: posts the error on the element, so that the whole pipeline ends.
    func refuse(_ error: FramegrepError, on pad: UnsafeMutablePointer<GstPad>) {
        let isFirst = first.withLock { first in
            defer { first = first ?? error }
            return first == nil
        }
        guard isFirst else { return }
        report(error)
        guard let element = gst_pad_get_parent_element(pad) else { return }
        SourceRefusal.post(error, on: element)
        gst_object_unref(element)
    }

    /// Returns whether an event may be passed on.
    private func lets(
        _ event: UnsafeMutablePointer<GstEvent>, through pad: UnsafeMutablePointer<GstPad>
    ) -> Bool {
        guard event.pointee.type == GST_EVENT_CAPS else { return true }
        var caps: UnsafeMutablePointer<GstCaps>?
        gst_event_parse_caps(event, &caps)
        // The event owns the caps.
        guard let caps, let structure = gst_caps_get_structure(caps, 0) else { return true }
        var size: (width: Int32, height: Int32) = (0, 0)
        guard gst_structure_get_int(structure, "width", &size.width) != 0,
            gst_structure_get_int(structure, "height", &size.height) != 0
        else { return true }
        return lets(width: Int(size.width), height: Int(size.height), through: pad)
    }

    /// Returns whether a buffer may be passed on: the header of a picture is examined if its caps state no size.
    private func lets(
        _ buffer: UnsafeMutablePointer<GstBuffer>, through pad: UnsafeMutablePointer<GstPad>
    ) -> Bool {
        if refusal != nil { return false }
        guard pad.pointee.direction == GST_PAD_SINK, Self.isBeginning(buffer), Self.mayBeStill(pad),
            let header = PictureHeader(copiedBytes(of: buffer, atMost: 4096))
        else { return true }
        return lets(width: header.width, height: header.height, through: pad)
    }

    private func lets(width: Int, height: Int, through pad: UnsafeMutablePointer<GstPad>) -> Bool {
        if PictureLimit.allows(width: width, height: height) { return true }
        refuse(PictureLimit.refusal(of: name, width: width, height: height), on: pad)
        return false
    }

    /// Returns the error for a part of a multipart stream that is too long.
    func refusal(ofPart bytes: Int) -> FramegrepError { PictureLimit.refusal(of: name, bytes: bytes) }

    /// Returns whether a picture may begin with this buffer: a file arrives in pieces, and the beginning of a later
    /// piece may look like any header.
    private static func isBeginning(_ buffer: UnsafeMutablePointer<GstBuffer>) -> Bool {
        let isFirst = buffer.pointee.mini_object.flags & GST_BUFFER_FLAG_DISCONT.rawValue != 0
        return isFirst || buffer.pointee.offset == 0 || buffer.pointee.offset == .max
    }

    /// Returns whether the caps of a pad are those of a still picture, or unknown.
    private static func mayBeStill(_ pad: UnsafeMutablePointer<GstPad>) -> Bool {
        guard let caps = gst_pad_get_current_caps(pad) else { return true }
        defer { gst_caps_unref(caps) }
        guard let structure = gst_caps_get_structure(caps, 0), let type = gst_structure_get_name(structure) else {
            return false
        }
        return String(cString: type).hasPrefix("image/")
    }

    static func isDecoder(_ element: UnsafeMutablePointer<GstElement>) -> Bool {
        let kinds = classWords(of: element)
        return kinds.contains("Decoder") && (kinds.contains("Video") || kinds.contains("Image"))
    }
}

/// Bounds the memory of a `multipartdemux`, which keeps a picture until it is complete: a server may announce one of
/// any length, or send one that never ends.
///
/// The element's pads own this, and this owns the ``DecoderWatch``. Thread-safe.
final class PartWatch: Sendable {
    private let decoders: DecoderWatch
    /// The number of bytes received since the last picture was passed on.
    private let count = Mutex(0)
    /// The limit on the length of a part's header.
    private static let longestHead = 2048

    init(_ decoders: DecoderWatch) {
        self.decoders = decoders
    }

    func watch(_ demuxer: UnsafeMutablePointer<GstElement>) {
        PadProbe.add(to: demuxer, pad: "sink", [GST_PAD_PROBE_TYPE_BUFFER]) { passing in
            let isFine = passing.buffer.map { self.lets($0, through: passing.pad) } ?? true
            return isFine ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP
        }
        fgst_on_pad_added(demuxer, outputAdded, Unmanaged.passRetained(self).toOpaque(), releaseHandler)
    }

    /// Counts received bytes; returns false if there are too many.
    private func lets(
        _ buffer: UnsafeMutablePointer<GstBuffer>, through pad: UnsafeMutablePointer<GstPad>
    ) -> Bool {
        if decoders.refusal != nil { return false }
        let size = Int(clamping: gst_buffer_get_size(buffer))
        let before = count.withLock { count in
            defer { count += size }
            return count
        }
        var total = before + size
        if before < Self.longestHead {
            total = max(total, Self.announced(in: copiedBytes(of: buffer, atMost: Self.longestHead)) ?? 0)
        }
        guard total > PictureLimit.encodedBytes else { return true }
        decoders.refuse(decoders.refusal(ofPart: total), on: pad)
        return false
    }

    /// Returns the number after `Content-Length:` (RFC 9110, 8.6), in upper or lower case.
    static func announced(in head: [UInt8]) -> Int? {
        let text = String(decoding: head, as: UTF8.self).lowercased()
        guard let match = text.firstMatch(of: #/content-length:\s*(\d+)/#) else { return nil }
        return Int(match.output.1) ?? Int.max / 2
    }

    fileprivate func follow(_ pad: UnsafeMutablePointer<GstPad>) {
        PadProbe.add(to: pad, [GST_PAD_PROBE_TYPE_BUFFER]) { _ in
            self.count.withLock { $0 = 0 }
            return GST_PAD_PROBE_OK
        }
    }
}

/// `GstElement::pad-added`, on a streaming thread.
private func outputAdded(
    _ element: UnsafeMutablePointer<GstElement>?, _ pad: UnsafeMutablePointer<GstPad>?, _ context: gpointer?
) {
    guard let pad, let context else { return }
    Unmanaged<PartWatch>.fromOpaque(context).takeUnretainedValue().follow(pad)
}
