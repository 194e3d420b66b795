extension CharacterVote {
    /// Where two readings differ along the cheapest alignment: what each has there, nil if it has nothing.
    static func differences(_ a: [Token], _ b: [Token]) -> [(Token?, Token?)] {
        let columns = b.count + 1
        var costs = [Int](repeating: 0, count: (a.count + 1) * columns)
        for j in 0..<columns { costs[j] = j }
        for i in a.indices {
            costs[(i + 1) * columns] = i + 1
            for j in b.indices {
                costs[(i + 1) * columns + j + 1] = min(
                    costs[i * columns + j] + (a[i].character == b[j].character ? 0 : 1),
                    costs[i * columns + j + 1] + 1, costs[(i + 1) * columns + j] + 1)
            }
        }
        var found: [(Token?, Token?)] = []
        var (i, j) = (a.count, b.count)
        while i > 0 || j > 0 {
            let here = costs[i * columns + j]
            if i > 0, j > 0,
                here == costs[(i - 1) * columns + j - 1] + (a[i - 1].character == b[j - 1].character ? 0 : 1)
            {
                (i, j) = (i - 1, j - 1)
                if a[i].character != b[j].character { found.append((a[i], b[j])) }
            } else if i > 0, here == costs[(i - 1) * columns + j] + 1 {
                i -= 1
                found.append((a[i], nil))
            } else {
                j -= 1
                found.append((nil, b[j]))
            }
        }
        return found.reversed()
    }
}
