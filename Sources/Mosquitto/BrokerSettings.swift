/// How a client introduces itself to a broker.
public struct BrokerSettings: Sendable {
    public var address: BrokerAddress
    /// Nil for an anonymous connection.
    public var user: String?
    public var password: String?
    /// Of the certificates that are trusted, besides or in place of the system's; nil for the system's.
    public var certificates: String?
    /// No other client of the broker's has it.
    public var clientName: String
    /// Where `online` is published, retained, and `offline` at the end: by the broker where the program is gone without a word.
    public var statusTopic: String
    /// Topics that are listened to.
    public var subscriptions: [String] = []

    public init(address: BrokerAddress, clientName: String, statusTopic: String) {
        (self.address, self.clientName, self.statusTopic) = (address, clientName, statusTopic)
    }
}
