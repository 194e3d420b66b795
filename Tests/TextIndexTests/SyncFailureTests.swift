import Errors
import Foundation
import Testing
import TextSpotting

@testable import TextIndex

/// Data that the disk did not accept does not count as written; a file system that cannot sync at all is not an error.
@Suite struct SyncFailureTests {
    private let folder = IndexTestFolder()

    /// Runs on a separate thread, for which the kernel refuses fsync (seccomp).
    private func run(refusing reason: Int32, _ body: @escaping @Sendable () throws -> Void) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            Thread {
                continuation.resume(
                    with: Result {
                        try Self.refuseSync(reason)
                        try body()
                    })
            }.start()
        }
    }

    private static func refuseSync(_ reason: Int32) throws {
        #if arch(x86_64)
            let fsync: UInt64 = 74
        #else
            let fsync: UInt64 = 82
        #endif
        /// A `sock_filter`: the operation, the jumps if it holds and if not, and a number.
        func step(_ code: UInt64, _ then: UInt64, _ otherwise: UInt64, _ number: UInt64) -> UInt64 {
            code | then << 16 | otherwise << 24 | number << 32
        }
        // Load the number of the system call; if it is fsync, return the error, else continue.
        let steps = [
            step(0x20, 0, 0, 0), step(0x15, 0, 1, fsync), step(0x06, 0, 0, 0x5_0000 | UInt64(reason)),
            step(0x06, 0, 0, 0x7FFF_0000),
        ]
        // Swift cannot call functions with a variable number of arguments.
        typealias Control = @convention(c) (Int32, UInt, UInt, UInt, UInt) -> Int32
        let prctl = unsafeBitCast(try #require(dlsym(nil, "prctl")), to: Control.self)
        let isDone = steps.withUnsafeBufferPointer { steps in
            let program = [UInt(steps.count), UInt(bitPattern: steps.baseAddress)]
            return program.withUnsafeBufferPointer {
                // PR_SET_NO_NEW_PRIVS, then PR_SET_SECCOMP with a filter.
                prctl(38, 1, 0, 0, 0) == 0 && prctl(22, 2, UInt(bitPattern: $0.baseAddress), 0, 0) == 0
            }
        }
        try #require(isDone)
    }

    @Test(arguments: [EIO, ENOSPC, EDQUOT])
    func whatTheDiskDoesNotTakeIsReported(_ reason: Int32) async throws {
        let index = try folder.folder()
        let (file, result, new) = (index.path + "/file", index.path + "/result", index.path + "/new")
        try Disk.makeFolder(index.damaged)
        try Data("damaged".utf8).write(to: URL(fileURLWithPath: file))
        try await run(refusing: reason) {
            for attempt in [
                { try Disk.seal(file, as: result) }, { try Disk.makeFolder(new + "/in it") },
                { try UnitFile.place(file, as: result) }, { _ = try index.setAside(file) },
            ] {
                let error = #expect(throws: FramegrepError.self) { try attempt() }
                #expect(error?.message.contains(String(cString: strerror(reason))) == true, "\(error?.message ?? "")")
            }
        }
        // There is nothing that the next program would consider finished.
        #expect(try FileManager.default.subpathsOfDirectory(atPath: index.path).sorted() == ["damaged", "file"])
    }

    private static let source = IndexedSource(
        id: .drawn(), name: "recording", manner: "made up", stamp: nil, digest: nil, state: .complete, end: .zero)

    /// SQLite itself ignores whether the folder with its new journal could be synced.
    @Test(arguments: [EIO, ENOSPC])
    func aTransactionWhoseJournalMayBeMissingIsReported(_ reason: Int32) async throws {
        let index = try TextIndex.forWriting(try folder.folder())
        try await run(refusing: reason) {
            let error = #expect(throws: FramegrepError.self) { try index.put(Self.source) }
            #expect(error?.code == .outputFailed)
        }
        #expect(try index.sources().isEmpty)
        try index.put(Self.source)
        #expect(try index.sources().map(\.name) == ["recording"])
    }

    @Test(arguments: [EINVAL, ENOTSUP])
    func aFileSystemThatCannotSyncIsUsed(_ reason: Int32) async throws {
        let index = try folder.folder()
        try Disk.makeFolder(index.path)
        try Data("damaged".utf8).write(to: URL(fileURLWithPath: index.path + "/new"))
        try await run(refusing: reason) {
            try Disk.makeFolder(index.path + "/segments")
            try Disk.seal(index.path + "/new", as: index.path + "/file")
            #expect(try index.setAside(index.path + "/file") == index.damaged + "/file")
            try TextIndex.forWriting(index).put(Self.source)
        }
    }
}
