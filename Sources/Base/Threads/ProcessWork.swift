internal import Glibc

/// Measures how much the program works, or would work if it got a processor.
public enum ProcessWork {
    /// The total time for which its current threads have worked or waited for a processor.
    ///
    /// Source: the kernel's `/proc/PID/task/TID/schedstat`, proc(5): nanoseconds on a processor, and waiting to get
    /// one. Without that file it is the time on a processor.
    public static var current: Duration {
        guard let folder = opendir("/proc/self/task") else { return processorTime }
        defer { closedir(folder) }
        var nanoseconds: Int64 = 0
        var isKnown = false
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard let times = times(ofThread: name) else { continue }
            nanoseconds += times
            isKnown = true
        }
        return isKnown ? .nanoseconds(nanoseconds) : processorTime
    }

    private static func times(ofThread name: String) -> Int64? {
        guard Int(name) != nil, let file = fopen("/proc/self/task/\(name)/schedstat", "r") else { return nil }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 128)
        guard fgets(&line, Int32(line.count), file) != nil else { return nil }
        let numbers = line.prefix { $0 != 0 }.split(separator: CChar(UInt8(ascii: " "))).prefix(2).map { part in
            Int64(String(decoding: part.map(UInt8.init(bitPattern:)), as: UTF8.self)) ?? 0
        }
        return numbers.count == 2 ? numbers[0] + numbers[1] : nil
    }

    /// The time that all threads of this process have worked so far.
    public static var processorTime: Duration {
        var time = timespec()
        guard clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 else { return .zero }
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
