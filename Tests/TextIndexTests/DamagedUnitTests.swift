import Errors
import Foundation
import Testing
import TextSpotting

@testable import TextIndex

/// Damaged files of an archive's units: they count as not there, and are read again.
@Suite struct DamagedUnitTests {
    private let folder = IndexTestFolder()

    @Test func aBrokenUnitIsNotThere() throws {
        let unit = Units.one
        let outcome = UnitResult.Outcome(end: 4, duration: 4, isStill: false, wallStart: nil, problem: nil)
        #expect(try UnitResult.isWhole(unit, in: folder.path) == nil)
        try UnitResult.write([Lines.part([Lines.line("EXIT")])], of: unit, outcome, to: folder.path)
        let path = folder.path + "/" + unit.fileName
        #expect(try UnitResult.isWhole(unit, in: folder.path) == true)
        let good = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        var random = SeededGenerator(seed: 3)
        for _ in 0..<100 {
            var bad = good
            let place = Int.random(in: 0..<good.count * 8, using: &random)
            bad[place / 8] ^= 1 << UInt8(place % 8)
            try Data(bad).write(to: URL(fileURLWithPath: path))
            #expect(try UnitResult.isWhole(unit, in: folder.path) == false, "bit \(place)")
            #expect(throws: FramegrepError.self) { try UnitResult(path: path) }
        }
        for bad in [[], Array(good.prefix(good.count / 2)), Array(good.prefix(4096)), good + [0]] {
            try Data(bad).write(to: URL(fileURLWithPath: path))
            #expect(try UnitResult.isWhole(unit, in: folder.path) == false, "\(bad.count) bytes")
        }
        // An intact file under another one's name.
        var other = unit
        other.input = "/b.mp4"
        try Data(good).write(to: URL(fileURLWithPath: folder.path + "/" + other.fileName))
        #expect(try UnitResult.isWhole(other, in: folder.path) == false)
        // A file of a program from before checksums.
        try Data(good).write(to: URL(fileURLWithPath: path))
        try OldFile.make(of: path, isCatalog: false)
        #expect(try UnitResult.isWhole(unit, in: folder.path) == true)
    }

    /// A unit may claim anything about itself.
    @Test func aUnitThatSaysNonsenseIsRefused() throws {
        let outcome = UnitResult.Outcome(end: 4, duration: 4, isStill: false, wallStart: nil, problem: nil)
        var units = [Units.one, Units.one, Units.one]
        units[0].pieces = -3
        units[1].pieces = .max
        units[2].from = 1e300
        for unit in units {
            try UnitResult.write([Lines.part([Lines.line("EXIT")])], of: unit, outcome, to: folder.path)
            #expect(throws: FramegrepError.self) { try UnitResult(path: folder.path + "/" + unit.fileName) }
        }
        for end in [-1, 1e12, 1e300] {
            let outcome = UnitResult.Outcome(end: end, duration: 4, isStill: false, wallStart: nil, problem: nil)
            #expect(!outcome.isSensible)
        }
    }
}
