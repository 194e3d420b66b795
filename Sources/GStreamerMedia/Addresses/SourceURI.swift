import CGStreamer
import Errors
import Glibc
import TextSpotting

/// A source as the user named it, as a URI that GStreamer opens.
public struct SourceURI: Hashable, Sendable, CustomStringConvertible {
    /// As the user wrote it.
    public let given: String
    /// With everything in it that GStreamer needs, passwords too: not for showing.
    public let text: String
    /// Whether it is standard input (`-`), which is not a file and can be read only once.
    public let isStandardInput: Bool
    /// Nil if the source is no file. May stand for a name that is no UTF-8: see `FileName`.
    public let path: String?

    /// Understands a path, `-` for standard input, `/dev/videoN` and URIs (`rtsp://`, `http(s)://`, `file://`, `v4l2://`, or any other that GStreamer
    /// knows).
    ///
    /// A name with `://` in it is a URI; everything else is a path, whatever characters it has. Nothing is opened. What is
    /// secret in it is masked in all messages from now on.
    /// - Throws: `FramegrepError` `.sourceUnavailable` for an empty name or a malformed URI.
    public init(_ given: String) throws {
        self.given = given
        guard !given.isEmpty else {
            throw FramegrepError(.sourceUnavailable, "The name of the source is empty. Name a file, a camera or a URI.")
        }
        isStandardInput = given == "-" && !Self.isFile(STDIN_FILENO)
        if isStandardInput {
            text = "fd://\(STDIN_FILENO)"
            path = nil
        } else if let address = WrittenAddress(given), gst_uri_is_valid(given) != 0 {
            KnownTexts.remember(address)
            text = address.normalized
            path = Self.path(ofURI: text)
        } else if given.hasPrefix("/dev/video") {
            text = "v4l2://" + given
            path = nil
        } else {
            var error: UnsafeMutablePointer<GError>?
            defer { g_clear_error(&error) }
            // A file that the shell has opened can be opened again, and so be sought in.
            let uri = FileName.withCName(given == "-" ? "/proc/self/fd/\(STDIN_FILENO)" : given) {
                gst_filename_to_uri($0, &error)
            }
            guard let uri = String(takingOwnershipOf: uri) else {
                throw FramegrepError(
                    .sourceUnavailable, "“\(given)” cannot be used as a file name. \(sentence(error?.text ?? ""))")
            }
            text = uri
            path = Self.path(ofURI: uri)
            // What GStreamer calls it.
            KnownTexts.remember(file: uri, shownAs: given)
            if let path { KnownTexts.remember(file: path, shownAs: given) }
        }
    }

    /// Fit for showing: as the user wrote it, without user name and password.
    public var redacted: String { path == nil ? WrittenAddress(given)?.shown ?? given : given }

    /// Its kind in small letters, such as `rtsp`; `file` for a path.
    public var scheme: String { (WrittenAddress(text)?.scheme ?? "file").lowercased() }

    /// Whether this is a local camera.
    public var isCamera: Bool { text.hasPrefix("v4l2://") }

    /// The same as ``redacted``, so that a password never gets into a message by accident.
    public var description: String { redacted }

    private static func isFile(_ descriptor: Int32) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && [S_IFREG, S_IFBLK].contains(status.st_mode & S_IFMT)
    }

    private static func path(ofURI uri: String) -> String? {
        guard let name = g_filename_from_uri(uri, nil, nil) else { return nil }
        defer { g_free(name) }
        return FileName.text(ofCName: name)
    }
}
