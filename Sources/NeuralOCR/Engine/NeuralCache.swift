import Glibc

/// Where OpenVINO's compiled networks are kept between runs.
enum NeuralCache {
    /// `$XDG_CACHE_HOME/framegrep/openvino`, or under `~/.cache`; nil when neither is known.
    static func standardFolder() -> String? {
        for (name, rest) in [("XDG_CACHE_HOME", "/framegrep/openvino"), ("HOME", "/.cache/framegrep/openvino")] {
            // The XDG base directory specification says that relative paths are to be ignored.
            if let base = getenv(name).map({ String(cString: $0) }), base.hasPrefix("/") { return base + rest }
        }
        return nil
    }

    /// `folder` when it is there, or could be made, and can be written to; else nil.
    static func usable(_ folder: String?) -> String? {
        guard let folder, folder.hasPrefix("/") else { return nil }
        var path = ""
        for part in folder.split(separator: "/") {
            path += "/" + part
            mkdir(path, 0o700)
        }
        return access(folder, W_OK | X_OK) == 0 ? folder : nil
    }
}
