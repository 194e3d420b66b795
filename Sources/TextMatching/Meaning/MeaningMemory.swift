import Synchronization

/// What is known of lines by now: each text goes through the model once, in how many pictures it is ever seen. Thread-safe.
///
/// Some thousands of texts are remembered; of two generations the older goes when the younger is full.
final class MeaningMemory: Sendable {
    private struct State {
        var young: [String: [MeaningPoint]] = [:]
        var old: [String: [MeaningPoint]] = [:]
    }

    /// A generation takes at most some 4 MiB.
    private static let generation = 2_000

    let model: any MeaningModel
    private let state = Mutex(State())

    init(_ model: any MeaningModel) { self.model = model }

    /// What the lines mean, in each of their forms; empty for those that mean nothing, and for those that are left for the next time.
    ///
    /// - Parameter allowance: of texts that are not known yet so many characters are looked into, and at least one text where it is above
    ///   zero; less by those when it returns.
    func points(of texts: [String], allowance left: inout Int) -> [[MeaningPoint]] {
        var points = known(texts)
        var wanted: [(text: String, forms: [String])] = []
        var seen = Set<String>()
        for (text, point) in zip(texts, points) where point == nil && left > 0 && seen.insert(text).inserted {
            let forms = MeaningForm.line(text)
            wanted.append((text, forms))
            left -= forms.reduce(0) { $0 + $1.count }
        }
        guard !wanted.isEmpty else { return points.map { $0 ?? [] } }
        let background = model.background
        let vectors = model.vectors(of: wanted.flatMap(\.forms))
        var next = 0
        var made: [String: [MeaningPoint]] = [:]
        for (text, forms) in wanted {
            made[text] = vectors[next..<next + forms.count].map { MeaningPoint($0, background: background) }
            next += forms.count
        }
        state.withLock { state in
            for (text, _) in wanted { Self.put(text, made[text] ?? [], into: &state) }
        }
        for index in texts.indices where points[index] == nil { points[index] = made[texts[index]] }
        return points.map { $0 ?? [] }
    }

    /// What a question means.
    ///
    /// - Throws: ``FramegrepError`` (`badPattern`), see ``MeaningForm/question(_:)``.
    func question(_ text: String) throws -> MeaningPoint {
        let vectors = model.vectors(of: try MeaningForm.question(text))
        var sum = vectors[0]
        for vector in vectors.dropFirst() { for index in sum.indices { sum[index] += vector[index] } }
        let length = MeaningPoint.product(sum, sum).squareRoot()
        return MeaningPoint(sum.map { $0 / Float(max(length, 1e-9)) }, background: model.background)
    }

    /// For each text nil where it is not known.
    private func known(_ texts: [String]) -> [[MeaningPoint]?] {
        state.withLock { state in
            texts.map { text in
                if let points = state.young[text] { return points }
                guard let points = state.old[text] else { return nil }
                Self.put(text, points, into: &state)
                return points
            }
        }
    }

    private static func put(_ text: String, _ points: [MeaningPoint], into state: inout State) {
        if state.young.count >= generation { (state.old, state.young) = (state.young, [:]) }
        state.young[text] = points
    }
}

/// A value that is made once, where making it does not fail. Thread-safe.
final class MeaningOnce: Sendable {
    private let made = Mutex<MeaningMemory?>(nil)

    func value(_ make: () throws -> MeaningMemory) throws -> MeaningMemory {
        try made.withLock { made in
            if let made { return made }
            let new = try make()
            made = new
            return new
        }
    }
}
