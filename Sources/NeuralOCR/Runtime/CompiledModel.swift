import Errors
internal import Foundation
import Threads

/// A network made ready for one input size (or one height and some widths). Thread-safe.
///
/// One compiled form runs one inference at a time. Another is made when inferences have waited for each other some times: it costs as
/// much as several of them, and a short clip needs few.
// What changes is only touched while `condition` is locked.
final class CompiledModel: @unchecked Sendable {
    /// How many inferences wait for another before there are two forms: one that waits takes 10 to 60 ms longer, and a form takes
    /// 100 to 150 ms of a processor.
    private static let waitsFirst = 4

    /// In pixels.
    let widths: ClosedRange<Int>
    /// In pixels.
    let height: Int
    /// Further compiled networks are made from this one; if OpenVINO gives none, inferences share it.
    private let first: CompiledNetwork
    private let condition = NSCondition()
    private var idle: [InferenceRequest]
    private var waits = 0

    init(_ network: CompiledNetwork, widths: ClosedRange<Int>, height: Int) throws {
        self.widths = widths
        self.height = height
        first = network
        idle = [try network.request()]
    }

    /// Lends a request of this network to the calling thread; blocks it until the network has run.
    ///
    /// - Parameters:
    ///   - width: of the input, in pixels; one of ``widths``.
    ///   - cancellation: stops the network in the middle when it is cancelled.
    ///   - fill: writes the input: three planes of `width * height` numbers.
    ///   - body: reads the output, which is valid only inside it.
    /// - Throws: `CancellationError` when cancelled.
    func run<Result>(
        width: Int, _ cancellation: CancellationFlag, fill: (UnsafeMutableBufferPointer<Float>) throws -> Void,
        _ body: (NetworkOutput) throws -> Result
    ) throws -> Result {
        let request = try take() ?? another()
        defer { giveBack(request) }
        precondition(widths.contains(width), "a network runs on the sizes it was made ready for")
        return try request.run(cancellation, shape: [1, 3, height, width], fill: fill, body)
    }

    /// A request that is idle, or that becomes so; nil when there is to be one more.
    private func take() -> InferenceRequest? {
        condition.withLock {
            if idle.isEmpty {
                waits += 1
                if waits > Self.waitsFirst { return nil }
            }
            while idle.isEmpty { condition.wait() }
            return idle.removeLast()
        }
    }

    private func giveBack(_ request: InferenceRequest) {
        condition.withLock {
            idle.append(request)
            condition.signal()
        }
    }

    /// Room for one more inference beside those that run.
    private func another() throws -> InferenceRequest {
        try (first.another() ?? first).request()
    }
}
