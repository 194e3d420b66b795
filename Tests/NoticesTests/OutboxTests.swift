import Errors
import Foundation
import GRDB
import Synchronization
import TestSupport
import Testing

@testable import Notices

/// Notices that wait on disk.
struct OutboxTests {
    private func notice(_ id: String, size: Int = 10) -> Notice {
        Notice(id: id, topic: "t", body: [UInt8](repeating: 7, count: size))
    }

    @Test func whatIsNotAcknowledgedIsThereAtTheNextStart() throws {
        let folder = try TemporaryFolder()
        let outboxes = try OutboxFolder(folder.file("state/outbox"))
        do {
            let outbox = try Outbox(in: outboxes, for: "a")
            for id in ["1", "2", "3"] { #expect(outbox.add(notice(id)) == nil) }
            // The same notice twice is one.
            outbox.add(notice("3"))
            #expect(outbox.count == 3)
            let first = try #require(outbox.next().first)
            #expect(first.notice == notice("1"))
            outbox.remove([first.number])
            #expect(outbox.next(after: first.number, limit: 9).map(\.notice.id) == ["2", "3"])
        }
        let again = try Outbox(in: outboxes, for: "a")
        #expect(again.next(limit: 9).map(\.notice) == [notice("2"), notice("3")])
        #expect(try Outbox(in: outboxes, for: "b").count == 0)
    }

    @Test func theEndOfASightingIsSentThoughTheProgramWasKilled() throws {
        let folder = try TemporaryFolder()
        let outboxes = try OutboxFolder(folder.file("outbox"))
        do {
            let outbox = try Outbox(in: outboxes, for: "a")
            outbox.add(notice("1-appeared"), holding: notice("1-disappeared", size: 1))
            outbox.add(notice("2-appeared"), holding: notice("2-disappeared", size: 1))
            // The second sighting ends normally.
            outbox.add(notice("2-disappeared", size: 2))
            #expect(outbox.next(limit: 9).map(\.notice.id) == ["1-appeared", "2-appeared", "2-disappeared"])
        }
        let again = try Outbox(in: outboxes, for: "a").next(limit: 9).map(\.notice)
        #expect(again.map(\.id).sorted() == ["1-appeared", "1-disappeared", "2-appeared", "2-disappeared"])
        #expect(again.first { $0.id == "2-disappeared" }?.body.count == 2)
    }

    @Test func severalProgramsTellOneReceiver() throws {
        let folder = try TemporaryFolder()
        let outboxes = try OutboxFolder(folder.file("outbox"))
        let first = try Outbox(in: outboxes, for: "a")
        do {
            let second = try Outbox(in: outboxes, for: "a")
            second.add(notice("2"))
            // Notices that another program is sending are left alone.
            #expect(first.count == 0 && second.count == 1)
            #expect(try Outbox(in: outboxes, for: "a").count == 0)
        }
        first.add(notice("1"))
        // The second is gone, the first is not; a third takes over what the second left.
        #expect(try Outbox(in: outboxes, for: "a").next(limit: 9).map(\.notice.id) == ["2"])
    }

    /// A file left by an ended program may be broken; it is reported, and all others are sent.
    @Test func aBrokenFileOfAnotherProgramKeepsNothingElseBack() throws {
        let folder = try TemporaryFolder()
        let outboxes = try OutboxFolder(folder.file("outbox"))
        do {
            let programs = try (1...3).map { _ in try Outbox(in: outboxes, for: "a") }
            for (index, outbox) in programs.enumerated() { outbox.add(notice("\(index + 1)")) }
        }
        let broken = outboxes.file(of: "a", 2)
        let text = String(repeating: "this is no database. ", count: 100)
        try text.write(toFile: broken, atomically: false, encoding: .utf8)
        let heard = Mutex<[String]>([])
        let outbox = try Outbox(in: outboxes, for: "a") { warning in heard.withLock { $0.append(warning.message) } }
        #expect(outbox.next(limit: 9).map(\.notice.id) == ["1", "3"])
        let said = heard.withLock { $0 }
        #expect(said.count == 1 && said[0].contains(broken) && said[0].contains("not sent"), "\(said)")
        #expect(try String(contentsOfFile: broken, encoding: .utf8) == text)
    }

    @Test func itIsBoundedInAgeAndSize() throws {
        let folder = try TemporaryFolder()
        var limits = OutboxLimits()
        (limits.age, limits.bytes) = (.seconds(100), 1000)
        let place = try OutboxFolder(folder.file("outbox"))
        let start = Date()
        try Outbox(in: place, for: "a", limits: limits).add(notice("old"), now: start)
        let outbox = try Outbox(in: place, for: "a", limits: limits)
        // The clock is set between these two, but no notice is older than the program that made it.
        outbox.add(notice("new"), now: start - 1000)
        outbox.add(notice("newer"), now: start + 101)
        #expect(outbox.next(limit: 9).map(\.notice.id) == ["new", "newer"] && outbox.takeDropped() == 1)
        for id in 1...12 { outbox.add(notice("\(id)", size: 300), now: start + 102) }
        #expect(outbox.next(limit: 99).map(\.notice.id) == ["10", "11", "12"])
        #expect(outbox.takeDropped() == 11 && outbox.takeDropped() == 0)
    }

    @Test func whatTheDiskDoesNotTakeIsBoundedInMemory() throws {
        let folder = try TemporaryFolder()
        var limits = OutboxLimits()
        (limits.unsaved, limits.unsavedBytes) = (5, 1000)
        let outbox = try Outbox(in: OutboxFolder(folder.file("outbox")), for: "a", limits: limits)
        outbox.add(notice("saved"))
        // Simulates a disk that accepts no more data.
        for name in folder.names(in: "outbox") where name.hasSuffix(".db") {
            try DatabaseQueue(path: folder.file("outbox/" + name)).write {
                try $0.execute(sql: "CREATE TRIGGER full BEFORE INSERT ON notice BEGIN SELECT RAISE(FAIL, 'full'); END")
            }
        }
        for id in 1...7 { #expect(outbox.add(notice("small \(id)"))?.message.contains("full") == true) }
        #expect(outbox.next(limit: 99).map(\.notice.id) == ["saved"] + (3...7).map { "small \($0)" })
        #expect(outbox.takeDropped() == 2)
        for id in 1...4 { outbox.add(notice("large \(id)", size: 400)) }
        #expect(outbox.next(limit: 99).map(\.notice.id) == ["saved", "large 3", "large 4"])
        // A notice larger than the limit for all of them is kept as the only one.
        outbox.add(notice("huge", size: 5000))
        let left = outbox.next(limit: 99)
        #expect(left.map(\.notice.id) == ["saved", "huge"])
        outbox.remove(left.map(\.number))
        #expect(outbox.count == 0)
        for id in 1...2 { outbox.add(notice("again \(id)", size: 400)) }
        #expect(outbox.count == 2 && outbox.unsavedCount == 2)
        let last = try #require(outbox.next(limit: 99).last)
        // There is room again: new notices are queued behind those that wait in memory.
        for name in folder.names(in: "outbox") where name.hasSuffix(".db") {
            try DatabaseQueue(path: folder.file("outbox/" + name)).write { try $0.execute(sql: "DROP TRIGGER full") }
        }
        #expect(outbox.add(notice("after")) == nil && outbox.unsavedCount == 2)
        #expect(outbox.next(after: last.number, limit: 99).map(\.notice.id) == ["after"])
        #expect(outbox.next(limit: 99).map(\.notice.id) == ["again 1", "again 2", "after"])
    }

    /// A full disk keeps notices that were already sent. Each is still sent only once, and those behind it are sent
    /// too.
    @Test func whatCannotBeTakenFromTheDiskIsNotSentAgain() throws {
        let folder = try TemporaryFolder()
        let outbox = try Outbox(in: OutboxFolder(folder.file("outbox")), for: "a")
        for id in ["first", "second", "third"] { outbox.add(notice(id)) }
        func onDisk(_ sql: String) throws {
            for name in folder.names(in: "outbox") where name.hasSuffix(".db") {
                try DatabaseQueue(path: folder.file("outbox/" + name)).write { try $0.execute(sql: sql) }
            }
        }
        try onDisk("CREATE TRIGGER full BEFORE DELETE ON notice BEGIN SELECT RAISE(FAIL, 'full'); END")
        for id in ["first", "second"] {
            let entry = try #require(outbox.next().first)
            #expect(entry.notice.id == id)
            outbox.remove([entry.number])
        }
        #expect(outbox.next(limit: 9).map(\.notice.id) == ["third"] && outbox.count == 1)
        // Notices that wait only in memory were never on disk.
        try onDisk("CREATE TRIGGER none BEFORE INSERT ON notice BEGIN SELECT RAISE(FAIL, 'full'); END")
        outbox.add(notice("fourth"))
        outbox.remove([try #require(outbox.next(limit: 9).last).number])
        #expect(outbox.next(limit: 9).map(\.notice.id) == ["third"] && outbox.count == 1)
        // There is room again: with the next notice all are sent.
        try onDisk("DROP TRIGGER full")
        outbox.remove(outbox.next().map(\.number))
        #expect(outbox.next().isEmpty && outbox.count == 0)
    }

    /// One notice fails while a later one succeeds; the sender asks for those after the last one that it has sent.
    @Test func whatFailsAfterALaterOneSucceededIsSentToo() async throws {
        let folder = try TemporaryFolder()
        var limits = OutboxLimits()
        limits.unsaved = 10_000
        let outbox = try Outbox(in: OutboxFolder(folder.file("outbox")), for: "a", limits: limits)
        outbox.add(notice("first"))
        for name in folder.names(in: "outbox") where name.hasSuffix(".db") {
            try await DatabaseQueue(path: folder.file("outbox/" + name)).write {
                try $0.execute(
                    sql:
                        "CREATE TRIGGER full BEFORE INSERT ON notice WHEN NEW.id LIKE 'bad%' BEGIN SELECT RAISE(FAIL, 'full'); END"
                )
            }
        }
        let count = 400
        let seen = await withTaskGroup(of: [String].self) { group in
            for kind in ["bad", "good"] {
                group.addTask {
                    for number in 1...count { outbox.add(notice("\(kind) \(number)")) }
                    return []
                }
            }
            group.addTask {
                var (seen, last) = ([String](), Int64(0))
                let deadline = ContinuousClock.now + .seconds(60)
                while seen.count <= 2 * count, .now < deadline {
                    for entry in outbox.next(after: last, limit: 20) {
                        seen.append(entry.notice.id)
                        last = entry.number
                    }
                    await Task.yield()
                }
                return seen
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(seen.count == 2 * count + 1 && Set(seen).count == seen.count)
        for kind in ["bad", "good"] {
            #expect(seen.filter { $0.hasPrefix(kind) } == (1...count).map { "\(kind) \($0)" })
        }
    }

    /// Another user's file is not written to, whatever the folder links to.
    @Test func aLinkInItsPlaceIsNotFollowed() throws {
        let folder = try TemporaryFolder()
        let place = try OutboxFolder(folder.file("outbox"))
        let other = try folder.write("mine", to: "other")
        try FileManager.default.createSymbolicLink(atPath: place.file(of: "a", 1), withDestinationPath: other)
        #expect(throws: FramegrepError.self) { try Outbox(in: place, for: "a") }
        try FileManager.default.removeItem(atPath: other)
        #expect(throws: FramegrepError.self) { try Outbox(in: place, for: "a") }
        #expect(!FileManager.default.fileExists(atPath: other))
    }

    @Test func nobodyElseMayLookIntoIt() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("outbox")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        chmod(path, 0o755)
        let outbox = try Outbox(in: OutboxFolder(path), for: "a https://host/?token=secret")
        outbox.add(notice("1"))
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o700)
        let names = try FileManager.default.contentsOfDirectory(atPath: path)
        #expect(!names.isEmpty && !names.contains { $0.contains("secret") })
        for name in names {
            #expect(stat("\(path)/\(name)", &status) == 0 && status.st_mode & 0o777 == 0o600, "\(name)")
        }
    }

    @Test func whatCannotBeUsedIsSaidInASentence() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("x", to: "file")
        #expect(throws: FramegrepError.self) { try OutboxFolder(file) }
        #expect(throws: FramegrepError.self) { try OutboxFolder(file + "/below") }
        let outboxes = try OutboxFolder(folder.file("outbox"))
        _ = try Outbox(in: outboxes, for: "a")
        for name in folder.names(in: "outbox") where name.hasSuffix(".db") {
            _ = try folder.write(String(repeating: "this is no database. ", count: 100), to: "outbox/\(name)")
        }
        #expect(throws: FramegrepError.self) { try Outbox(in: outboxes, for: "a") }
    }
}

extension TemporaryFolder {
    fileprivate func names(in folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: file(folder))) ?? []
    }
}
