import ArgumentParser
import GStreamerMedia

/// Options on which other sources are allowed, and where they may lead: shared by `find` and `live`.
struct TrustOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Open addresses of this kind too, and let sources lead to them: a scheme such as udp, or private.",
            discussion: """
                Without it, files, http, https and rtsp are opened; a list on the network (HLS, DASH) leads to http and https \
                only, and to addresses of private networks only when it came from one; a list in a file leads to files. May \
                be given several times.
                """, valueName: "kind"),
        completion: Completions.addressKinds)
    var allow: [String] = []

    /// In small letters.
    var allowed: Set<String> { Set(allow.map { $0.lowercased() }) }

    func validate() throws {
        for kind in allow where !Self.isScheme(kind) {
            throw ValidationError("--allow takes a scheme such as udp or file, or private; '\(kind)' is none.")
        }
    }

    /// Has the rules hold from now on.
    func enforce() throws { try SourceGuard.enforce(allowing: allowed) }

    private static func isScheme(_ text: String) -> Bool {
        let isFirstLetter = text.first.map { $0.isASCII && $0.isLetter } ?? false
        return isFirstLetter && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
    }
}
