/// A message about a sighting for receivers outside of the program: one of the two notices of each sighting.
public struct Notice: Sendable, Hashable {
    /// The same however often the notice is sent, and no other notice's: by it a receiver drops duplicates.
    public var id: String
    /// Where it is published; empty if that is not asked, as for a webhook.
    public var topic: String
    /// A JSON object.
    public var body: [UInt8]

    public init(id: String, topic: String = "", body: [UInt8]) {
        (self.id, self.topic, self.body) = (id, topic, body)
    }
}
