import GRDB

extension TextIndex {
    /// Different lines that were read, those of the newest segments first: what somebody may mean who says a word.
    ///
    /// - Returns: at most `count`; what cannot be read now is left out.
    public func someLines(atMost count: Int = 20_000) -> [String] {
        guard let parts = try? catalog.parts() else { return [] }
        var names: [String] = []
        for part in parts.reversed() where !names.contains(part.segment) { names.append(part.segment) }
        var lines: [String] = []
        var seen = Set<String>()
        for name in names where lines.count < count {
            let texts = try? segment(name).read { database in
                try String.fetchAll(database, sql: "SELECT text FROM line LIMIT ?", arguments: [count - lines.count])
            }
            for text in texts ?? [] where seen.insert(text).inserted { lines.append(text) }
        }
        return lines
    }
}
