import Dispatch
import Synchronization
import Threads

/// Calls on files whose disk may not respond, as a network disk whose server is gone: such a call blocks its thread
/// until the server is back.
public enum SlowDisk {
    /// The time after which a disk that answers no call is not waited for any longer; disks that must start up first
    /// take several seconds.
    public static let patience = Duration.seconds(10)
    /// For how many threads that were given up the disks still hold one up. Until all have returned, nothing else is tried
    /// there, because waiting threads would accumulate.
    private static let stalled = Mutex<[Int64: Int]>([:])

    /// Makes a call for each item, on a thread for each disk, and blocks until all have returned.
    ///
    /// - Parameters:
    ///   - disk: the number of the item's disk (``FileStamp/device``).
    ///   - patience: how long a disk may take to answer a call.
    /// - Returns: the results in the order of the items; nil for those whose disk does not respond.
    public static func map<Item: Sendable, Result: Sendable>(
        _ items: [Item], on disk: (Item) -> Int64, patience: Duration = patience,
        _ call: @escaping @Sendable (Item) -> Result
    ) -> [Result?] {
        var results = [Result?](repeating: nil, count: items.count)
        let groups = Dictionary(grouping: items.indices) { disk(items[$0]) }.map { disk, places in
            (places, Calls(places.map { items[$0] }, on: disk, call))
        }
        let running = groups.filter { _, calls in stalled.withLock { $0[calls.disk] == nil } }
        for (_, calls) in running { calls.start() }
        for (places, calls) in running {
            for (place, result) in zip(places, calls.results(patience: patience)) { results[place] = result }
        }
        return results
    }

    /// The calls on one disk.
    private final class Calls<Item: Sendable, Result: Sendable>: Sendable {
        private struct State {
            var results: [Result] = []
            var isGivenUp = false
        }

        let disk: Int64
        private let items: [Item]
        private let call: @Sendable (Item) -> Result
        private let state = Mutex(State())
        private let end = DispatchSemaphore(value: 0)

        init(_ items: [Item], on disk: Int64, _ call: @escaping @Sendable (Item) -> Result) {
            (self.items, self.disk, self.call) = (items, disk, call)
        }

        func start() {
            // Without a thread, the caller waits for the disk itself.
            do { try DedicatedThread.start(named: "framegrep-disk") { self.run() } } catch { run() }
        }

        private func run() {
            for item in items {
                let result = call(item)
                let isGivenUp = state.withLock { state in
                    state.results.append(result)
                    if state.isGivenUp { Self.count(-1, disk) }
                    return state.isGivenUp
                }
                if isGivenUp { return }
            }
            end.signal()
        }

        private static func count(_ change: Int, _ disk: Int64) {
            stalled.withLock {
                let count = $0[disk, default: 0] + change
                $0[disk] = count == 0 ? nil : count
            }
        }

        /// Waits for the results, as long as there are more from time to time.
        func results(patience: Duration) -> [Result] {
            let (seconds, rest) = patience.components
            var known = 0
            while end.wait(timeout: .now() + Double(seconds) + Double(rest) / 1e18) == .timedOut {
                let isStuck = state.withLock { state in
                    state.isGivenUp = state.results.count == known && known < items.count
                    known = state.results.count
                    if state.isGivenUp { Self.count(1, disk) }
                    return state.isGivenUp
                }
                if isStuck { break }
            }
            return state.withLock { $0.results }
        }
    }
}
