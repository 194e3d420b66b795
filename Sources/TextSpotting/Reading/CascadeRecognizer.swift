/// Two recognizers in a row: a quick one reads every line, a careful one reads again what is in doubt.
///
/// Most lines are read right by the quick one, and those that are not are seldom the ones searched for; so the careful one
/// has little to do. The reading it is surer of counts.
public struct CascadeRecognizer: LineRecognizer {
    private let quick: any LineRecognizer
    private let careful: any LineRecognizer
    private let isDoubtful: @Sendable (TextLine) -> Bool

    /// - Parameter isDoubtful: whether a line, as the quick one read it, is worth reading again.
    /// - Precondition: both want the same picture format.
    public init(
        quick: any LineRecognizer, careful: any LineRecognizer, isDoubtful: @escaping @Sendable (TextLine) -> Bool
    ) {
        precondition(quick.pictureFormat == careful.pictureFormat, "a cascade reads the same pictures")
        self.quick = quick
        self.careful = careful
        self.isDoubtful = isDoubtful
    }

    public var pictureFormat: Picture.Format { quick.pictureFormat }

    public func recognize(_ quads: [Quad], in picture: Picture) async throws -> [TextLine?] {
        var lines = try await quick.recognize(quads, in: picture)
        let doubtful = lines.indices.filter { index in lines[index].map(isDoubtful) ?? false }
        guard !doubtful.isEmpty else { return lines }
        let again = try await careful.recognize(doubtful.map { quads[$0] }, in: picture)
        for (index, line) in zip(doubtful, again) {
            guard let line, line.confidence > (lines[index]?.confidence ?? 0) else { continue }
            lines[index] = line
        }
        return lines
    }
}
