import Notices

/// What the broker is to keep for whoever comes later, the last of each topic. A value; used under a lock.
struct RetainedStates {
    private var payloads: [String: [UInt8]] = [:]
    /// In the order in which they were first said.
    private var order: [String] = []
    private var unsent: [String] = []

    mutating func set(_ states: [WatchStates.State]) {
        for state in states {
            if payloads.updateValue(state.payload, forKey: state.topic) == nil { order.append(state.topic) }
            unsent.removeAll { $0 == state.topic }
            unsent.append(state.topic)
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
            if let payload = payloads[topic] { return WatchStates.State(topic, payload) }
        }
        return nil
    }

    var isEmpty: Bool { unsent.isEmpty }
}
