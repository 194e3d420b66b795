import TextSpotting

/// How much of an index a search has searched, as the last of the JSON lines.
public struct CoverageLine: Sendable {
    private let folder: String
    private let count: Int
    private let seconds: Double
    private let live: Double
    private let skimmed: Double
    private let missing: [(name: String, reason: String)]

    /// - Parameters:
    ///   - folder: where the index is.
    ///   - count: how many recordings were searched.
    ///   - seconds: how long they are together.
    ///   - live: how much of that was read live, where not every picture is read.
    ///   - skimmed: how much was skimmed: read at key frames only.
    ///   - missing: recordings that are not in the index in their current state, and why.
    public init(
        folder: String, count: Int, seconds: Double, live: Double = 0, skimmed: Double = 0,
        missing: [(name: String, reason: String)]
    ) {
        (self.folder, self.count, self.seconds, self.live, self.missing) = (folder, count, seconds, live, missing)
        self.skimmed = skimmed
    }

    public var json: String {
        var object = JSONObject(type: "coverage")
        object.add("source", folder)
        object.add("sources", count)
        object.add("seconds", seconds, decimals: 3)
        if live > 0 { object.add("live_seconds", live, decimals: 3) }
        if skimmed > 0 { object.add("skimmed_seconds", skimmed, decimals: 3) }
        let entries = missing.map { name, reason in
            var entry = JSONObject()
            entry.add("source", name)
            entry.add("reason", reason)
            return entry.text
        }
        object.add("missing", json: "[" + entries.joined(separator: ",") + "]")
        return object.text
    }
}
