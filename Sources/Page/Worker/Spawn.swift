import Foundation

/// Starting other programs.
enum Spawn {
    /// The words as a C array that ends in NULL, while `body` runs.
    static func withArguments<Result>(
        _ words: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        let copies = words.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return (copies + [nil]).withUnsafeBufferPointer { buffer in
            // An array with an element has a base address.
            buffer.baseAddress.map(body) ?? withUnsafePointer(to: nil, body)
        }
    }

    /// A pipe of which no other program gets an end; nil with `errno` where there is none.
    static func pipe() -> (read: Int32, write: Int32)? {
        var ends: [Int32] = [-1, -1]
        guard Foundation.pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }
}
