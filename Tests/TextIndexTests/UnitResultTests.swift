import Errors
import Foundation
import Testing

@testable import TextIndex

/// Results of an archive's units, thousands of which one command may merge.
@Suite struct UnitResultTests {
    private let results = IndexTestFolder()
    private let index = IndexTestFolder()

    /// Writes a result, and returns its path.
    private func written() throws -> String {
        let outcome = UnitResult.Outcome(end: 4, duration: 4, isStill: false, wallStart: nil, problem: nil)
        try UnitResult.write([Lines.part([Lines.line("EXIT")])], of: Units.one, outcome, to: results.path)
        return results.path + "/" + Units.one.fileName
    }

    @Test func oneThatWaitsToBeTakenOverIsNotOpen() throws {
        let path = try written()
        func countOpen() throws -> Int {
            let folder = "/proc/self/fd/"
            return try FileManager.default.contentsOfDirectory(atPath: folder).count {
                (try? FileManager.default.destinationOfSymbolicLink(atPath: folder + $0)) == path
            }
        }
        let handle = try #require(FileHandle(forReadingAtPath: path))
        let result = try UnitResult(path: path)
        #expect(try countOpen() == 1)
        try handle.close()
        #expect(try TextIndex.forWriting(try index.folder()).merge([result]).taken == 1)
        #expect(try TextIndex.forSearching(try index.folder())?.found("exit").count == 1)
        #expect(try countOpen() == 0)
    }

    /// A circular link stands for missing permissions, which tests run as root cannot have.
    @Test func oneThatCannotBeOpenedIsNotReadAgain() throws {
        let path = try written()
        #expect(rename(path, path + ".kept") == 0 && symlink(path, path) == 0)
        for attempt in [
            { _ = try UnitResult(path: path) }, { _ = try UnitResult.isWhole(Units.one, in: results.path) },
        ] {
            let error = #expect(throws: FramegrepError.self) { try attempt() }
            #expect(error?.code == .indexUnreadable, "\(error?.message ?? "")")
        }
        #expect(unlink(path) == 0 && rename(path + ".kept", path) == 0)
        #expect(try UnitResult.isWhole(Units.one, in: results.path) == true)
    }
}
