import Glibc

/// Reads and writes files as a whole.
enum WholeFile {
    /// All bytes of an open file, from its beginning; nil if it cannot be read.
    static func read(_ descriptor: CInt) -> [UInt8]? {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_size >= 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        let isWhole = bytes.withUnsafeMutableBytes { bytes in
            var done = 0
            while done < bytes.count {
                let count = pread(descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done, off_t(done))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                done += count
            }
            return true
        }
        return isWhole ? bytes : nil
    }

    /// Writes all bytes; false if that fails.
    static func write(_ bytes: [UInt8], to descriptor: CInt) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var done = 0
            while done < bytes.count {
                let count = Glibc.write(descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                done += count
            }
            return true
        }
    }
}
