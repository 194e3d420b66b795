import Errors
import Foundation
import Synchronization
import Testing
import TextMatching
import TextSpotting

@testable import TextIndex

/// Knows a few words: each group of words has its own direction, and so does each other text. Counts the texts that it
/// gets.
private final class DirectionModel: MeaningModel {
    private static let groups = [["exit", "way", "out"], ["fire", "flames"], ["lift", "elevator"], ["use", "ride"]]
    let name: String
    let background = [Float](repeating: 0, count: VectorCode.width)
    let asked = Mutex<[String]>([])

    init(name: String = "directions") { self.name = name }

    var count: Int { asked.withLock(\.count) }

    static func direction(_ seed: UInt64) -> [Float] {
        var random = SeededGenerator(seed: seed)
        return (0..<VectorCode.width).map { _ in Float.random(in: -1...1, using: &random) }
    }

    static func unit(_ vector: [Float]) -> [Float] {
        let length = vector.reduce(0) { $0 + $1 * $1 }.squareRoot()
        return vector.map { $0 / length }
    }

    func vectors(of texts: [String]) -> [[Float]] {
        asked.withLock { $0 += texts }
        return texts.map { text in
            let words = Set(text.split { !$0.isLetter }.map(String.init))
            var vector = [Float](repeating: 0, count: VectorCode.width)
            for (place, group) in Self.groups.enumerated() where !words.isDisjoint(with: group) {
                for (index, number) in Self.direction(UInt64(place)).enumerated() { vector[index] += number }
            }
            if vector.allSatisfy({ $0 == 0 }) {
                vector = Self.direction(text.utf8.reduce(1_000) { ($0 &* 31) &+ UInt64($1) })
            }
            return Self.unit(vector)
        }
    }

    func probability(ofCloseness closeness: Double) -> Double { closeness < 0.4 ? 0 : min(1, closeness) }
}

/// The vectors of texts: created, stored, searched, and removed with their texts.
@Suite struct VectorTests {
    private let folder = IndexTestFolder()
    private let model = DirectionModel()
    private var source: MeaningSource { MeaningSource { [model] in model } }

    private func filled(
        _ texts: [String: [String]], in folder: IndexTestFolder? = nil, with meaning: MeaningSource?
    ) throws -> TextIndex {
        let index = try TextIndex.forWriting(try (folder ?? self.folder).folder(), meaning: meaning)
        for (name, lines) in texts.sorted(by: { $0.key < $1.key }) {
            _ = try index.add(Lines.part(lines.map { Lines.line($0) }), of: Lines.source(name), inPlaceOf: nil)
        }
        return index
    }

    private func answer(_ index: TextIndex, _ patterns: String..., in sources: Set<SourceID>? = nil) throws
        -> TextIndex.Answer
    {
        try index.search(
            for: try SearchMode(meaning: source).matcher(for: patterns), in: sources, minimumScore: 0.3)
    }

    private func lines(_ answer: TextIndex.Answer) -> [String] {
        answer.sightings.values.flatMap { $0.map { ($0.isByMeaning ? "≈ " : "") + $0.line } }.sorted()
    }

    private func vectorFiles(_ folder: IndexTestFolder? = nil) throws -> [String] {
        let folder = try (folder ?? self.folder).folder()
        return folder.segmentsOnDisk().filter { $0.hasSuffix(".fgv") }.map(folder.segment)
    }

    @Test func whatWasAddedIsFoundByItsMeaning() throws {
        let index = try filled(
            ["a": ["EXIT 12", "Kitchen"], "b": ["FLAMES", "nothing here", "7"]], with: source)
        #expect(lines(try answer(index, "~ way out")) == ["≈ EXIT 12"])
        #expect(lines(try answer(index, "~ fire", "~ out", "kitchen")) == ["Kitchen", "≈ EXIT 12", "≈ FLAMES"])
        #expect(lines(try answer(index, "~ polar bears")) == [])
        let b = try #require(try index.sources().first { $0.name == "b" })
        #expect(lines(try answer(index, "~ fire", "~ out", in: [b.id])) == ["≈ FLAMES"])
        let coverage = try index.vectorCoverage(source)
        #expect(coverage.texts == 5 && coverage.missing == 0 && coverage.bytes > 0)
        #expect(try index.check().isEmpty)
        let sighting = try #require(try answer(index, "~ way out").sightings.values.first?.first)
        #expect(sighting.text == "EXIT 12" && sighting.pattern == "~ way out" && sighting.score > 0.6)
    }

