import Dispatch
import Foundation
import Testing
import TextSpotting

@testable import TextIndex

/// Each test has disks of its own, because one that stalls does so for the whole program.
@Suite(.timeLimit(.minutes(1))) struct SlowDiskTests {
    @Test func resultsAreInTheOrderOfTheItems() {
        let items = Array(0..<1000)
        #expect(SlowDisk.map(items, on: { Int64($0 % 3) - 100 }) { -$0 } == items.map { -$0 })
        #expect(SlowDisk.map([Int](), on: { _ in -1 }) { $0 } == [])
    }

    /// What was known before is used, other disks answer, and the disk is used again as soon as it does.
    @Test func aStalledDiskHoldsUpNothing() async throws {
        let stall = DispatchSemaphore(value: 0)
        let items: [(disk: Int64, number: Int)] = [(-201, 0), (-202, 1), (-201, 2), (-201, 3), (-202, 4)]
        let found = SlowDisk.map(items, on: { $0.disk }, patience: .milliseconds(200)) { _, number in
            if number == 2 { stall.wait() }
            return number
        }
        #expect(found == [0, 1, nil, nil, 4])
        // No second thread waits there.
        #expect(SlowDisk.map([1], on: { _ in -201 }) { $0 } == [nil])
        let sources = [-201, -202].map { disk in
            IndexedSource(
                id: .drawn(), name: "/nowhere/at all", manner: "",
                stamp: .init(size: 1, modified: 1, inode: 1, device: disk),
                digest: nil, state: .complete)
        }
        sources.forEach { #expect($0.lack == .unreachable) }
        stall.signal()
        while SlowDisk.map([1], on: { _ in -201 }, { $0 }) == [nil] { try await Task.sleep(for: .milliseconds(1)) }
    }

    /// A disk that is slow is not one that stalls: time counts from one answer to the next.
    @Test func manyFilesMayTakeLong() {
        let found = SlowDisk.map(Array(0..<30), on: { _ in -301 }, patience: .seconds(1)) { number in
            Thread.sleep(forTimeInterval: 0.04)
            return number
        }
        #expect(found == Array(0..<30))
    }
}
