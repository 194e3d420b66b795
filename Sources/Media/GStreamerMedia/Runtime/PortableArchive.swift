import CGStreamer
import Glibc
import Processes

/// The archive that `scripts/package --portable` makes: the program with the libraries that it needs, and their
/// plugins, fonts and language data beside it.
///
/// The libraries come from Debian and look for these files where Debian installs them. On other systems these files are
/// missing there, or belong to other releases of the libraries.
public enum PortableArchive {
    /// The archive's folder for libraries, `lib/framegrep`; nil if the program is not in such an archive.
    public static let folder: String? = {
        guard let path = realpath("/proc/self/exe", nil) else { return nil }
        defer { free(path) }
        return folder(ofProgram: String(cString: path))
    }()

    /// Makes the libraries use the archive's files; does nothing outside an archive. Programs that are started do not
    /// get these settings.
    ///
    /// Call it before there is a second thread, and before GStreamer starts.
    public static func useOwnFiles() {
        guard let folder else { return }
        func use(_ value: String, for variable: String) {
            setenv(variable, value, 1)
            Spawn.withhold(variable)
        }
        for (variable, value) in code(in: folder, cache: String(cString: g_get_user_cache_dir())) {
            use(value, for: variable)
        }
        for (variable, value) in data(in: folder) {
            // A program that replaces a crashed one finds its own value there.
            let given = getenv(variable).map { String(cString: $0) } ?? ""
            if given.isEmpty || given == value { use(value, for: variable) }
        }
        // gdk-pixbuf uses GLib to identify the kind of a picture.
        (folder + "/mime").withCString { g_content_type_set_mime_dirs([$0, nil]) }
    }

    /// - Parameter program: its path without links: `bin/framegrep` or `libexec/framegrep/framegrep-serve` of the archive.
    static func folder(ofProgram program: String) -> String? {
        let parts = program.split(separator: "/").dropLast()
        for place in [["bin"], ["libexec", "framegrep"]] where parts.suffix(place.count).elementsEqual(place, by: ==) {
            let folder = (parts.dropLast(place.count) + ["lib", "framegrep"]).map { "/" + $0 }.joined()
            if isTrusted(folder, of: program), isTrusted(folder + "/gstreamer-1.0", of: program) { return folder }
        }
        return nil
    }

    /// Returns whether a folder is there and no other user could have put code into it: it belongs to root, to this user
    /// or to the owner of the program, and is not writable for all users.
    private static func isTrusted(_ folder: String, of program: String) -> Bool {
        var (status, own) = (stat(), stat())
        guard stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_mode & S_IWOTH == 0 else {
            return false
        }
        return [0, geteuid()].contains(status.st_uid) || stat(program, &own) == 0 && own.st_uid == status.st_uid
    }

    /// Variables that name code: this system's would be loaded into the program, so they never stay as they are.
    ///
    /// - Parameter cache: the folder for the list of plugins, which must not be GStreamer's own: that has this system's plugins.
    static func code(in folder: String, cache: String) -> KeyValuePairs<String, String> {
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

    /// Variables that name data; those set by the user take precedence.
    static func data(in folder: String) -> KeyValuePairs<String, String> {
        ["FONTCONFIG_PATH": folder + "/fonts", "TESSDATA_PREFIX": folder + "/tessdata"]
    }
}
