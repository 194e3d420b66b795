import Testing

@testable import Threads

@Suite("Processors that may be used")
struct ProcessorsTests {
    @Test(
        "the affinity counts, and a control group's quota where it amounts to fewer",
        arguments: [
            (16, [], 16), (16, ["max 100000\n"], 16), (16, ["200000 100000\n"], 2), (16, ["250000 100000"], 3),
            (2, ["800000 100000"], 2), (16, ["max 100000", "400000 100000", "600000 100000"], 4),
            (16, ["10000 100000"], 1), (16, ["", "0 0", "-1 100000", "many of them"], 16), (0, [], 1),
        ] as [(Int, [String], Int)])
    func count(affinity: Int, quotas: [String], expected: Int) {
        #expect(Processors.usable(affinity: affinity, quotas: quotas) == expected)
    }

    @Test("there is one at least") func here() { #expect(Processors.usable >= 1) }

    @Test(
        "the least of the machine's memory and the limits of control groups counts",
        arguments: [(8000, [], 8000), (8000, ["max\n", "3000\n", "5000\n"], 3000), (8000, ["9000", "0", ""], 8000)])
    func memory(installed: Int, limits: [String], expected: Int) {
        #expect(MachineMemory.usable(installed: installed, limits: limits) == expected)
    }

    @Test func thisMachineHasMemory() { #expect(MachineMemory.usable > 64 << 20) }
}
