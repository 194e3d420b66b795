import CGStreamer
import Errors
import Glibc
import TextSpotting

/// A source named by the user, as a URI that GStreamer opens.
public struct SourceURI: Hashable, Sendable, CustomStringConvertible {
    /// As the user wrote it.
    public let given: String
    /// Contains everything that GStreamer needs, including passwords: do not show it.
    public let text: String
    /// Whether it is standard input (`-`), which is not a file and can be read only once.
    public let isStandardInput: Bool
    /// Nil if the source is not a file. May stand for a name that is not UTF-8: see `FileName`.
    public let path: String?

    /// Accepts a path, `-` for standard input, `/dev/videoN` and URIs (`rtsp://`, `http(s)://`, `file://`, `v4l2://`,
    /// or any other that GStreamer knows).
    ///
    /// A name with `://` in it is a URI; everything else is a path, whatever characters it has. Nothing is opened. Its
    /// secrets are masked in all messages from now on.
    /// - Throws: `FramegrepError` `.sourceUnavailable` for an empty name or a malformed URI.
    public init(_ given: String) throws {
        self.given = given
        guard !given.isEmpty else {
            throw FramegrepError(.sourceUnavailable, "The name of the source is empty. Name a file, a camera or a URI.")
        }
        let isShellsFile = FileStatus(ofDescriptor: STDIN_FILENO).map { [S_IFREG, S_IFBLK].contains($0.kind) } ?? false
        isStandardInput = given == "-" && !isShellsFile
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
            // A file that the shell has opened can be opened again, which makes it seekable.
            let name = given == "-" ? "/proc/self/fd/\(STDIN_FILENO)" : given
            // Not gst_filename_to_uri, which takes a `..` behind a link for the folder with the link.
            let uri = FileName.withCName(FileName.absolute(name) + (name.hasSuffix("/") ? "/" : "")) {
                g_filename_to_uri($0, nil, &error)
            }
            guard let uri = String(takingOwnershipOf: uri) else {
                throw FramegrepError(
                    .sourceUnavailable, "'\(given)' cannot be used as a file name. \(sentence(error?.text ?? ""))")
            }
            text = uri
            path = Self.path(ofURI: uri)
            // The name that GStreamer shows for it.
            KnownTexts.remember(file: uri, shownAs: given)
            if let path { KnownTexts.remember(file: path, shownAs: given) }
        }
    }

    /// The source for display: as the user wrote it, without user name and password.
    public var redacted: String { path == nil ? WrittenAddress(given)?.shown ?? given : given }

    /// Its scheme in lowercase, such as `rtsp`; `file` for a path.
    public var scheme: String { (WrittenAddress(text)?.scheme ?? "file").lowercased() }

    /// Whether this is a local camera.
    public var isCamera: Bool { text.hasPrefix("v4l2://") }

    /// The same as ``redacted``, so that a password never gets into a message by accident.
    public var description: String { redacted }

    private static func path(ofURI uri: String) -> String? {
        guard let name = g_filename_from_uri(uri, nil, nil) else { return nil }
        defer { g_free(name) }
        return FileName.text(ofCName: name)
    }
}

/// An address of an object in a store with Amazon's S3 protocol that can be read by ranges for some hours: the request
/// is signed in the query (AWS Signature Version 4, "Authenticating Requests: Using Query Parameters"), so that any
/// HTTP client can read it.
///
/// The address contains the signature, and opens the object for anyone who has it. ``SourceURI`` masks it in messages.
public struct PresignedAddress: Sendable {
    /// The keys and the region with which an address is signed.
    public struct Account: Sendable {
        public var accessKey: String
        public var secretKey: String
        /// The token of temporary credentials.
        public var sessionToken: String?
        public var region: String

        public init(accessKey: String, secretKey: String, sessionToken: String? = nil, region: String) {
            self.accessKey = accessKey
            self.secretKey = secretKey
            self.sessionToken = sessionToken
            self.region = region
        }
    }

    /// `https` or `http`.
    let scheme: String
    /// With the port, if it is not the scheme's default.
    let host: String
    /// From the first slash on, not escaped.
    let path: String

