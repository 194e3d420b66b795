/// The current state of each pattern, for receivers that connect later: whether it is in view, the text read, and a picture.
///
/// A state machine: its methods return the messages that change something, all to be retained.
public struct WatchStates: Sendable {
    /// A message for the broker to retain.
    public struct State: Sendable, Hashable {
        public var topic: String
        public var payload: [UInt8]

        public init(_ topic: String, _ payload: [UInt8]) { (self.topic, self.payload) = (topic, payload) }
        public init(_ topic: String, _ payload: String) { self.init(topic, Array(payload.utf8)) }
    }

    /// Home Assistant takes no state that is longer.
    static let longestText = 255

    private let topics: NoticeTopics
    /// The numbers of the sightings in view of each pattern.
    private var inView: [String: Set<Int>] = [:]

    public init(_ topics: NoticeTopics) { self.topics = topics }

    /// Sets the patterns from now on. New ones are published as not in view; states of former ones are withdrawn.
    public mutating func watch(_ patterns: [String]) -> [State] {
        let gone = inView.keys.filter { !patterns.contains($0) }.sorted()
        for pattern in gone { inView[pattern] = nil }
        return forget(gone)
            + patterns.compactMap { pattern in
                guard inView[pattern] == nil else { return nil }
                inView[pattern] = []
                return State(topics.present(pattern), "OFF")
            }
    }

    public mutating func appeared(_ sighting: Int, pattern: String, text: String) -> [State] {
        inView[pattern, default: []].insert(sighting)
        return [State(topics.text(pattern), Self.short(text)), State(topics.present(pattern), "ON")]
    }

    /// - Parameter picture: its best one, a JPEG file; nil if there is none.
    public mutating func disappeared(
        _ sighting: Int, pattern: String, text: String, picture: [UInt8]?
    ) -> [State] {
        inView[pattern, default: []].remove(sighting)
        var states = [State(topics.text(pattern), Self.short(text))]
        if let picture { states.insert(State(topics.picture(pattern), picture), at: 0) }
        if inView[pattern]?.isEmpty != false { states.append(State(topics.present(pattern), "OFF")) }
        return states
    }

    /// Watching has ended.
    public mutating func end() -> [State] {
        defer { inView = [:] }
        return inView.keys.sorted().map { State(topics.present($0), "OFF") }
    }

    /// Withdraws all states of these patterns: an empty payload removes a retained one.
    public func forget(_ patterns: [String]) -> [State] {
        patterns.flatMap { pattern in
            [topics.present(pattern), topics.text(pattern), topics.picture(pattern)].map { State($0, [UInt8]()) }
        }
    }

    /// The part of a text that Home Assistant accepts.
    static func short(_ text: String) -> String {
        var text = String(text.prefix(longestText))
        // Counted as Home Assistant does, in code points.
        while text.unicodeScalars.count > longestText { text.removeLast() }
        return text
    }
}
