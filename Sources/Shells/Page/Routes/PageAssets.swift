/// The files of the page itself, which are part of the program.
enum PageAssets {
    private static let files: [String: (type: String, bytes: [UInt8])] = [
        "/": ("text/html; charset=utf-8", PackageResources.index_html),
        "/page.css": ("text/css; charset=utf-8", PackageResources.page_css),
        "/app.js": ("text/javascript; charset=utf-8", PackageResources.app_js),
        "/session.js": ("text/javascript; charset=utf-8", PackageResources.session_js),
        "/start.js": ("text/javascript; charset=utf-8", PackageResources.start_js),
        "/api.js": ("text/javascript; charset=utf-8", PackageResources.api_js),
        "/results.js": ("text/javascript; charset=utf-8", PackageResources.results_js),
        "/boxes.js": ("text/javascript; charset=utf-8", PackageResources.boxes_js),
        "/live.js": ("text/javascript; charset=utf-8", PackageResources.live_js),
        "/stream.js": ("text/javascript; charset=utf-8", PackageResources.stream_js),
        "/tile.js": ("text/javascript; charset=utf-8", PackageResources.tile_js),
        "/player.js": ("text/javascript; charset=utf-8", PackageResources.player_js),
        "/redact.js": ("text/javascript; charset=utf-8", PackageResources.redact_js),
        "/voice.js": ("text/javascript; charset=utf-8", PackageResources.voice_js),
        "/microphone.js": ("text/javascript; charset=utf-8", PackageResources.microphone_js),
        "/timeline.js": ("text/javascript; charset=utf-8", PackageResources.timeline_js),
        "/format.js": ("text/javascript; charset=utf-8", PackageResources.format_js),
        "/icon.svg": ("image/svg+xml", PackageResources.icon_svg),
    ]

    /// The size of all files together, in bytes; a test keeps it small.
    static var weight: Int { files.values.reduce(0) { $0 + $1.bytes.count } }
    static var paths: [String] { files.keys.sorted() }

    /// Returns nil if there is no such file.
    static func answer(_ request: PageRequest) -> PageResponse? {
        guard let file = files[request.path] else { return nil }
        let tag = "\"\(String(hash(file.bytes), radix: 36))\""
        let headers = [("Content-Type", file.type), ("ETag", tag), ("Cache-Control", "no-cache")]
        guard request.header("if-none-match") != tag else { return PageResponse(status: 304, headers: headers) }
        return PageResponse(status: 200, headers: headers, body: .bytes(file.bytes))
    }

    /// Returns the FNV-1a hash.
    private static func hash(_ bytes: [UInt8]) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}
