import Foundation
import Testing
import TextSpotting

@testable import TextIndex

@Suite struct ArchiveUnitTests {
    private func reading(_ grid: Double) -> ArchiveUnit.Reading {
        ArchiveUnit.Reading(
            engine: "neural", level: "fast", language: nil, region: nil, maximumAge: nil, program: "1", grid: grid)
    }

    private func units(_ seconds: Double?, grid: Double = 1800) -> [ArchiveUnit] {
        ArchiveUnit.units(
            of: "/a.mp4", fingerprint: "f", length: seconds.map(StreamTime.init(seconds:)), manner: "neural fast",
            reading: reading(grid), first: 5)
    }

    /// A rest shorter than a tenth of a unit is not a separate unit.
    @Test(arguments: [(10.0, 1), (1800, 1), (1979, 1), (1981, 2), (3600, 2), (7200.04, 4), (86_400, 48)])
    func theGridDependsOnTheLengthAlone(seconds: Double, count: Int) {
        let units = units(seconds)
        #expect(units.count == count && units.allSatisfy(\.isWhole))
        #expect(units.map(\.unit) == Array(5..<5 + count) && units.map(\.piece) == Array(0..<count))
        #expect(units.first?.from == 0 && units.last?.to == nil)
        for (one, next) in zip(units, units.dropFirst()) { #expect(one.to == next.from) }
        #expect(Set(units.map(\.fileName)).count == count && Set(units.map(\.recording)).count == 1)
    }

    @Test func whatHasNoLengthIsOneUnit() { #expect(units(nil).count == 1) }

    /// A result has the same name in a plan that grew, and another one if it would contain something else.
    @Test func namesSayWhatIsInThem() throws {
        let unit = units(7200)[1]
        var other = unit
        other.unit = 99
        #expect(other.fileName == unit.fileName && other.isWhole)
        other.fingerprint = "g"
        #expect(other.fileName != unit.fileName)
        #expect(units(7200, grid: 900)[1].fileName != unit.fileName)
        other = unit
        other.reading.level = "accurate"
        #expect(!other.isWhole)
        other = unit
        other.to = nil
        #expect(!other.isWhole)
        let again = try JSONDecoder().decode(ArchiveUnit.self, from: JSONEncoder().encode(unit))
        #expect(again == unit && again.isWhole)
    }
}

@Suite struct IndexDigestTests {
    /// A lost catalog is rebuilt with all recordings.
    @Test func aLostCatalogIsMadeAnewWhole() throws {
        let folder = IndexTestFolder()
        let names = ["one", "two", "three"]
        do {
            let index = try TextIndex.forWriting(try folder.folder())
            for name in names {
                _ = try index.add(Lines.part([Lines.line("EXIT \(name)")]), of: Lines.source(name), inPlaceOf: nil)
            }
        }
        try FileManager.default.removeItem(atPath: folder.path + "/catalog.db")
        let index = try TextIndex.forWriting(try folder.folder())
        #expect(try index.found("EXIT").keys.sorted() == names.sorted())
    }

    /// The same content in another order, in other segments and with other numbers has the same digest; other content
    /// does not.
    @Test func orderAndSegmentsMakeNoDifference() throws {
        let names = (0..<10).map { "recording \($0)" }
        func build(_ names: [String], _ word: String = "same", merged: Bool) throws -> String {
            let folder = IndexTestFolder()
            let index = try TextIndex.forWriting(try folder.folder())
            for name in names {
                let lines = [Lines.line("EXIT 12 \(name)"), Lines.line(word, y: 90)]
                _ = try index.add(Lines.part(lines), of: Lines.source(name), inPlaceOf: nil)
                if merged { try index.mergeSmall() }
            }
            return try index.digest().whole
        }
        let first = try build(names, merged: false)
        #expect(try build(names.reversed(), merged: true) == first)
        #expect(try build(names, "other", merged: false) != first)
        #expect(try build(Array(names.dropLast()), merged: false) != first)
    }
}
