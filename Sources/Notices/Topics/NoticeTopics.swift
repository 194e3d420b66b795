/// The topics under which one source of one node publishes (docs/NOTICES.md).
public struct NoticeTopics: Sendable, Hashable {
    public let node: String
    public let source: String
    private let hasOwnStatus: Bool

    /// - Parameters:
    ///   - node: the machine's name; cleaned here.
    ///   - source: the source's name, without passwords; cleaned here.
    ///   - hasOwnStatus: the source comes and goes by itself, beside others of the same node.
    public init(node: String, source: String, hasOwnStatus: Bool = false) {
        self.hasOwnStatus = hasOwnStatus
        self.node = TopicName.level(node)
        self.source = TopicName.plain(source)
    }

    /// `online`, or `offline` by the broker's hand when the program is gone. Retained.
    public var status: String { hasOwnStatus ? "framegrep/\(node)/\(source)/status" : "framegrep/\(node)/status" }
    /// `online` while the source brings pictures, else `offline`. Retained.
    public var available: String { "framegrep/\(node)/\(source)/available" }
    /// The two notices of each sighting. Not retained.
    public var sighting: String { "framegrep/\(node)/\(source)/sighting" }
    /// New words come here, one a line.
    public var newPatterns: String { "framegrep/\(node)/\(source)/patterns/set" }

    /// `ON` while the pattern is in view, else `OFF`. Retained.
    public func present(_ pattern: String) -> String { watch(pattern) + "/present" }
    /// The words as they were read last. Retained.
    public func text(_ pattern: String) -> String { watch(pattern) + "/text" }
    /// The best picture of the last sighting, a JPEG file. Retained.
    public func picture(_ pattern: String) -> String { watch(pattern) + "/picture" }

    /// The prefix of all topics of this source, except the status of the node.
    var root: String { "framegrep/\(node)/\(source)/" }

    private func watch(_ pattern: String) -> String {
        // These are taken in the place of a pattern's name.
        let isTaken = ["sighting", "patterns", "values"].contains(pattern)
        let name = isTaken ? "\(pattern)~\(TopicName.digits(of: pattern))" : TopicName.level(pattern)
        return "framegrep/\(node)/\(source)/\(name)"
    }
}
