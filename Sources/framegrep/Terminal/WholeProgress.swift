import Foundation
import Synchronization
import TextSpotting

/// Estimates the remaining time of several inputs by how many of their bytes are read: a recording's length is unknown before it is opened.
/// Thread-safe.
final class WholeProgress: Sendable {
    /// One of the inputs.
    struct Part: Sendable {
        let whole: WholeProgress
        let index: Int

        /// - Parameter fraction: how much of the input is read, from 0 to 1.
        func update(_ fraction: Double) { whole.update(index, fraction) }
        /// The input is read, or cannot be.
        func end() { whole.update(index, 1) }
        /// In seconds; nil if that is not known yet.
        var remaining: Double? { whole.remaining(after: ContinuousClock.now - whole.begun) }
    }

    /// Nothing is said before this many seconds: the engine is loaded then.
    private static let least = 3.0

    private let sizes: [Double]
    private let begun = ContinuousClock.now
    private let fractions: Mutex<[Double]>

    /// - Parameter sizes: of the inputs in bytes. Nil for those without one: an address, a pipe.
    /// - Returns: nil if nothing can be said.
    init?(sizes: [Int64?]) {
        let known = sizes.compactMap { $0 }
        guard sizes.count > 1, known.count == sizes.count, known.contains(where: { $0 > 0 }) else { return nil }
        self.sizes = known.map(Double.init)
        fractions = Mutex([Double](repeating: 0, count: known.count))
    }

    /// - Parameter first: the input with which the search begins; those before it are done.
    convenience init?(files names: [String], from first: Int) {
        self.init(sizes: names.enumerated().map { $0 < first ? 0 : Self.size(of: $1) })
    }

    func part(_ index: Int) -> Part { Part(whole: self, index: index) }

    /// How many seconds it takes from here on, after this many; nil if that is not known yet.
    func remaining(after elapsed: Duration) -> Double? {
        let seconds = elapsed.inSeconds
        let done = fractions.withLock { zip(sizes, $0).reduce(0) { $0 + $1.0 * $1.1 } }
        guard seconds >= Self.least, done > 0 else { return nil }
        return seconds * (sizes.reduce(0, +) - done) / done
    }

    private func update(_ index: Int, _ fraction: Double) {
        guard fraction.isFinite else { return }
        fractions.withLock { $0[index] = max($0[index], min(1, fraction)) }
    }

    private static func size(of name: String) -> Int64? {
        var status = stat()
        guard FileName.withCName(name, { stat($0, &status) }) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return nil
        }
        return Int64(status.st_size)
    }
}
