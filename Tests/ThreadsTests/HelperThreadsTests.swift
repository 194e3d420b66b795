import Glibc
import Synchronization
import Testing

@testable import Threads

@Suite("Threads that help with work")
struct HelperThreadsTests {
    @Test("each piece is done once, by the caller too, with any number of threads", arguments: [0, 1, 3])
    func pieces(width: Int) {
        let helpers = HelperThreads(width: width)
        for count in [0, 1, 2, 100] {
            let done = Mutex([Int](repeating: 0, count: count))
            helpers.perform(pieces: count) { piece in done.withLock { $0[piece] += 1 } }
            #expect(done.withLock { $0 } == [Int](repeating: 1, count: count))
        }
    }

    /// Each waits until the other has begun.
    @Test("two pieces run at the same time")
    func atTheSameTime() {
        let begun = Atomic<Int>(0)
        HelperThreads(width: 1).perform(pieces: 2) { _ in
            begun.wrappingAdd(1, ordering: .relaxed)
            while begun.load(ordering: .relaxed) < 2 { usleep(100) }
        }
        #expect(begun.load(ordering: .relaxed) == 2)
    }

    /// Otherwise callers within pieces would wait for threads that wait for them.
    @Test("pieces may ask for help")
    func nested() {
        let helpers = HelperThreads(width: 2)
        let count = Atomic<Int>(0)
        helpers.perform(pieces: 10) { _ in
            helpers.perform(pieces: 10) { _ in
                helpers.perform(pieces: 10) { _ in count.wrappingAdd(1, ordering: .relaxed) }
            }
        }
        #expect(count.load(ordering: .relaxed) == 1_000)
    }

    /// An index that is closed after a search would stay locked otherwise.
    @Test("what the work needs is let go when it is done, although a thread finds the job only later")
    func nothingIsHeld() {
        final class Needed: Sendable { let count = Atomic<Int>(0) }
        let helpers = HelperThreads(width: 1)
        let begun = Atomic<Int>(0)
        let isDone = Atomic<Bool>(false)
        helpers.perform(pieces: 2) { piece in
            // Both threads are busy, so the inner job waits for the one that has the other piece.
            begun.wrappingAdd(1, ordering: .relaxed)
            while begun.load(ordering: .relaxed) < 2 { usleep(100) }
            guard piece == 0 else {
                while !isDone.load(ordering: .acquiring) { usleep(100) }
                return
            }
            weak var held: Needed?
            do {
                let needed = Needed()
                held = needed
                helpers.perform(pieces: 2) { _ in needed.count.wrappingAdd(1, ordering: .relaxed) }
                #expect(needed.count.load(ordering: .relaxed) == 2)
            }
            #expect(held == nil)
            isDone.store(true, ordering: .releasing)
        }
    }
}
