/// A plugin that is not installed, as GStreamer describes it.
struct MissingPlugin: Sendable, Hashable {
    /// GStreamer's description of it, in the user's language: `H.265 decoder`.
    let description: String
    /// Its function, in a form for programs: `decoder-video/x-h265, level=(string)3.1`, `urisource-srt`.
    private let purpose: String

    init(description: String) {
        self.description = description
        purpose = ""
    }

    /// Returns nil if it is not one of GStreamer's installer details:
    /// `gstreamer|1.0|program|description|decoder-video/x-h265, ...`.
    init?(installerDetail: String) {
        let fields = installerDetail.split(separator: "|", omittingEmptySubsequences: false)
        guard fields.count >= 5 else { return nil }
        (description, purpose) = (String(fields[3]), fields[4...].joined(separator: "|"))
    }

    /// Whether it would open a kind of address.
    var isSource: Bool { purpose.hasPrefix("urisource-") }

    /// The format that it would decode, such as `video/x-h265`; nil if it is not a decoder.
    var format: String? {
        guard purpose.hasPrefix("decoder-") else { return nil }
        return String(purpose.dropFirst("decoder-".count).prefix { $0 != "," && $0 != " " })
    }

    /// Whether the picture can be decoded without it.
    var isOptional: Bool { format.map { ["audio/", "text/", "subpicture/"].contains(where: $0.hasPrefix) } ?? false }

    /// Whether its format is a container, which contains streams.
    var isContainer: Bool {
        ["video/quicktime", "video/x-matroska", "video/webm", "video/x-msvideo", "video/x-flv", "application/ogg"]
            .contains(format)
    }
}
