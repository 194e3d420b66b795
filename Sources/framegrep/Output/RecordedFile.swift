import Foundation

/// The file of `--record`, which is no video when no frame came: an MP4 without a frame is one that players refuse.
struct RecordedFile {
    let path: String
    /// What was there before, which stays where nothing was written.
    private let before: Stamp?

    /// To be made before the recording begins.
    init(_ path: String) {
        self.path = path
        before = Stamp(of: path)
    }

    /// Takes the file away that a recording without frames has left. Devices and pipes stay, and so does a file that was
    /// there before and was not opened.
    ///
    /// - Returns: whether there was one.
    func removeWithoutFrames() -> Bool {
        guard let now = Stamp(of: path), now != before else { return false }
        return unlink(path) == 0
    }

    /// What tells a regular file from the same one written to.
    private struct Stamp: Equatable {
        let inode: UInt
        let size: Int
        let seconds: Int
        let nanoseconds: Int

        /// Nil for what is no regular file, or not there.
        init?(of path: String) {
            var status = stat()
            guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
            inode = UInt(status.st_ino)
            size = Int(status.st_size)
            (seconds, nanoseconds) = (Int(status.st_mtim.tv_sec), Int(status.st_mtim.tv_nsec))
        }
    }
}
