/// Maps the closeness of a question and a line to how often such a line is what the question means.
///
/// It was fitted to 328 questions about 123 lines, each question compared with all of them; its accuracy was measured
/// on the third of the lines that was held out (docs/MEANING.md). It is valid if about one line in a hundred is right;
/// on a screen that has nothing to do with the question, fewer are.
enum MeaningCalibration {
    /// Closeness and share, both in ascending order.
    private static let points: [(closeness: Double, share: Double)] = [
        (0.05, 0), (0.10, 0.006), (0.15, 0.015), (0.187, 0.03), (0.20, 0.08), (0.23, 0.11), (0.26, 0.16), (0.30, 0.28),
        (0.34, 0.43), (0.37, 0.53), (0.41, 0.70), (0.46, 0.80), (0.50, 0.88), (0.53, 0.95), (0.60, 0.985), (0.75, 0.99),
    ]

    /// Interpolates linearly between the points; constant beyond them.
    static func map(_ closeness: Double) -> Double {
        guard let next = points.firstIndex(where: { $0.closeness > closeness }) else {
            return points[points.count - 1].share
        }
        guard next > 0 else { return points[0].share }
        let (a, b) = (points[next - 1], points[next])
        return a.share + (b.share - a.share) * (closeness - a.closeness) / (b.closeness - a.closeness)
    }
}
