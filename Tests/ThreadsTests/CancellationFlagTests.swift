import Synchronization
import Testing
import Threads

@Suite("Stopping work in the middle")
struct CancellationFlagTests {
    @Test("setting the flag stops what runs, and only that")
    func stops() throws {
        let flag = CancellationFlag()
        let stopped = Mutex<[String]>([])
        try flag.withStop {
            stopped.withLock { $0.append("ended") }
        } _: {
        }
        try flag.withStop {
            stopped.withLock { $0.append("running") }
        } _: {
            flag.cancel()
            #expect(stopped.withLock { $0 } == ["running"])
        }
        #expect(stopped.withLock { $0 } == ["running"])
    }

    @Test("nothing begins once the flag is set")
    func refuses() {
        let flag = CancellationFlag()
        flag.cancel()
        #expect(throws: CancellationError.self) {
            try flag.withStop {
            } _: {
                Issue.record("it began")
            }
        }
        #expect(throws: CancellationError.self) { try flag.check() }
    }

    @Test("what the work throws goes to the caller, and is stopped no more")
    func throwsOn() {
        struct Odd: Error {}
        let flag = CancellationFlag()
        let stopped = Atomic<Bool>(false)
        #expect(throws: Odd.self) {
            try flag.withStop {
                stopped.store(true, ordering: .relaxed)
            } _: {
                throw Odd()
            }
        }
        flag.cancel()
        let wasStopped = stopped.load(ordering: .relaxed)
        #expect(!wasStopped)
    }
}