    @Test func linesTogetherAreFoundWhereTheyStoodTogether() throws {
        let index = try TextIndex.forWriting(try folder.folder(), meaning: source)
        var part = Lines.part([Lines.line("FIRE", y: 40), Lines.line("USE THE STAIRS", y: 64)])
        part.steps = [0]
        for index in part.lines.indices {
            part.lines[index].steps = 0..<1
            for word in part.lines[index].words.indices {
                part.lines[index].words[word] = .init(id: index * 4 + word, start: .zero, end: StreamTime(seconds: 2))
            }
        }
        _ = try index.add(part, of: Lines.source("a"), inPlaceOf: nil)
        // Apart from each other, they are two findings.
        _ = try index.add(
            Lines.part([Lines.line("FIRE"), Lines.line("USE THE STAIRS")]), of: Lines.source("b"), inPlaceOf: nil)
        let found = try answer(index, "~ fire use")
        let names = Dictionary(uniqueKeysWithValues: try index.sources().map { ($0.id, $0.name) })
        let rows = found.sightings.map { "\(names[$0] ?? "?"): \($1.map(\.text).sorted())" }.sorted()
        #expect(rows == [#"a: ["FIRE USE THE STAIRS"]"#, #"b: ["FIRE", "USE THE STAIRS"]"#])
    }

    @Test func withoutAModelNothingIsMadeAndItIsSaid() throws {
        let index = try filled(["a": ["EXIT"], "b": ["Kitchen"]], with: nil)
        #expect(try vectorFiles().isEmpty)
        let found = try answer(index, "~ way out")
        #expect(found.sightings.isEmpty && found.problems.isEmpty)
        #expect(found.withoutVectors == Set(try index.sources().map(\.id)))
        #expect(try answer(index, "exit").withoutVectors.isEmpty, "nobody asked for meanings")
        let before = model.count
        #expect(try index.makeVectors(with: source).texts == 2)
        #expect(model.count > before)
        #expect(lines(try answer(index, "~ way out")) == ["≈ EXIT"])
        #expect(try answer(index, "~ way out").withoutVectors.isEmpty)
        #expect(try index.makeVectors(with: source).texts == 0, "all are there")
        // Vectors of another model do not count, and are computed again.
        let other = MeaningSource { DirectionModel(name: "other") }
        #expect(try index.vectorCoverage(other).missing == 2)
        #expect(try index.makeVectors(with: other).texts == 2)
        #expect(try answer(index, "~ way out").withoutVectors.count == 2)
    }

    @Test func copiesAreNotMadeAnewAndForgottenOnesAreGone() throws {
        let index = try filled(["a": ["EXIT"], "b": ["EXIT", "FLAMES"], "c": ["Kitchen"]], with: source)
        let made = model.count
        try index.rewrite(try index.catalog.segments().map(\.name))
        #expect(model.count == made)
        #expect(try vectorFiles().count == 1 && index.vectorCoverage(source).missing == 0)
        #expect(lines(try answer(index, "~ flames")) == ["≈ FLAMES"])
        let size = try index.size().bytes
        let b = try #require(try index.sources().first { $0.name == "b" })
        let row = try #require(VectorCode.bytes(of: try source.points(ofForms: ["flames?"])[0]))
        func holdsIt() throws -> Bool {
            try vectorFiles().contains { path in
                try Data(contentsOf: URL(fileURLWithPath: path)).range(of: Data(row.prefix(VectorCode.codeSize))) != nil
            }
        }
        #expect(try holdsIt())
        try index.forget([b.id])
        #expect(try !holdsIt())
        #expect(lines(try answer(index, "~ flames")) == [])
        #expect(lines(try answer(index, "~ way out")) == ["≈ EXIT"])
        #expect(try index.size().bytes <= size)
        try index.forget(Set(try index.sources().map(\.id)))
        #expect(try vectorFiles().isEmpty)
    }