    /// - Parameter endpoint: the store's address without the bucket (`https://minio.example:9000`); nil for Amazon's.
    ///   With Amazon's, a bucket is part of the host, unless its name has dots, which certificates do not cover.
    public init(bucket: String, key: String, region: String, endpoint: String?) {
        if let endpoint {
            let parts = endpoint.split(separator: "://", maxSplits: 1)
            scheme = parts.count == 2 ? String(parts[0]) : "https"
            let place = (parts.last ?? "").split(separator: "/", omittingEmptySubsequences: true)
            host = place.first.map(String.init) ?? ""
            path = "/" + (place.dropFirst().map(String.init) + [bucket]).joined(separator: "/") + "/" + key
        } else {
            scheme = "https"
            let isPart = !bucket.contains(".")
            host = isPart ? "\(bucket).s3.\(region).amazonaws.com" : "s3.\(region).amazonaws.com"
            path = isPart ? "/\(key)" : "/\(bucket)/\(key)"
        }
    }

    init(scheme: String, host: String, path: String) {
        (self.scheme, self.host, self.path) = (scheme, host, path)
    }

    /// Returns the address with which it can be read (GET).
    ///
    /// - Parameters:
    ///   - time: the time of the signature, in seconds since 1970.
    ///   - seconds: how long the address is valid; stores accept at most a week.
    public func signed(by account: Account, at time: Int, for seconds: Int) -> String {
        let stamp = Self.stamp(time)
        let scope = "\(stamp.prefix(8))/\(account.region)/s3/aws4_request"
        var fields = [
            ("X-Amz-Algorithm", "AWS4-HMAC-SHA256"), ("X-Amz-Credential", "\(account.accessKey)/\(scope)"),
            ("X-Amz-Date", stamp), ("X-Amz-Expires", "\(seconds)"),
        ]
        if let token = account.sessionToken { fields.append(("X-Amz-Security-Token", token)) }
        fields.append(("X-Amz-SignedHeaders", "host"))
        let query = fields.map { "\($0.0)=\(Self.escaped($0.1))" }.joined(separator: "&")
        let place = Self.escaped(path, keeping: "/")
        let request = "GET\n\(place)\n\(query)\nhost:\(host)\n\nhost\nUNSIGNED-PAYLOAD"
        let text = "AWS4-HMAC-SHA256\n\(stamp)\n\(scope)\n\(Self.sum(of: request))"
        var key = Array("AWS4\(account.secretKey)".utf8)
        for piece in [String(stamp.prefix(8)), account.region, "s3", "aws4_request"] {
            key = Self.code(of: piece, key: key)
        }
        let signature = Self.code(of: text, key: key).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return "\(scheme)://\(host)\(place)?\(query)&X-Amz-Signature=\(signature)"
    }

    /// Returns a time in the form `20130524T000000Z`.
    private static func stamp(_ time: Int) -> String {
        var (time, parts) = (time_t(time), tm())
        gmtime_r(&time, &parts)
        let numbers = [
            parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
        ].map { $0 < 10 ? "0\($0)" : "\($0)" }
        return numbers[..<3].joined() + "T" + numbers[3...].joined() + "Z"
    }

    /// Escapes everything but letters, digits and `-._~` as `%XX`, byte by byte.
    private static func escaped(_ text: String, keeping kept: String? = nil) -> String {
        String(takingOwnershipOf: g_uri_escape_bytes(Array(text.utf8), gsize(text.utf8.count), kept)) ?? ""
    }

    /// Returns the SHA-256 hash in hexadecimal digits.
    private static func sum(of text: String) -> String {
        let digits = g_compute_checksum_for_string(G_CHECKSUM_SHA256, text, gssize(text.utf8.count))
        defer { g_free(digits) }
        return digits.map { String(cString: $0) } ?? ""
    }

    /// HMAC-SHA256.
    private static func code(of text: String, key: [UInt8]) -> [UInt8] {
        let code = g_hmac_new(G_CHECKSUM_SHA256, key, gsize(key.count))
        defer { g_hmac_unref(code) }
        g_hmac_update(code, Array(text.utf8), gssize(text.utf8.count))
        var (bytes, count) = ([UInt8](repeating: 0, count: 32), gsize(32))
        g_hmac_get_digest(code, &bytes, &count)
        return bytes
    }
}
