import Dispatch
import Errors
import Foundation
import Synchronization
import Testing
import TextSpotting

@testable import TextIndex

/// An index is read while another program replaces its segments.
@Suite struct IndexInUseTests {
    private let folder = IndexTestFolder()

    private func searched() throws -> TextIndex { try #require(try TextIndex.forSearching(try folder.folder())) }

    /// The list of segments is out of date before the first of them is opened, twice.
    @Test func whatWasReplacedIsReadAgain() throws {
        let writer = try TextIndex.forWriting(try folder.folder())
        let source = Lines.source("a")
        for number in 0..<3 {
            _ = try writer.add(
                Lines.part([Lines.line("EXIT \(number)")], from: Double(number) * 2), of: source, inPlaceOf: nil)
        }
        var rewrites = 0
        let texts = try searched().texts(of: source.id) {
            guard rewrites < 2, let names = try? writer.catalog.segments().map(\.name) else { return false }
            rewrites += 1
            try? writer.rewrite(names)
            return false
        }
        #expect(rewrites == 2)
        #expect(texts.map(\.text) == ["EXIT 0", "EXIT 1", "EXIT 2"])
    }

    /// Damage is reported the second time, too.
    @Test func whatIsDamagedIsNotTakenForReplaced() throws {
        let writer = try TextIndex.forWriting(try folder.folder())
        let source = Lines.source("a")
        _ = try writer.add(Lines.part([Lines.line("EXIT")]), of: source, inPlaceOf: nil)
        try Data(repeating: 0x55, count: 20_000).write(to: URL(fileURLWithPath: try folder.segment()))
        #expect(throws: FramegrepError.self) { try searched().texts(of: source.id) }
        #expect(throws: FramegrepError.self) { try searched().moment(of: source.id, at: .zero) }
        #expect(throws: FramegrepError.self) { try searched().digest() }
        #expect(try searched().check().map(\.kind) == [.damaged])
    }

    /// Whenever a check runs during writing, it reports nothing wrong.
    @Test func anIndexThatIsWrittenIsWhole() throws {
        let writer = try TextIndex.forWriting(try folder.folder())
        for number in 0..<4 {
            _ = try writer.add(
                Lines.part([Lines.line("EXIT \(number)")]), of: Lines.source("r\(number)"), inPlaceOf: nil)
        }
        let reader = try searched()
        let isOver = Mutex(false)
        let problems = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 2) { number in
            do {
                if number == 0 {
                    defer { isOver.withLock { $0 = true } }
                    for _ in 0..<10 {
                        for segment in try writer.catalog.segments() { try writer.rewrite([segment.name]) }
                    }
                } else {
                    repeat {
                        let found = try reader.check().map(\.message)
                        problems.withLock { $0 += found }
                    } while !isOver.withLock({ $0 })
                }
            } catch {
                problems.withLock { $0.append("\(error)") }
            }
        }
        let told = problems.withLock { $0 }
        #expect(told.isEmpty, "\(told)")
    }
}
