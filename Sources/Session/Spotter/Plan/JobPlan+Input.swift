import Foundation
package import Processes

/// How a plan reaches the process that carries it out: on its standard input, because every user of the machine can see
/// a command line, and because JSON has every name of a file, also one that is no text.
extension JobPlan {
    /// The only argument of such a process.
    package static let option = "--job-from-standard-input"

    /// Starts a process that carries it out.
    ///
    /// - Parameter program: the path of `framegrep`.
    package func start(
        _ program: String, output: ChildProcess.Stream, errors: ChildProcess.Stream
    ) throws(Spawn.Failure) -> ChildProcess {
        guard let input = input() else { throw Spawn.Failure(reason: errno) }
        defer { close(input) }
        return try ChildProcess(
            program, ["framegrep", Self.option], input: .descriptor(input), output: output, errors: errors)
    }

    /// Makes the standard input of such a process: a file in memory, so that the process can read it again if it begins
    /// anew after a crash.
    ///
    /// - Returns: a descriptor, which the caller must close; nil with `errno` if the system has no room for it.
    func input() -> Int32? {
        guard let bytes = try? JSONEncoder().encode(self) else { return nil }
        return PipeBytes.file(of: Array(bytes), label: "framegrep-job")
    }

    /// Reads the plan of this process; nil if its standard input is none.
    package init?(fromInput descriptor: Int32 = STDIN_FILENO) {
        // It may have been read before a crash. Afterwards it is at its end, so that nothing takes it for a recording.
        guard lseek(descriptor, 0, SEEK_SET) == 0,
            let bytes = try? FileHandle(fileDescriptor: descriptor, closeOnDealloc: false).readToEnd(),
            let plan = try? JSONDecoder().decode(JobPlan.self, from: bytes)
        else { return nil }
        self = plan
    }
}
