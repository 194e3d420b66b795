import Foundation
import Synchronization
import Testing
import Threads

/// Runs blocking work on a separate thread; the test continues at once.
func inBackground(_ body: @escaping @Sendable () -> Void) {
    let thread = Thread(block: body)
    thread.start()
}

@Suite struct LatestSlotTests {
    @Test func theNewestValueReplacesTheOneBeforeAndIsCounted() async {
        let slot = LatestSlot<Int>()
        for value in 1...5 { slot.put(value) }
        #expect(slot.skipped == 4)
        #expect(await slot.take() == 5)
        slot.put(6)
        #expect(slot.skipped == 4)
        #expect(await slot.take() == 6)
    }

    @Test func finishingLeavesTheLastValue() async {
        let slot = LatestSlot<Int>()
        slot.put(1)
        slot.finish()
        slot.put(2)
        #expect(await slot.take() == 1)
        #expect(await slot.take() == nil)
    }

    @Test func closingDropsIt() async {
        let slot = LatestSlot<Int>()
        slot.put(1)
        slot.close()
        #expect(await slot.take() == nil)
    }

    @Test func whoeverWaitsIsWokenByAValue() async {
        let slot = LatestSlot<Int>()
        async let taken = slot.take()
        inBackground { slot.put(7) }
        #expect(await taken == 7)
    }

    @Test func whoeverWaitsIsWokenByTheEnd() async {
        for ends in [{ $0.finish() }, { $0.close() }] as [@Sendable (LatestSlot<Int>) -> Void] {
            let slot = LatestSlot<Int>()
            async let taken = slot.take()
            inBackground { ends(slot) }
            #expect(await taken == nil)
        }
    }

    @Test func aCancelledTaskGetsNothingAndTheSlotLivesOn() async {
        let slot = LatestSlot<Int>()
        for _ in 0..<200 {
            let waiting = Task { await slot.take() }
            waiting.cancel()
            #expect(await waiting.value == nil)
        }
        slot.put(1)
        #expect(await slot.take() == 1)
    }

    @Test func nothingIsLostOrDuplicatedBetweenTwoThreads() async {
        let slot = LatestSlot<Int>()
        let count = 100_000
        inBackground {
            for value in 1...count { slot.put(value) }
            slot.finish()
        }
        var taken = 0
        var last = 0
        var isAscending = true
        while let value = await slot.take() {
            isAscending = isAscending && value > last
            last = value
            taken += 1
        }
        #expect(isAscending)
        #expect(last == count)
        #expect(taken + slot.skipped == count)
    }

    @Test func theLastValueBeforeTheEndIsNeverLost() async {
        var lost = 0
        for _ in 0..<10_000 {
            let slot = LatestSlot<Int>()
            let putting = Task.detached {
                slot.put(1)
                slot.finish()
            }
            if await slot.take() != 1 { lost += 1 }
            await putting.value
        }
        #expect(lost == 0)
    }

    @Test func valuesThatCannotBeCopiedPass() async {
        struct Owned: ~Copyable, Sendable { let number: Int }
        let slot = LatestSlot<Owned>()
        slot.put(Owned(number: 3))
        slot.put(Owned(number: 4))
        var number: Int?
        if let taken = await slot.take() { number = taken.number }
        #expect(number == 4)
        #expect(slot.skipped == 1)
    }
}
