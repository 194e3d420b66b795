import ArgumentParser
import Engines
import Foundation
import Processes
import Testing
import TextMatching
import TextSpotting

@testable import Spotter
@testable import framegrep

/// The command lines of processes that this program starts keep the given options and texts, whatever the texts
/// contain.
@Suite struct JobPlanTests {
    /// Texts that would be options, ends of options, or two words.
    private static let texts = ["--exec=x", "-v", "--", "a=b", "WAY OUT", "~ way out"]
    private static let sources = ["-lobby.mp4", "a b.mp4"]

    private func options(_ plan: JobPlan, dropping count: Int = 1) -> [String] {
        Array(plan.arguments.dropFirst(count))
    }

    @Test(arguments: [PatternKind.plain, .exact, .expression], [false, true])
    func aSearchIsFindsSearch(kind: PatternKind, isStrict: Bool) throws {
        let manner = SearchMode(
            kind: kind, options: MatchOptions(caseSensitive: isStrict, wholeWords: !isStrict), requiresAll: isStrict)
        let part = JobPlan.Part(
            from: StreamTime(seconds: 1.5), to: StreamTime(seconds: 90), since: "2026-11-20", until: "2h ago")
        let plan = JobPlan(
            .find(.init(Self.texts, manner), minimumScore: 0.25, in: part, index: "/an index"), of: Self.sources)
        #expect(plan.arguments.first == "find")
        let find = try FindCommand.parse(options(plan))
        #expect(find.patterns.patterns == Self.texts && find.arguments == Self.sources)
        let read = find.patterns.manner
        #expect(read.kind == kind && read.options == manner.options && read.requiresAll == isStrict)
        #expect(find.reading.minScore == 0.25 && find.index.path == "/an index" && find.output.format == .jsonl)
        #expect(find.from == TimeArgument(argument: "1.5") && find.to == TimeArgument(argument: "90"))
        #expect(find.wall.since == "2026-11-20" && find.wall.until == "2h ago")
    }

    @Test func theWholeTextIsReadWithoutTheIndex() throws {
        let find = try FindCommand.parse(options(JobPlan(.readText(in: .init()), of: Self.sources)))
        #expect(find.text.allText && find.noIndex && find.output.format == .jsonl && find.arguments == Self.sources)
        #expect(find.patterns.patterns.isEmpty && find.from == nil && find.to == nil)
    }

    @Test func aPictureIsWatchedForAWhile() throws {
        let plan = JobPlan(.watch(.init(Self.texts), count: 3, seconds: 30), of: ["-camera"])
        #expect(plan.arguments.first == "live")
        let live = try LiveCommand.parse(options(plan)).request
        #expect(live.options.patterns.patterns == Self.texts && live.arguments == ["-camera"])
        #expect(live.options.output.headless && live.options.output.format == .jsonl)
        #expect(live.options.maximumCount == 3 && live.options.limits.timeout?.time == StreamTime(seconds: 30))
    }

    @Test(arguments: [nil, "/an index"]) func aCameraFeedsThePage(index: String?) throws {
        let plan = JobPlan(.feed(options: ["--engine=tesseract"], index: index), of: ["-camera"])
        let live = try LiveCommand.parse(plan.arguments).request
        #expect(live.arguments == ["-camera"] && live.options.laterPatterns.areAwaited && live.options.output.headless)
        #expect(live.options.remembering.remember == (index != nil))
        #expect(live.options.reading.reader.engine == .tesseract)
    }

    @Test(arguments: [false, true]) func recordingsAreIndexed(skims: Bool) throws {
        let plan = JobPlan(.index(folder: "/an index", skims: skims), of: Self.sources)
        #expect(plan.arguments.prefix(2) == ["index", "add"])
        let add = try IndexAddCommand.parse(options(plan, dropping: 2))
        #expect(add.index.path == "/an index" && add.skim == skims && add.arguments == Self.sources)
    }

    /// The process gets every name and every word as they are, and more than once: it begins anew after a crash.
    @Test func aProcessGetsItsPlanOnItsInput() throws {
        let odd = [0xFF, 0xFE, 0x2F, 0x0A, 0x22, 0x5C, 0xE9] as [UInt8]
        let sources = Self.sources + ["caf\u{E9}.mp4", "cafe\u{301}.mp4", FileName.text(of: odd), "", "a\r\nb"]
        let plan = JobPlan(.planHiding(.init(Self.texts + sources), into: "-plan"), of: sources)
        let descriptor = try #require(plan.input())
        defer { close(descriptor) }
        for _ in 0..<2 {
            let read = try #require(JobPlan(fromInput: descriptor))
            #expect(read == plan && read.arguments.map { Array($0.utf8) } == plan.arguments.map { Array($0.utf8) })
            // It is no recording for 'find'.
            #expect(lseek(descriptor, 0, SEEK_CUR) > 0)
        }
        let (nothing, other) = (
            open("/dev/null", O_RDONLY), try #require(PipeBytes.file(of: Array("{}".utf8), label: "test"))
        )
        #expect(JobPlan(fromInput: nothing) == nil && JobPlan(fromInput: other) == nil)
        close(nothing)
        close(other)
    }

    @Test func aCopyIsPlannedAndWritten() throws {
        let search = JobPlan.Search(Self.texts, SearchMode(requiresAll: true))
        let planned = try RedactCommand.parse(options(JobPlan(.planHiding(search, into: "-plan"), of: ["-a.mp4"])))
        #expect(planned.patterns.patterns == Self.texts && planned.patterns.all && planned.hiding.plan == "-plan")
        #expect(planned.arguments == ["-a.mp4"] && planned.reading.isQuiet)
        let hidden = try RedactCommand.parse(options(JobPlan(.hide(search, into: "-copy.mp4"), of: ["-a.mp4"])))
        #expect(hidden.patterns.patterns == Self.texts && hidden.hiding.path == "-copy.mp4")
        let kept = try RedactCommand.parse(
            options(JobPlan(.hidePlanned(plan: "-plan", into: "-copy.mp4"), of: ["-a.mp4"])))
        #expect(kept.patterns.patterns.isEmpty && kept.hiding.apply?.path == "-plan" && kept.hiding.copyAnyway)
        #expect(kept.hiding.path == "-copy.mp4" && kept.arguments == ["-a.mp4"])
    }
}
