import Errors

/// A segment that could not be read.
struct SegmentProblem: Error {
    let segment: String
    let problem: FramegrepError

    init(_ error: any Error, in segment: String, path: String) {
        self.segment = segment
        problem = error as? FramegrepError ?? SegmentFile.failure(path, error)
    }

    /// Runs `body` on a segment, so that errors name the segment.
    static func told<Value>(
        of segment: String, _ index: TextIndex, _ body: () throws -> Value
    ) throws(SegmentProblem) -> Value {
        do { return try body() } catch {
            throw error as? SegmentProblem ?? SegmentProblem(error, in: segment, path: index.folder.segment(segment))
        }
    }
}

extension TextIndex {
    /// The number of times that a search assumes that another program has replaced some segments. (A damaged catalog
    /// names missing segments every time.)
    static let mostReplacements = 20

    /// Runs `body`, and again if it could not read a segment because another program has replaced some.
    ///
    /// - Parameter body: asks the catalog for the current segments.
    func withPresentSegments<Value>(_ body: () throws -> Value) throws -> Value {
        var replacements = 0
        while true {
            let before = try catalog.segments()
            do { return try body() } catch let error as FramegrepError where error.isAboutAFile {
                guard replacements < Self.mostReplacements, try catalog.segments() != before else { throw error }
                replacements += 1
            }
        }
    }
}
