import Dispatch
import Synchronization

/// Does the same with many things on all processors.
enum SideBySide {
    /// Applies `body` to the items in parallel and returns the results in their order.
    ///
    /// - Parameters:
    ///   - fewest: of fewer items all are done on the caller's thread alone.
    ///   - atATime: how many items are done one after the other.
    /// - Throws: an error of `body`.
    static func map<Item: Sendable, Result: Sendable>(
        _ items: [Item], fewest: Int = 65, atATime: Int = 128, _ body: @escaping @Sendable (Item) throws -> Result
    ) throws -> [Result] {
        guard items.count >= fewest else { return try items.map(body) }
        let pieces = (items.count + atATime - 1) / atATime
        let done = Mutex([Swift.Result<[Result], any Error>?](repeating: nil, count: pieces))
        DispatchQueue.concurrentPerform(iterations: pieces) { piece in
            let some = items[piece * atATime..<min(items.count, (piece + 1) * atATime)]
            let result = Swift.Result { try some.map(body) }
            done.withLock { $0[piece] = result }
        }
        return try done.withLock { $0 }.flatMap { try $0?.get() ?? [] }
    }
}
