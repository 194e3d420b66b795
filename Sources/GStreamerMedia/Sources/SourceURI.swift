import CGStreamer
import TextSpotting

/// What a person names as a source, as a URI that GStreamer opens.
public struct SourceURI: Hashable, Sendable, CustomStringConvertible {
    /// As the person wrote it.
    public let given: String
    /// With everything in it that GStreamer needs, passwords too: not for showing.
    public let text: String
    /// Nil where the source is no file.
    public let path: String?

    /// Understands a path, `/dev/videoN` and URIs (`rtsp://`, `http(s)://`, `file://`, `v4l2://`, or any other that GStreamer
    /// knows).
    ///
    /// A name with `://` in it is a URI; everything else is a path, whatever characters it has. Nothing is opened.
    /// - Throws: ``FramegrepError`` `.sourceUnavailable` for an empty name or a malformed URI.
    public init(_ given: String) throws {
        self.given = given
        guard !given.isEmpty else {
            throw FramegrepError(.sourceUnavailable, "The name of the source is empty. Name a file, a camera or a URI.")
        }
        if given.contains("://"), gst_uri_is_valid(given) != 0 {
            text = given
            path = String(takingOwnershipOf: g_filename_from_uri(given, nil, nil))
        } else if given.hasPrefix("/dev/video") {
            text = "v4l2://" + given
            path = nil
        } else {
            var error: UnsafeMutablePointer<GError>?
            defer { g_clear_error(&error) }
            guard let uri = String(takingOwnershipOf: gst_filename_to_uri(given, &error)) else {
                throw FramegrepError(
                    .sourceUnavailable, "“\(given)” cannot be used as a file name. \(sentence(error?.text ?? ""))")
            }
            text = uri
            path = String(takingOwnershipOf: g_filename_from_uri(uri, nil, nil))
        }
    }

    /// Fit for showing: what the person wrote, without user name and password.
    public var redacted: String { GStreamerMedia.redacted(given) }

    /// Whether this is a local camera.
    public var isCamera: Bool { text.hasPrefix("v4l2://") }

    /// The same as ``redacted``, so that a password never gets into a message by accident.
    public var description: String { redacted }
}
