import CGStreamer
public import Errors
import Glibc
public import Processes

extension PortableArchive {
    /// Makes the libraries use the archive's files; does nothing outside of one. Programs that are started do not get these settings.
    ///
    /// Call it before there is a second thread, and before GStreamer starts.
    ///
    /// - Throws: ``FramegrepError`` (`badArgument`) if the archive lies where the libraries cannot find them.
    public static func useOwnFiles() throws(FramegrepError) {
        guard let folder else { return }
        if let problem { throw FramegrepError(.badArgument, problem) }
        func use(_ value: String, for variable: String) {
            setenv(variable, value, 1)
            Spawn.withhold(variable)
        }
        for (variable, value) in codeVariables(in: folder, cache: String(cString: g_get_user_cache_dir())) {
            use(value, for: variable)
        }
        for (variable, value) in dataVariables(in: folder) {
            // A program that took the place of a crashed one finds its own value there.
            let given = getenv(variable).map { String(cString: $0) } ?? ""
            if given.isEmpty || given == value { use(value, for: variable) }
        }
        // gdk-pixbuf asks GLib which kind of picture it has.
        (folder + "/mime").withCString { g_content_type_set_mime_dirs([$0, nil]) }
    }

    /// Variables that name code: this system's would be loaded into the program, so they never stay as they are.
    ///
    /// - Parameter cache: the folder for the list of plugins, which must not be GStreamer's own: that has this system's plugins.
    static func codeVariables(in folder: String, cache: String) -> KeyValuePairs<String, String> {
        [
            "GST_PLUGIN_SYSTEM_PATH_1_0": folder + "/gstreamer-1.0",
            "GST_PLUGIN_PATH_1_0": "",
            "GST_PLUGIN_SCANNER_1_0": folder + "/gst-plugin-scanner",
            "GST_REGISTRY_1_0": cache + "/framegrep/gstreamer.bin",
            "GIO_MODULE_DIR": folder + "/gio",
            "GIO_EXTRA_MODULES": "",
            "GDK_PIXBUF_MODULE_FILE": folder + "/pixbuf.cache",
        ]
    }

    /// Variables that name data: those of the user stay.
    static func dataVariables(in folder: String) -> KeyValuePairs<String, String> {
        ["FONTCONFIG_PATH": folder + "/fonts", "TESSDATA_PREFIX": folder + "/tessdata"]
    }
}
