import Synchronization
import Threads

/// Processes items in parallel, on all processors.
enum SideBySide {
    /// Applies `body` to the items in parallel and returns the results in their order.
    ///
    /// - Parameters:
    ///   - fewest: fewer items than this are all processed on the caller's thread.
    ///   - atATime: the number of items that a thread takes at a time.
    /// - Throws: an error of `body`.
    static func map<Item: Sendable, Result: Sendable>(
        _ items: [Item], fewest: Int = 65, atATime: Int = 128, _ body: @escaping @Sendable (Item) throws -> Result
    ) throws -> [Result] {
        guard items.count >= fewest else { return try items.map(body) }
        let pieces = (items.count + atATime - 1) / atATime
        let done = Mutex([Swift.Result<[Result], any Error>?](repeating: nil, count: pieces))
        HelperThreads.shared.perform(pieces: pieces) { piece in
            let some = items[piece * atATime..<min(items.count, (piece + 1) * atATime)]
            let result = Swift.Result { try some.map(body) }
            done.withLock { $0[piece] = result }
        }
        return try done.withLock { $0 }.flatMap { try $0?.get() ?? [] }
    }

    /// Does the same, with other work in parallel, which begins first.
    ///
    /// - Throws: an error of `body`, or else of `other`.
    static func map<Item: Sendable, Result: Sendable, Other: Sendable>(
        _ items: [Item], atATime: Int = 32, beside other: @escaping @Sendable () throws -> Other,
        _ body: @escaping @Sendable (Item) throws -> Result
    ) throws -> ([Result], Other) {
        let pieces = (items.count + atATime - 1) / atATime
        let done = Mutex([Swift.Result<[Result], any Error>?](repeating: nil, count: pieces))
        let otherDone = Mutex<Swift.Result<Other, any Error>?>(nil)
        HelperThreads.shared.perform(pieces: pieces + 1) { number in
            guard number > 0 else {
                let result = Swift.Result { try other() }
                return otherDone.withLock { $0 = result }
            }
            let some = items[(number - 1) * atATime..<min(items.count, number * atATime)]
            let result = Swift.Result { try some.map(body) }
            done.withLock { $0[number - 1] = result }
        }
        let results = try done.withLock { $0 }.flatMap { try $0?.get() ?? [] }
        guard let result = otherDone.withLock({ $0 }) else { preconditionFailure("everything was done") }
        return (results, try result.get())
    }
}
