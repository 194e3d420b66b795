import Synchronization

/// A network made ready for several input sizes, each compiled when it is first wanted; those not used for longest are
/// let go when there are too many.
final class CompiledModels: Sendable {
    private struct Size: Hashable {
        var widths: ClosedRange<Int>
        var height: Int
    }
    private struct State {
        var ready: [Size: CompiledModel] = [:]
        /// From the one not used for longest to the one used last.
        var order: [Size] = []
    }
    private let model: NeuralModel
    private let limit: Int
    private let state = Mutex(State())
    private let compiling = Mutex(())

    /// - Parameter limit: how many sizes are kept ready.
    init(_ model: NeuralModel, limit: Int) {
        self.model = model
        self.limit = limit
    }

    /// The network for pictures of one size; blocks while it is compiled for the first time.
    func model(width: Int, height: Int) throws -> CompiledModel { try model(widths: width...width, height: height) }

    /// The network for pictures of one height and any of `widths`; blocks while it is compiled for the first time.
    func model(widths: ClosedRange<Int>, height: Int) throws -> CompiledModel {
        let size = Size(widths: widths, height: height)
        if let ready = take(size) { return ready }
        return try compiling.withLock { _ in
            if let ready = take(size) { return ready }
            let made = try model.compiled(widths: widths, height: height)
            state.withLock {
                $0.ready[size] = made
                $0.order.append(size)
                if $0.order.count > limit { $0.ready[$0.order.removeFirst()] = nil }
            }
            return made
        }
    }

    private func take(_ size: Size) -> CompiledModel? {
        state.withLock {
            guard let ready = $0.ready[size] else { return nil }
            $0.order.removeAll { $0 == size }
            $0.order.append(size)
            return ready
        }
    }
}
