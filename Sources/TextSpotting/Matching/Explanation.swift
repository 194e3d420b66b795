/// Why a pattern matches a text or does not: what `framegrep explain` prints.
public struct Explanation: Hashable, Sendable {
    /// One step of laying the pattern over the text.
    public struct Step: Hashable, Sendable {
        /// What was searched for at this step, folded; empty for what only the text has.
        public var searched: String
        /// What was read there; empty for what only the pattern has.
        public var read: String
        /// In characters; 0 where both are the same.
        public var cost: Double
        /// Why it costs that, in a few words; empty where it costs nothing.
        public var reason: String

        public init(searched: String, read: String, cost: Double = 0, reason: String = "") {
            self.searched = searched
            self.read = read
            self.cost = cost
            self.reason = reason
        }
    }

    /// The pattern laid over the best place of the text, whether that is good enough or not; empty where there is none.
    public var steps: [Step]
    /// Sum of the steps' costs, in characters.
    public var cost: Double
    /// The greatest cost at which the pattern would match, in characters.
    public var allowedCost: Double
    /// 0 to 1; nil where it does not match.
    public var score: Double?
    /// Full sentences: what decided.
    public var reasons: [String]

    public init(
        steps: [Step] = [], cost: Double = 0, allowedCost: Double = 0, score: Double? = nil, reasons: [String] = []
    ) {
        self.steps = steps
        self.cost = cost
        self.allowedCost = allowedCost
        self.score = score
        self.reasons = reasons
    }
}
