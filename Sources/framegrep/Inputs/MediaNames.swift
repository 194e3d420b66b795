/// Names of files that are certainly recordings or pictures, by their ending.
enum MediaNames {
    private static let endings: Set<String> = [
        "mp4", "m4v", "mov", "mkv", "webm", "avi", "mpg", "mpeg", "vob", "flv", "ogv", "wmv", "3gp", "mxf", "m2ts",
        "mts",
        "png", "jpg", "jpeg", "webp", "bmp", "tif", "tiff", "gif", "heic", "avif",
    ]

    static func isMedia(_ name: String) -> Bool {
        guard let mark = name.lastIndex(of: "."), mark > name.startIndex else { return false }
        return endings.contains(name[name.index(after: mark)...].lowercased())
    }
}
