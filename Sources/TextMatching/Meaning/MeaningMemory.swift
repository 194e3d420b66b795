import Synchronization

/// What is known of lines by now: each text goes through the model once, in how many pictures it is ever seen. Thread-safe.
///
/// Some thousands of texts are remembered; of two generations the older goes when the younger is full.
final class MeaningMemory: Sendable {
    private struct State {
        var young: [String: MeaningPoint?] = [:]
        var old: [String: MeaningPoint?] = [:]
    }

    /// A generation takes at most some 4 MiB.
    private static let generation = 2_000

    let model: any MeaningModel
    private let state = Mutex(State())

    init(_ model: any MeaningModel) { self.model = model }

    /// What the lines mean; nil for those that mean nothing, and for those that are left for the next time.
    ///
    /// - Parameter allowance: of texts that are not known yet so many characters are looked into, and at least one text where it is above
    ///   zero; less by those when it returns.
    func points(of texts: [String], allowance left: inout Int) -> [MeaningPoint?] {
        var points = known(texts)
        var wanted: [String] = []
        var forms: [String] = []
        var seen = Set<String>()
        for (text, point) in zip(texts, points) where point == nil && left > 0 && seen.insert(text).inserted {
            guard let form = MeaningForm.line(text) else {
                remember([(text, nil)])
                continue
            }
            wanted.append(text)
            forms.append(form)
            left -= form.count
        }
        guard !wanted.isEmpty else { return points.map { $0 ?? nil } }
        let background = model.background
        let made = zip(wanted, model.vectors(of: forms)).map { ($0, MeaningPoint($1, background: background)) }
        remember(made.map { ($0.0, $0.1) })
        let new = Dictionary(made) { first, _ in first }
        for index in texts.indices where points[index] == nil { points[index] = new[texts[index]] }
        return points.map { $0 ?? nil }
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

    /// For each text nil where it is not known, and a nil inside where it means nothing.
    private func known(_ texts: [String]) -> [MeaningPoint??] {
        state.withLock { state in
            texts.map { text in
                if let point = state.young[text] { return point }
                guard let point = state.old[text] else { return nil }
                Self.put(text, point, into: &state)
                return point
            }
        }
    }

    private func remember(_ points: [(String, MeaningPoint?)]) {
        state.withLock { state in
            for (text, point) in points { Self.put(text, point, into: &state) }
        }
    }

    private static func put(_ text: String, _ point: MeaningPoint?, into state: inout State) {
        if state.young.count >= generation { (state.old, state.young) = (state.young, [:]) }
        state.young.updateValue(point, forKey: text)
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
