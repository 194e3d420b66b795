import Errors
import Synchronization

/// Two recognizers in a row: a quick one reads every line, a careful one reads again what is in doubt.
///
/// Most lines are read right by the quick one, and those that are not are seldom the ones searched for; so the careful one
/// has little to do. The reading it is surer of counts; where the careful one fails, the quick one's.
public struct CascadeRecognizer: LineRecognizer {
    private let quick: any LineRecognizer
    private let careful: any LineRecognizer
    private let prepare: @Sendable () -> Void
    private let isDoubtful: @Sendable (TextLine) -> Bool

    /// - Parameters:
    ///   - prepare: called, perhaps more than once and on any thread, when it turns out that the careful one will be wanted
    ///     while the quick one is still at work; returns at once.
    ///   - isDoubtful: whether a line, as the quick one read it, is worth reading again.
    /// - Precondition: both want the same picture format.
    public init(
        quick: any LineRecognizer, careful: any LineRecognizer, prepare: @escaping @Sendable () -> Void = {},
        isDoubtful: @escaping @Sendable (TextLine) -> Bool
    ) {
        precondition(quick.pictureFormat == careful.pictureFormat, "a cascade reads the same pictures")
        self.quick = quick
        self.careful = careful
        self.prepare = prepare
        self.isDoubtful = isDoubtful
    }

    public var pictureFormat: Picture.Format { quick.pictureFormat }

    public func recognize(_ quads: [Quad], in picture: Picture) async throws -> [TextLine?] {
        let found = DoubtfulLines()
        var lines = try await quick.recognize(quads, in: picture) { [isDoubtful, prepare] index, line in
            guard isDoubtful(line) else { return }
            found.add(index)
            prepare()
        }
        let doubtful = found.sorted
        guard !doubtful.isEmpty else { return lines }
        let again: [TextLine?]
        do {
            again = try await careful.recognize(doubtful.map { quads[$0] }, in: picture)
        } catch is FramegrepError {
            return lines
        }
        for (index, line) in zip(doubtful, again) {
            guard let line, line.confidence > (lines[index]?.confidence ?? 0) else { continue }
            lines[index] = line
        }
        return lines
    }
}

/// The numbers of lines that came up on several threads. Thread-safe.
private final class DoubtfulLines: Sendable {
    private let numbers = Mutex<[Int]>([])

    var sorted: [Int] { numbers.withLock { $0.sorted() } }

    func add(_ number: Int) { numbers.withLock { $0.append(number) } }
}
