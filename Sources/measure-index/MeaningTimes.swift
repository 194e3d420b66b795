import Engines
import Foundation
import TextIndex
import TextMatching

/// How long questions take that an index is asked, how much memory that is, and how much the vectors take on the disk.
struct MeaningTimes {
    let folder: IndexFolder

    /// The questions of a file as `Tests/MeaningTests/questions.txt`.
    static func questions(_ path: String) throws -> [String] {
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
        let asking = lines.filter { line in
            let parts = line.split(separator: " ", maxSplits: 1)
            return parts.count == 2 && parts[0].count == 2 && parts[0].allSatisfy(\.isLowercase)
        }
        return asking.map { String($0.dropFirst(3)) }
    }

    func measure(_ questions: [String]) throws {
        try prepare()
        guard let index = try TextIndex.forSearching(folder) else { return }
        let coverage = try index.vectorCoverage(MeaningInstallation.source)
        print(
            "vectors: \(coverage.texts) texts, \(coverage.missing) without; \(coverage.bytes / 1_000_000) MB, "
                + "\(Double(coverage.bytes * 10 / Int64(max(1, coverage.texts))) / 10) bytes a text")
        var times: [Double] = []
        var work: [Double] = []
        var found = 0
        let before = Self.peak
        let mode = SearchMode(meaning: MeaningInstallation.source)
        for question in questions {
            let (begun, busy) = (ContinuousClock.now, MeasureIndex.processorTime)
            let answer = try index.search(
                for: try mode.matcher(for: ["~ " + question]), minimumScore: Matcher.usualMinimumScore)
            times.append(MeasureIndex.seconds(.now - begun) * 1000)
            work.append((MeasureIndex.processorTime - busy) * 1000)
            found += answer.sightings.values.reduce(0) { $0 + $1.count }
        }
        print(
            "\(questions.count) questions: \(MeasureIndex.summary(times)); processor time \(MeasureIndex.summary(work)); "
                + "\(found) sightings; memory \(before) MiB before, at most \(Self.peak) MiB")
    }

    /// Makes the vectors that are missing.
    private func prepare() throws {
        let begun = ContinuousClock.now
        let made = try TextIndex.forWriting(folder).makeVectors(with: MeaningInstallation.source)
        if made.texts > 0 {
            print("\(made.texts) texts prepared in \(Int(MeasureIndex.seconds(.now - begun))) s")
        }
    }

    /// The most memory that this program has used, in MiB.
    private static var peak: Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
        return (Int(line.filter(\.isNumber)) ?? 0) / 1024
    }
}