    @Test func ofAGrowingPartOnlyWhatIsNewIsMade() throws {
        let index = try TextIndex.forWriting(try folder.folder(), meaning: source)
        let recording = Lines.source("a")
        let first = try index.add(
            Lines.part([Lines.line("EXIT"), Lines.line("FLAMES")]), of: recording, inPlaceOf: nil)
        let before = model.asked.withLock(\.count)
        _ = try index.add(
            Lines.part([Lines.line("EXIT"), Lines.line("FLAMES"), Lines.line("Kitchen")]), of: recording,
            inPlaceOf: first)
        #expect(model.asked.withLock { Array($0[before...]) } == ["kitchen?"])
        #expect(try index.vectorCoverage(source).missing == 0)
        #expect(try vectorFiles().count == 1)
    }

    @Test func mergingTakesThemOver() throws {
        let other = IndexTestFolder()
        let theirs = try filled(["b": ["FLAMES", "EXIT 3"]], in: other, with: source)
        let index = try filled(["a": ["EXIT"]], with: source)
        let made = model.count
        #expect(try index.merge(theirs).taken == 1)
        #expect(model.count == made)
        #expect(lines(try answer(index, "~ fire")) == ["≈ FLAMES"])
        #expect(try index.vectorCoverage(source).missing == 0)
    }

