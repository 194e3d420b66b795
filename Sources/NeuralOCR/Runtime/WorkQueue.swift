import Glibc
import TextSpotting

/// The jobs that wait for the engine's threads, first in, first out.
// Everything is read and written between lock() and unlock() of the one mutex.
final class WorkQueue: @unchecked Sendable {
    struct Item: Sendable {
        /// How many times `run` is to be called, with 0, 1, 2 …
        var pieces: Int
        /// Whether its pieces wait until every thread is idle, and nothing starts beside them.
        var alone: Bool
        var run: @Sendable (Int) -> Void
    }

    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var waiting: [Item] = []
    /// The next piece of the first of `waiting`.
    private var nextPiece = 0
    private var running = 0
    private var runsAlone = false
    private var isClosed = false

    private let givesWay: Bool

    init(givesWay: Bool) {
        self.givesWay = givesWay
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(changed, nil)
    }

    deinit {
        pthread_cond_destroy(changed)
        pthread_mutex_destroy(mutex)
        changed.deallocate()
        mutex.deallocate()
    }

    func append(_ item: Item) {
        pthread_mutex_lock(mutex)
        waiting.append(item)
        pthread_cond_broadcast(changed)
        pthread_mutex_unlock(mutex)
    }

    /// Lets the threads end once all that waits is done.
    func close() {
        pthread_mutex_lock(mutex)
        isClosed = true
        pthread_cond_broadcast(changed)
        pthread_mutex_unlock(mutex)
    }

    /// Does what comes until the queue is closed: the body of each thread.
    func runUntilClosed() {
        if givesWay { ThreadPriority.giveWay() }
        while let (item, piece) = take() {
            item.run(piece)
            pthread_mutex_lock(mutex)
            running -= 1
            runsAlone = false
            pthread_cond_broadcast(changed)
            pthread_mutex_unlock(mutex)
        }
    }

    /// Waits for the next piece that may run now; nil when there will be none.
    private func take() -> (Item, Int)? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let item = waiting.first, !runsAlone, !item.alone || running == 0 {
                let piece = nextPiece
                running += 1
                runsAlone = item.alone
                nextPiece += 1
                if nextPiece == item.pieces {
                    waiting.removeFirst()
                    nextPiece = 0
                }
                return (item, piece)
            }
            if waiting.isEmpty && isClosed { return nil }
            pthread_cond_wait(changed, mutex)
        }
    }
}
