internal import CProcesses
internal import Glibc

/// The processors of the machine.
public enum Processors {
    /// How many this process may use at once, at least 1: those of its affinity (`taskset`), or fewer if the quota of a
    /// control group, which limits containers, is lower.
    public static let usable = usable(affinity: ofAffinity, quotas: ControlGroups.values(of: "cpu.max"))

    /// - Parameters:
    ///   - affinity: how many processors the process may run on.
    ///   - quotas: of its control groups, as `cpu.max` has them: microseconds of processor time in a period, and the period (Linux,
    ///     Documentation/admin-guide/cgroup-v2.rst).
    static func usable(affinity: Int, quotas: [String]) -> Int {
        let limits = quotas.compactMap { quota -> Int? in
            let numbers = quota.split(whereSeparator: \.isWhitespace).map { Int($0) }
            // Without a limit the first one is the word "max".
            guard numbers.count == 2, let time = numbers[0], let period = numbers[1], time > 0, period > 0 else {
                return nil
            }
            return (time + period - 1) / period
        }
        return max(1, min(affinity, limits.min() ?? affinity))
    }

    /// Foundation's `activeProcessorCount` also counts processors that this process may not use.
    private static var ofAffinity: Int {
        var set = cpu_set_t()
        // This fails if Linux is built for more processors than the set has bits: 1024.
        guard sched_getaffinity(0, MemoryLayout<cpu_set_t>.size, &set) == 0 else {
            return sysconf(CInt(_SC_NPROCESSORS_ONLN))
        }
        return withUnsafeBytes(of: set) { $0.reduce(0) { $0 + $1.nonzeroBitCount } }
    }
}

/// The memory of the machine.
public enum MachineMemory {
    /// How many bytes this process may use: those of the machine, or fewer if a control group limits it.
    public static let usable = usable(installed: installed, limits: ControlGroups.values(of: "memory.max"))

    /// - Parameters:
    ///   - installed: in bytes.
    ///   - limits: of its control groups, as `memory.max` has them: bytes, or the word "max".
    static func usable(installed: Int, limits: [String]) -> Int {
        let least = limits.compactMap { Int($0.prefix { !$0.isWhitespace }) }.filter { $0 > 0 }.min()
        return min(installed, least ?? installed)
    }

    private static var installed: Int { max(0, sysconf(CInt(_SC_PHYS_PAGES))) * max(0, sysconf(CInt(_SC_PAGESIZE))) }
}

/// The control groups of the process, which limit containers.
private enum ControlGroups {
    /// The values of a file such as `cpu.max` in the process's group and all above it, as far as they can be read.
    static func values(of name: String) -> [String] {
        // In the second version of control groups the line begins with "0::".
        guard
            let line = text(ofFile: "/proc/self/cgroup")?.split(separator: "\n").first(where: { $0.hasPrefix("0::") })
        else { return [] }
        var folders = line.dropFirst(3).split(separator: "/")
        var found: [String] = []
        while true {
            let path = (["/sys/fs/cgroup"] + folders.map(String.init) + [name]).joined(separator: "/")
            if let value = text(ofFile: path) { found.append(value) }
            guard folders.popLast() != nil else { return found }
        }
    }

    /// Returns the beginning of a small file.
    private static func text(ofFile path: String) -> String? {
        guard let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}
