import ArgumentParser
import Errors
import Foundation
import TextIndex

/// The file that `index plan` wrote: a unit a line, the first being number 0.
struct UnitList {
    let path: String
    private let lines: [Data.SubSequence]

    /// - Throws: ``FramegrepError`` (`badArgument`) if it cannot be read or has nothing in it.
    init(path: String) throws {
        self.path = path
        do {
            // Mapped, because each of ten thousand units is a program that looks at one line.
            let data = try Data(contentsOf: URL(fileURLWithPath: path), options: .mappedIfSafe)
            lines = data.split(separator: UInt8(ascii: "\n"))
        } catch {
            throw FramegrepError(
                .badArgument, "The plan \(path) cannot be read; 'framegrep index plan ARCHIVE > \(path)' writes one.")
        }
        guard !lines.isEmpty else { throw FramegrepError(.badArgument, "The plan \(path) has no units in it.") }
    }

    var count: Int { lines.count }

    /// - Throws: ``FramegrepError`` (`badArgument`) if there is none of that number, or it is not as it was planned.
    func unit(_ number: Int) throws -> ArchiveUnit {
        guard lines.indices.contains(number) else {
            throw FramegrepError(
                .badArgument, "There is no unit \(number) in \(path); it has \(count), from 0 to \(count - 1).")
        }
        guard let unit = try? JSONDecoder().decode(ArchiveUnit.self, from: Data(lines[number])), unit.isWhole,
            unit.unit == number
        else {
            throw FramegrepError(
                .badArgument,
                "Line \(number + 1) of \(path) is no unit as 'framegrep index plan' writes it; plan the archive again.")
        }
        guard unit.reading.program == ProgramVersion.text else {
            throw FramegrepError(
                .badArgument,
                "The plan \(path) was made by framegrep \(unit.reading.program), and this is \(ProgramVersion.text), which may read otherwise; use that one, or plan again."
            )
        }
        return unit
    }
}

/// One unit or several that follow each other: `7`, `0-99`.
struct UnitRange: ExpressibleByArgument {
    let numbers: ClosedRange<Int>

    init?(argument: String) {
        let ends = argument.split(separator: "-", omittingEmptySubsequences: false).map {
            $0.allSatisfy(\.isNumber) ? Int($0) : nil
        }
        guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1], first <= last else {
            return nil
        }
        numbers = first...last
    }
}
