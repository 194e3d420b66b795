/// The recognizer's output for one line: for each step from left to right, the probability of each class.
///
/// A view, valid only where it was lent. Each step covers 8 pixels of the straightened line. All that is known of a line
/// is in here, so besides ``CTCDecoder`` a pattern can be scored against it directly.
struct CTCPosteriors {
    /// Step by step, `classes` numbers each.
    let values: UnsafeBufferPointer<Float>
    let steps: Int
    let classes: Int

    subscript(step: Int) -> UnsafeBufferPointer<Float> {
        UnsafeBufferPointer(rebasing: values[(step * classes)..<((step + 1) * classes)])
    }

    /// The most probable class of a step, the first one where several are equal.
    func best(at step: Int) -> (index: Int, probability: Float) {
        let row = self[step]
        var peak = SIMD16<Float>(repeating: -.infinity)
        let whole = classes - classes % 16
        let raw = UnsafeRawBufferPointer(row)
        for start in stride(from: 0, to: whole, by: 16) {
            peak.replace(
                with: raw.loadUnaligned(fromByteOffset: 4 * start, as: SIMD16<Float>.self),
                where: raw.loadUnaligned(fromByteOffset: 4 * start, as: SIMD16<Float>.self) .> peak)
        }
        var highest = peak.max()
        for index in whole..<classes { highest = max(highest, row[index]) }
        return (row.firstIndex(of: highest) ?? 0, highest)
    }

    /// Calls `body` with each class of a step that is at least as probable as `least`, by rising class.
    func probable(at step: Int, least: Float, _ body: (_ index: Int, _ probability: Float) -> Void) {
        let row = self[step]
        let raw = UnsafeRawBufferPointer(row)
        let whole = classes - classes % 16
        let floor = SIMD16<Float>(repeating: least)
        for start in stride(from: 0, to: whole, by: 16) {
            let found = raw.loadUnaligned(fromByteOffset: 4 * start, as: SIMD16<Float>.self) .>= floor
            guard any(found) else { continue }
            for lane in 0..<16 where found[lane] { body(start + lane, row[start + lane]) }
        }
        for index in whole..<classes where row[index] >= least { body(index, row[index]) }
    }
}
