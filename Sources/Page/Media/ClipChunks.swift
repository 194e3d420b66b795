import Foundation

/// A clip while another process writes it. Ends the process with the last reference.
final class ClipChunks: ChunkSource {
    private let process: WorkerProcess

    /// - Parameter manager: where the process that decodes comes from.
    init(_ manager: ClipManager, _ job: MediaJob) async throws {
        let process = try manager.process()
        let line = try job.line()
        guard try await Blocking.run({ _ in PipeBytes.write(line, to: process.input) }) else {
            throw PageProblem(500, "The recording cannot be decoded here.")
        }
        self.process = process
        manager.prepareNext()
    }

    func next() async throws -> [UInt8]? {
        try await withTaskCancellationHandler {
            let bytes = try await Blocking.run { [process] _ in PipeBytes.readSome(64 << 10, from: process.output) }
            return bytes.flatMap { $0.isEmpty ? nil : $0 }
        } onCancel: {
            process.end()
        }
    }
}
