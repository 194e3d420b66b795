public import Errors
import Synchronization

/// Two recognizers in a row: a quick one reads every line, a careful one reads doubtful lines again.
///
/// Most lines are read right by the quick one, and those that are not are seldom the ones searched for; so the careful one
/// has little to do. The reading it is surer of counts; where the careful one fails, the quick one's.
public struct CascadeRecognizer: LineRecognizer {
    private let quick: any LineRecognizer
    private let careful: any LineRecognizer
    private let prepare: @Sendable () -> Void
    private let isDoubtful: @Sendable (TextLine) -> Bool
    private let isComparable: @Sendable (_ quick: TextLine, _ careful: TextLine) -> Bool
    private let failed: @Sendable (FramegrepError) -> Void
    private let failure = FirstTime()

    /// - Parameters:
    ///   - prepare: called, perhaps more than once and on any thread, when it turns out that the careful one will be wanted
    ///     while the quick one is still at work; returns at once.
    ///   - failed: called once, on any thread, when the careful one could not read for the first time: less is found from then on.
    ///   - isDoubtful: whether a line, as the quick one read it, is worth reading again.
    ///   - isComparable: whether what the careful one reads may count in the place of what the quick one did, where it is surer.
    /// - Precondition: both want the same picture format.
    public init(
        quick: any LineRecognizer, careful: any LineRecognizer, prepare: @escaping @Sendable () -> Void = {},
        failed: @escaping @Sendable (FramegrepError) -> Void = { _ in },
        isDoubtful: @escaping @Sendable (TextLine) -> Bool,
        isComparable: @escaping @Sendable (_ quick: TextLine, _ careful: TextLine) -> Bool = { _, _ in true }
    ) {
        precondition(quick.pictureFormat == careful.pictureFormat, "a cascade reads the same pictures")
        self.quick = quick
        self.careful = careful
        self.prepare = prepare
        self.failed = failed
        self.isDoubtful = isDoubtful
        self.isComparable = isComparable
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
        } catch let error as FramegrepError {
            if failure.isNow() { failed(error) }
            return lines
        }
        for (index, line) in zip(doubtful, again) {
            guard let line, line.confidence > (lines[index]?.confidence ?? 0),
                lines[index].map({ isComparable($0, line) }) ?? true
            else { continue }
            lines[index] = line
        }
        return lines
    }
}

/// Tells the first time from later ones. Thread-safe.
private final class FirstTime: Sendable {
    private let isRaised = Atomic(false)

    /// Whether this call is the first.
    func isNow() -> Bool { !isRaised.exchange(true, ordering: .relaxed) }
}

/// The numbers of lines that came up on several threads. Thread-safe.
private final class DoubtfulLines: Sendable {
    private let numbers = Mutex<[Int]>([])

    var sorted: [Int] { numbers.withLock { $0.sorted() } }

    func add(_ number: Int) { numbers.withLock { $0.append(number) } }
}
