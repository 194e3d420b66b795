import Notices

/// The values that the broker retains for later subscribers, the last of each topic. A value; used under a lock.
///
/// Pictures are kept up to a limit, to be said again at the next connection; of more the first are forgotten here, and stay as the broker
/// has them.
struct RetainedStates {
    private static let mostBytes = 64 << 20
    /// Smaller entries are never dropped.
    private static let smallest = 4096

    private var payloads: [String: [UInt8]] = [:]
    /// In the order in which they were first said.
    private var order: [String] = []
    private var unsent: [String] = []
    private var bytes = 0

    mutating func set(_ states: [WatchStates.State]) {
        for state in states {
            let last = payloads.updateValue(state.payload, forKey: state.topic)
            if last == nil { order.append(state.topic) }
            bytes += state.payload.count - (last?.count ?? 0)
            unsent.removeAll { $0 == state.topic }
            unsent.append(state.topic)
            keepLimit(sparing: state.topic)
        }
    }

    private mutating func keepLimit(sparing newest: String) {
        while bytes > Self.mostBytes,
            let first = order.firstIndex(where: { $0 != newest && payloads[$0]?.count ?? 0 >= Self.smallest })
        {
            let topic = order.remove(at: first)
            bytes -= payloads.removeValue(forKey: topic)?.count ?? 0
            unsent.removeAll { $0 == topic }
        }
    }

    /// The broker may have forgotten all of them.
    mutating func startAnew() { unsent = order }

    /// Says one of them once more.
    mutating func repeatState(at topic: String) {
        if payloads[topic] != nil, !unsent.contains(topic) { unsent.append(topic) }
    }

    /// The next that is to be said.
    mutating func takeNext() -> WatchStates.State? {
        while !unsent.isEmpty {
            let topic = unsent.removeFirst()
            guard let payload = payloads[topic] else { continue }
            // What is taken back is said once: libmosquitto says it until the broker has it, and after that there is nothing to be kept.
            if payload.isEmpty { forget(topic) }
            return WatchStates.State(topic, payload)
        }
        return nil
    }

    private mutating func forget(_ topic: String) {
        payloads[topic] = nil
        order.removeAll { $0 == topic }
    }

    var isEmpty: Bool { unsent.isEmpty }
}
