/// Finds every place of a line where the skeleton of a pattern occurs, for all patterns in one pass.
///
/// It is the automaton of Aho and Corasick ("Efficient string matching: an aid to bibliographic search", 1975).
struct SkeletonAutomaton: Sendable {
    /// The next node, keyed by node (upper half) and scalar (lower half); node 0 is the root.
    private var edges: [UInt64: Int32] = [:]
    /// The edges from the root for ASCII scalars, which most lookups use.
    private var roots = [Int32](repeating: 0, count: 128)
    private var failure: [Int32] = [0]
    /// The nearest node on the chain of failure links, starting with the node itself, at which a pattern ends; 0 if
    /// there is none.
    private var ending: [Int32] = [0]
    /// The patterns that end at a node, with their skeletons' lengths.
    private var patterns: [[Int32]] = [[]]
    private var lengths: [Int32: Int] = [:]

    var isEmpty: Bool { lengths.isEmpty }

    /// - Parameter skeletons: the skeletons, with the number under which ``places(in:found:)`` reports each.
    init(_ skeletons: [(number: Int, skeleton: [UInt32])]) {
        for (number, skeleton) in skeletons where !skeleton.isEmpty {
            var node: Int32 = 0
            for scalar in skeleton {
                node = edges[Self.key(node, scalar)] ?? append(after: node, scalar)
            }
            patterns[Int(node)].append(Int32(number))
            lengths[Int32(number)] = skeleton.count
        }
        link()
    }

    /// Calls `found` with a pattern's number and the index in `skeleton` where it begins, in ascending order of their
    /// ends.
    func places(in skeleton: [UInt32], found: (Int, Int) -> Void) {
        var node: Int32 = 0
        for (index, scalar) in skeleton.enumerated() {
            node = next(node, scalar)
            var end = ending[Int(node)]
            while end != 0 {
                for number in patterns[Int(end)] {
                    found(Int(number), index + 1 - (lengths[number] ?? 0))
                }
                end = ending[Int(failure[Int(end)])]
            }
        }
    }

    private static func key(_ node: Int32, _ scalar: UInt32) -> UInt64 {
        UInt64(UInt32(bitPattern: node)) << 32 | UInt64(scalar)
    }

    private mutating func append(after node: Int32, _ scalar: UInt32) -> Int32 {
        let new = Int32(patterns.count)
        patterns.append([])
        failure.append(0)
        ending.append(0)
        edges[Self.key(node, scalar)] = new
        return new
    }

    private func next(_ start: Int32, _ scalar: UInt32) -> Int32 {
        var node = start
        while true {
            if node == 0, scalar < 128 { return roots[Int(scalar)] }
            if let next = edges[Self.key(node, scalar)] { return next }
            if node == 0 { return 0 }
            node = failure[Int(node)]
        }
    }

    /// Sets the failure links, beginning with the nodes nearest to the root.
    private mutating func link() {
        var children = [[(UInt32, Int32)]](repeating: [], count: patterns.count)
        for (key, child) in edges {
            let scalar = UInt32(truncatingIfNeeded: key)
            if key >> 32 == 0, scalar < 128 { roots[Int(scalar)] = child }
            children[Int(key >> 32)].append((UInt32(truncatingIfNeeded: key), child))
        }
        var queue: [Int32] = [0]
        var head = 0
        while head < queue.count {
            let node = queue[head]
            head += 1
            for (scalar, child) in children[Int(node)] {
                failure[Int(child)] = node == 0 ? 0 : next(failure[Int(node)], scalar)
                ending[Int(child)] = patterns[Int(child)].isEmpty ? ending[Int(failure[Int(child)])] : child
                queue.append(child)
            }
        }
    }
}
