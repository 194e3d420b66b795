/// The media type of a file for browsers: by the ending of its name, from a list.
///
/// Files that are not on the list are served as bytes, which browsers do not show (`nosniff`): a file whose name ends in `.html` or `.svg`
/// never becomes a page with the rights of this one.
enum MediaType {
    static func of(fileNamed name: String) -> String {
        guard let dot = name.lastIndex(of: "."), !name[dot...].contains("/") else { return unknown }
        return known[name[name.index(after: dot)...].lowercased()] ?? unknown
    }

    static let unknown = "application/octet-stream"

    private static let known = [
        "mp4": "video/mp4", "m4v": "video/mp4", "mov": "video/mp4", "webm": "video/webm", "mkv": "video/webm",
        "ogv": "video/ogg", "ogg": "video/ogg",
        "jpg": "image/jpeg", "jpeg": "image/jpeg", "png": "image/png", "webp": "image/webp", "gif": "image/gif",
        "bmp": "image/bmp", "avif": "image/avif",
    ]
}
