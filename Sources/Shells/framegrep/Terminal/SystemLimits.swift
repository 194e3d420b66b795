import Engines
import Errors
import Foundation
import Threads

/// The system's limits on the resources of a program, below which this program does not start.
///
/// Libraries that get no more files or threads crash, wait forever, or report existing files as missing. So the limits
/// are checked before any library is used; code that needs more names the limit when it reaches it (``naming(_:)``).
enum SystemLimits {
    /// The number of open files of the program, and of each search in it with all of its outputs. With one search, at
    /// most 32 were counted.
    private static let files = (program: 32, search: 16)
    /// The same for threads; libraries start some for each processor. With one search and two processors, at most 26
    /// were counted.
    private static let threads = (
        program: min(48, 12 + 2 * max(1, sysconf(CInt(_SC_NPROCESSORS_ONLN)))), search: 12
    )

    /// - Parameter jobs: the number of recordings that are searched at a time.
    ///
    /// - Throws: ``FramegrepError`` (`engineUnavailable`) that names the limit.
    static func check(sideBySide jobs: Int = 1) throws(FramegrepError) {
        try AddressSpace.checkToBegin()
        let files = files.program + files.search * jobs
        let threads = threads.program + threads.search * jobs
        let use = jobs > 1 ? "for \(jobs) recordings at a time" : "to work with"
        let allowed = allow(files)
        guard allowed >= files else {
            throw FramegrepError(
                .engineUnavailable,
                "No more than \(allowed) files may be open at a time, which is too few \(use); raise the limit with 'ulimit -n \(files)' or more."
            )
        }
        guard hasThreads(threads) else {
            throw FramegrepError(
                .engineUnavailable,
                "The system allows fewer than \(threads) threads, which is too few \(use); end other programs, or raise the limit of 'ulimit -u'."
            )
        }
    }

    /// Raises the limit on open files as far as needed and permitted; returns the limit.
    private static func allow(_ files: Int) -> Int {
        let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(kind, &limit) == 0 else { return .max }
        if limit.rlim_cur < files, limit.rlim_max > limit.rlim_cur {
            var raised = limit
            raised.rlim_cur = min(rlim_t(files), limit.rlim_max)
            if setrlimit(kind, &raised) == 0 { return Int(raised.rlim_cur) }
        }
        return Int(clamping: limit.rlim_cur)
    }

    /// Checks whether this many threads can be started; they end at once.
    private static func hasThreads(_ threads: Int) -> Bool {
        let (gate, gone) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        var count = 0
        while count < threads,
            (try? DedicatedThread.start(named: "limit", stackSize: DedicatedThread.leastStackSize) {
                gate.wait()
                gone.signal()
            }) != nil
        {
            count += 1
        }
        for _ in 0..<count { gate.signal() }
        for _ in 0..<count { gone.wait() }
        return count == threads
    }

    /// Returns a message with the limit on open files named, if it contains the system's words for it.
    static func naming(_ message: String) -> String {
        guard message.contains(String(cString: strerror(EMFILE))), !message.contains("ulimit") else { return message }
        return message + (message.hasSuffix(".") ? "" : ".")
            + " Raise the limit of 'ulimit -n', or read fewer recordings at a time."
    }
}
