import Errors

/// A segment that could not be read.
struct SegmentProblem: Error {
    let segment: String
    let problem: FramegrepError

    init(_ error: any Error, in segment: String, path: String) {
        self.segment = segment
        problem = error as? FramegrepError ?? SegmentFile.failure(path, error)
    }

    /// Does something with a segment, of which errors say in which segment they are.
    static func told<Value>(
        of segment: String, _ index: TextIndex, _ body: () throws -> Value
    ) throws(SegmentProblem) -> Value {
        do { return try body() } catch {
            throw error as? SegmentProblem ?? SegmentProblem(error, in: segment, path: index.folder.segment(segment))
        }
    }
}