    @Test func damageIsSaidAndCostsNoRecording() throws {
        var index: TextIndex? = try filled(["a": ["EXIT", "FLAMES"], "b": ["Kitchen"]], with: source)
        try index?.rewrite(try #require(try index?.catalog.segments().map(\.name)))
        let path = try #require(try vectorFiles().first)
        let good = try Data(contentsOf: URL(fileURLWithPath: path))
        var random = SeededGenerator(seed: 5)
        for _ in 0..<60 {
            var bad = good
            bad[Int.random(in: 0..<good.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            try bad.write(to: URL(fileURLWithPath: path))
            #expect(try index?.check().map(\.kind) == [.vectors])
        }
        // A pipe replaces the file; nothing waits for it.
        unlink(path)
        try #require(mkfifo(path, 0o600) == 0)
        #expect(try index?.check().map(\.kind) == [.vectors])
        unlink(path)
        try good.dropLast(4_096).write(to: URL(fileURLWithPath: path))
        #expect(try index?.check().map(\.kind) == [.vectors])
        var found = try answer(try #require(index), "~ way out", "flames")
        #expect(found.problems.map(\.code) == [.indexDamaged] && found.incomplete.count == 2)
        #expect(lines(found) == ["FLAMES"], "words are found as ever")
        // A copy of it has no vectors, and is otherwise complete.
        let copy = try TextIndex.forWriting(try IndexTestFolder().folder())
        #expect(try copy.merge(try #require(index)).taken == 2)
        #expect(try copy.vectorCoverage(source).missing == 3)
        index = nil
        #expect(try TextIndex.repair(try folder.folder()).map(\.kind) == [.vectors])
        index = try TextIndex.forWriting(try folder.folder(), meaning: source)
        #expect(try index?.sources().count == 2 && vectorFiles().isEmpty)
        #expect(try index?.makeVectors(with: source).texts == 3)
        found = try answer(try #require(index), "~ way out", "flames")
        #expect(found.problems.isEmpty && lines(found) == ["FLAMES", "≈ EXIT"])
    }

    @Test func thoseOfANewerProgramAreLeftAlone() throws {
        let index = try filled(["a": ["EXIT"]], with: source)
        let path = try #require(try vectorFiles().first)
        var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        bytes[16] = 2
        bytes.replaceSubrange(
            0..<VectorPage.size, with: VectorPage.seal(Array(bytes[..<VectorPage.capacity]), number: 0))
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        #expect(try index.check().map(\.kind) == [.strangeVectors])
        #expect(try index.repair().map(\.isLeftAlone) == [true])
        #expect(try answer(index, "~ way out").problems.map(\.code) == [.indexNewer])
        #expect(try index.makeVectors(with: source).problems.map(\.code) == [.indexNewer])
        #expect(try Array(Data(contentsOf: URL(fileURLWithPath: path))) == bytes)
        // A merge still copies its recordings.
        #expect(try TextIndex.forWriting(try IndexTestFolder().folder()).merge(index).taken == 1)
    }

    @Test func strayOnesGoWithTheNextThatWrites() throws {
        var index: TextIndex? = try filled(["a": ["EXIT"]], with: source)
        let path = try #require(try vectorFiles().first)
        let stray = (path as NSString).deletingLastPathComponent + "/01ARZ3NDEKTSV4RRFFQ69G5FAV.fgv"
        try FileManager.default.copyItem(atPath: path, toPath: stray)
        index = nil
        _ = try TextIndex.forWriting(try folder.folder())
        #expect(try vectorFiles() == [path])
        // Vectors of another segment are not used for this one.
        index = try filled(["b": ["FLAMES"]], with: source)
        let other = try #require(try vectorFiles().first { $0 != path })
        try FileManager.default.removeItem(atPath: other)
        try FileManager.default.copyItem(atPath: path, toPath: other)
        #expect(try index?.check().map(\.kind) == [.vectors])
    }

    @Test func manyTextsAreAllFoundInWhateverPageTheyAre() throws {
        let index = try filled(
            ["a": (0..<1_100).map { "text \($0)x EXIT \($0 % 7 == 0 ? "FLAMES" : "no")" }], with: source)
        let near = try answer(index, "~ fire exit")
        // Both words are in one of seven; the others have only one of them.
        let best = near.sightings.values.flatMap { $0 }.filter { $0.score > 0.9 }
        #expect(best.count == 158 && best.allSatisfy { $0.line.contains("FLAMES") })
        #expect(near.sightings.values.flatMap { $0 }.count == NearestTexts.mostTexts, "no more are given")
        #expect(try index.check().isEmpty)
    }

    /// Returns the error of a closeness with two bits per number, compared with the vectors themselves.
    @Test func whatIsKeptIsNearToWhatItWas() throws {
        var random = SeededGenerator(seed: 9)
        let directions = (0..<40).map { DirectionModel.direction(UInt64($0)) }
        var worst = 0.0
        var squares = 0.0
        for number in 0..<400 {
            let question = DirectionModel.unit(directions[number % 40])
            let share = Float.random(in: -0.5...2, using: &random)
            let line = DirectionModel.unit(
                zip(directions[(number * 7 + 3) % 40], question).map { $0 + $1 * share * 18 })
            let (asked, kept) = (point(question, 0.21), point(line, 0.33))
            let exact = try #require(asked.closeness(to: [kept])?.value)
            let bytes = try #require(VectorCode.bytes(of: kept))
            #expect(bytes.count == VectorCode.size)
            bytes.withUnsafeBytes {
                VectorCode.Question(asked).closeness(toRows: $0, count: 1) { _, value in
                    worst = max(worst, abs(Double(value) - exact))
                    squares += (Double(value) - exact) * (Double(value) - exact)
                }
            }
        }
        #expect((squares / 400).squareRoot() < 0.025 && worst < 0.09)
        #expect(VectorCode.bytes(of: point([Float](repeating: 0, count: 512), 0)) == nil)
        #expect(VectorCode.bytes(of: point([Float](repeating: .nan, count: 512), 0)) == nil)
    }

    private func point(_ vector: [Float], _ commonness: Float) -> MeaningPoint {
        MeaningPoint(vector, background: vector.map { $0 * commonness })
    }
}
