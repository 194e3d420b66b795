import ArgumentParser
import Errors
import Foundation
import Spotter
import Synchronization
import Testing
import TextMatching
import TextSpotting

@testable import framegrep

/// The patterns of a running job after lines of standard input and changed files.
@Suite(.timeLimit(.minutes(1))) struct PatternChangesTests {
    /// A reader that reads nothing.
    private struct Blind: TextReader {
        let name = "nothing"
        let pictureFormat = Picture.Format.luma
        let concurrency = 1
        func read(_ picture: Picture) async throws -> [TextLine] { [] }
    }

    private typealias Line = Result<String, FramegrepError>

    private struct Outcome: Equatable {
        var searched: [String]
        var warnings: [String] = []
    }

    /// Returns the patterns after `change`, and the warnings.
    private func after(
        with arguments: [String] = ["-e", "GATE"], _ change: @escaping @Sendable (PatternChanges) async throws -> Void
    ) async throws -> Outcome {
        let options = try PatternOptions.parse(arguments)
        let spotter = LiveSpotter(
            description:
                "videotestsrc is-live=true ! video/x-raw,width=64,height=48,framerate=10/1 ! appsink name=frames",
            settings: LiveSettings(), reader: Blind(), matcher: try options.matcher(positional: nil))
        let warnings = Mutex<[String]>([])
        let (opening, opened) = AsyncStream.makeStream(of: Void.self)
        async let end = spotter.run { event in
            switch event {
            case .state: opened.yield()
            case .warning(let warning): warnings.withLock { $0.append(warning.message) }
            default: break
            }
        }
        for await _ in opening { break }
        try await change(PatternChanges(spotter, options: options))
        let searched = spotter.matcher.patterns.map(\.text)
        spotter.stop()
        _ = try await end
        return Outcome(searched: searched, warnings: warnings.withLock { $0 })
    }

    private func lines(_ texts: String...) -> @Sendable (PatternChanges) async -> Void {
        { await $0.take(texts.map { Line.success($0) }) }
    }

    @Test func aLineIsSearchedForInsteadOfWhatWasBefore() async throws {
        let one = try await after(lines("BUBBLES"))
        #expect(one == Outcome(searched: ["BUBBLES"]))
    }

    @Test func aLineWithAPlusIsSearchedForToo() async throws {
        let one = try await after(lines("+BUBBLES", "+EXIT"))
        #expect(one == Outcome(searched: ["GATE", "BUBBLES", "EXIT"]))
        let two = try await after(lines("\\+1"))
        #expect(two == Outcome(searched: ["+1"]))
    }

    @Test func linesThatCameAtOnceAreTakenTogether() async throws {
        let one = try await after(lines("ONE", "+TWO", "THREE", "+FOUR"))
        #expect(one == Outcome(searched: ["THREE", "FOUR"]))
        let two = try await after(lines("ONE", "", "+TWO"))
        #expect(two == Outcome(searched: ["TWO"]))
        let three = try await after(lines(""))
        #expect(three == Outcome(searched: []))
    }

    @Test func ofManyLinesOnlyThoseThatCannotBeSearchedForAreLeftOut() async throws {
        let result = try await after(with: ["-E", "-e", "GATE"], lines("+A+", "+(", "+B+", "+C+", "+[", "+D+"))
        #expect(result.searched == ["GATE", "A+", "B+", "C+", "D+"])
        #expect(result.warnings.count == 2)
        #expect(result.warnings.allSatisfy { $0.hasSuffix("The search continues as before.") })
    }

    @Test func aLineThatIsNoneIsAWarning() async throws {
        let result = try await after { changes in
            await changes.take([.failure(FramegrepError(.badPattern, "The line is too long.")), .success("EXIT")])
        }
        #expect(result == Outcome(searched: ["EXIT"], warnings: ["The line is too long."]))
    }

    @Test func filesAreReadAnew() async throws {
        let path = NSTemporaryDirectory() + "framegrep-\(UUID().uuidString).txt"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try "GATE\n".write(toFile: path, atomically: true, encoding: .utf8)
        let changed = try await after(with: ["-f", path]) { changes in
            try "EXIT\nLIFT\n".write(toFile: path, atomically: true, encoding: .utf8)
            await changes.readFiles()
        }
        #expect(changed == Outcome(searched: ["EXIT", "LIFT"]))
        let gone = try await after(with: ["-f", path]) { changes in
            try FileManager.default.removeItem(atPath: path)
            await changes.readFiles()
        }
        #expect(gone.searched == ["EXIT", "LIFT"])
        #expect(gone.warnings.count == 1 && gone.warnings[0].contains(path))
    }
}
