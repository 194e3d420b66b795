import Glibc

/// The archive that `scripts/package --portable` makes: the program with the libraries that it needs, and their plugins, fonts and language
/// data beside it.
///
/// The libraries come from Debian and look for these files where Debian has them. On other systems nothing is there, or files that belong
/// to other releases of the libraries.
public enum PortableArchive {
    /// The archive's folder for libraries, `lib/framegrep`; nil if the program does not lie in such an archive.
    public static let folder: String? = bytes.map { String(decoding: $0, as: UTF8.self) }

    /// Why the libraries cannot find their files in the archive, as a sentence; nil if they can.
    public static let problem: String? = bytes.flatMap(problem(ofFolder:))

    /// Names of files are bytes, and may be no text.
    private static let bytes: [UInt8]? = {
        guard let path = realpath("/proc/self/exe", nil) else { return nil }
        defer { free(path) }
        return folder(ofProgram: Array(UnsafeRawBufferPointer(start: path, count: strlen(path))))
    }()

    /// Returns how to get a part of GStreamer that is missing, as a sentence. The archive uses none of the system's plugins.
    ///
    /// - Parameter ordinary: the sentence for a program that was installed or built, which names a package.
    public static func advice(_ ordinary: String, isArchive: Bool = folder != nil) -> String {
        guard isArchive else { return ordinary }
        return "The portable archive does not contain it. If you install framegrep from its Debian packages or from a "
            + "checkout, it uses the plugins of your system (docs/INSTALL.md)."
    }

    /// - Parameter program: its path without links: `bin/framegrep` or `libexec/framegrep/framegrep-serve` of the archive.
    static func folder(ofProgram program: [UInt8]) -> [UInt8]? {
        let slash = UInt8(ascii: "/")
        let parts = program.split(separator: slash).dropLast()
        for place in [["bin"], ["libexec", "framegrep"]] {
            guard parts.suffix(place.count).elementsEqual(place, by: { $0.elementsEqual($1.utf8) }) else { continue }
            let prefix = parts.dropLast(place.count).flatMap { [slash] + $0 }
            let folder = prefix + Array("/lib/framegrep".utf8)
            if isTrusted(folder, of: program), isTrusted(folder + Array("/gstreamer-1.0".utf8), of: program) {
                return folder
            }
        }
        return nil
    }

    /// The libraries read lists of folders, with colons between them, and the program reads paths as text.
    static func problem(ofFolder folder: [UInt8]) -> String? {
        let path = String(validating: folder, as: UTF8.self)
        guard path == nil || folder.contains(UInt8(ascii: ":")) else { return nil }
        let reason = path == nil ? "is not valid UTF-8" : "contains a colon"
        return "The portable archive cannot find its own files, because its path \(reason): "
            + "\(String(decoding: folder, as: UTF8.self)). Rename the folder, or move the archive to another one."
    }

    /// Returns whether a folder is there and no other user could have put code into it: it belongs to root, to this user
    /// or to the owner of the program, and is not writable for all users.
    private static func isTrusted(_ folder: [UInt8], of program: [UInt8]) -> Bool {
        guard let status = status(of: folder), status.st_mode & S_IFMT == S_IFDIR, status.st_mode & S_IWOTH == 0 else {
            return false
        }
        return [0, geteuid()].contains(status.st_uid) || self.status(of: program)?.st_uid == status.st_uid
    }

    private static func status(of path: [UInt8]) -> stat? {
        var status = stat()
        return stat((path + [0]).map(CChar.init(bitPattern:)), &status) == 0 ? status : nil
    }
}
