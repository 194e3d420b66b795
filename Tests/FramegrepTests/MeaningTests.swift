import Engines
import Foundation
import TestSupport
import Testing

/// Search by meaning, as users request it.
@Suite(
    .serialized, .timeLimit(.minutes(5)),
    .enabled(
        if: MeaningInstallation.find().problem == nil, "search by meaning is not installed (framegrep setup --meaning)")
)
struct MeaningTests {
    private func find(_ arguments: String...) async throws -> Framegrep.Outcome {
        try await Framegrep.run(["find", "--engine", "tesseract"] + arguments)
    }

    @Test func otherWordsAndLanguagesAreFoundAndMarked() async throws {
        let clip = try await cutsClip()
        // EXIT 12 is there from frame 35 to 75.
        for question in ["way out", "출구", "Ausgang"] {
            let outcome = try await find("--meaning", question, clip)
            #expect(outcome.lines == ["\(clip):00:00:01.400-00:00:03.000: ≈ EXIT 12"], "\(question): \(outcome.stderr)")
            #expect(outcome.status == 0)
        }
        let cooking = try await find("--meaning", "부엌", "--format", "jsonl", clip)
        #expect(cooking.objects.map { $0["text"] as? String } == ["Kitchen"])
        #expect(cooking.objects.map { $0["kind"] as? String } == ["meaning"])
        #expect(cooking.objects.map { $0["pattern"] as? String } == ["~ 부엌"])
    }

    @Test func besideWordsTheseComeFirst() async throws {
        let clip = try await cutsClip()
        let outcome = try await find("--meaning", "way out", "-e", "EXIT", "--format", "jsonl", clip)
        #expect(outcome.objects.map { $0["pattern"] as? String } == ["EXIT", "~ way out"])
        #expect(outcome.objects.map { $0["kind"] as? String } == [nil, "meaning"])
        let written = try await find("~ way out", clip, "-c")
        #expect(written.stdout == "1\n")
        let text = try await find("\\~ way out", clip, "-c")
        #expect(text.stdout == "0\n" && text.status == 1)
    }

    @Test func whatIsNotThereIsNotFound() async throws {
        let clip = try await cutsClip()
        for question in ["polar bears", "Steuererklärung", "치과 예약"] {
            #expect(try await find("--meaning", question, clip).status == 1, "\(question)")
        }
    }

    @Test func whatMeansItIsHidden() async throws {
        let outcome = try await Framegrep.run(
            ["redact", "--engine", "tesseract", "--meaning", "way out", try await cutsClip(), "--plan", "-", "--show"])
        #expect(outcome.objects.compactMap { $0["text"] as? String } == ["EXIT 12"], "\(outcome)")
    }

    @Test(arguments: [1, 3])
    func threadsDoNotMatter(threads: Int) async throws {
        let clip = try await cutsClip()
        let one = try await find(
            "--meaning", "way out", "--min-score", "0", "--format", "jsonl", "--threads", "2", clip)
        let other = try await find(
            "--meaning", "way out", "--min-score", "0", "--format", "jsonl", "--threads", "\(threads)", clip)
        #expect(one.stdout == other.stdout && !one.stdout.isEmpty)
    }

    @Test func aRunningPictureIsSearchedToo() async throws {
        let clip = try await standingClip()
        let outcome = try await Framegrep.run([
            "live", "--engine", "tesseract", "--headless", "--format", "jsonl", "--meaning", "게이트", clip,
        ])
        let appeared = outcome.objects.filter { $0["type"] as? String == "appeared" }
        #expect(appeared.map { $0["text"] as? String } == ["GATE"], "\(outcome.stderr)")
        #expect(appeared.map { $0["kind"] as? String } == ["meaning"])
    }

    /// The index gives the same results as reading, whether it was prepared when written or later.
    @Test func theIndexIsSearchedToo() async throws {
        let clip = try await cutsClip()
        let (early, late) = (try TemporaryFolder(), try TemporaryFolder())
        let questions = ["--meaning", "way out", "--meaning", "부엌", "-e", "EXIT", "--format", "jsonl"]
        let read = try await find(
            questions[0], questions[1], "--no-index", "--meaning", "부엌", "-e", "EXIT", "--format", "jsonl", clip)
        let home = try TemporaryFolder()
        for (folder, environment) in [(early, [:]), (late, ["FRAMEGREP_HOME": home.path])] {
            let index = try await Framegrep.run(
                ["index", "--engine", "tesseract", "--index", folder.path, clip], environment: environment)
            #expect(index.status == 0, "\(index.stderr)")
        }
        let unprepared = try await Framegrep.run(["find", "--index", late.path] + questions)
        #expect(
            unprepared.stderr.contains("index --meaning")
                && unprepared.objects.map { $0["kind"] as? String }.first == .some(nil))
        let refused = try await Framegrep.run(
            ["index", "--meaning", "--index", late.path], environment: ["FRAMEGREP_HOME": home.path])
        #expect(refused.status == 2 && refused.stderr.contains("framegrep setup --meaning"))
        let prepared = try await Framegrep.run(["index", "--meaning", "--index", late.path])
        #expect(prepared.status == 0 && prepared.stderr.contains("can be searched by meaning"), "\(prepared.stderr)")
        for folder in [early, late] {
            for inputs in [[], [clip]] {
                let found = try await find(["--index", folder.path] + questions + inputs)
                #expect(Self.told(found) == Self.told(read), "\(found.stderr)")
            }
        }
        let status = try await Framegrep.run(["index", "status", "--index", late.path])
        #expect(status.stdout.contains("by meaning: all of these lines"))
        try await repairs(late.path)
    }

    /// Damaged vectors do not lose a recording, and each message says what to do next.
    private func repairs(_ index: String) async throws {
        let files = try FileManager.default.subpathsOfDirectory(atPath: index).filter { $0.hasSuffix(".fgv") }
        let vectors = URL(fileURLWithPath: index + "/" + (try #require(files.first)))
        try Data(contentsOf: vectors).dropLast(1).write(to: vectors)
        let check = try await Framegrep.run(["index", "check", "--index", index])
        #expect(check.status == 2 && check.stdout.contains("index --meaning"), "\(check.stdout)")
        let found = try await find(["--index", index, "--meaning", "way out", "-e", "EXIT"])
        #expect(found.status == 2 && found.stderr.contains("they are damaged") && found.lines.count == 1)
        let repair = try await Framegrep.run(["index", "repair", "--index", index])
        #expect(repair.status == 0 && repair.stderr.contains("'framegrep index --meaning' rebuilds the vectors"))
        #expect(!repair.stderr.contains("reads what was lost"))
        let prepared = try await Framegrep.run(["index", "--meaning", "--index", index])
        #expect(prepared.status == 0)
        let again = try await find(["--index", index, "--meaning", "way out"])
        #expect(again.status == 0 && again.lines.count == 1 && !again.stderr.contains("damaged"))
    }

    private func find(_ arguments: [String]) async throws -> Framegrep.Outcome {
        try await Framegrep.run(["find", "--engine", "tesseract"] + arguments)
    }

    /// Returns the output for each sighting, with scores to two decimals.
    private static func told(_ outcome: Framegrep.Outcome) -> [String] {
        outcome.objects.filter { $0["type"] as? String == "sighting" }.map { sighting in
            let score = ((sighting["score"] as? Double ?? 0) * 20).rounded() / 20
            return
                "\(sighting["pattern"] ?? "") \(sighting["text"] ?? "") \(sighting["start"] ?? "") \(sighting["end"] ?? "") \(sighting["kind"] ?? "") \(score)"
        }
    }

    @Test func explainSaysWhatTheScoreIsMadeOf() async throws {
        let outcome = try await Framegrep.run("explain", "--meaning", "way out", "EXIT")
        #expect(outcome.status == 0)
        #expect(outcome.stdout.contains("how alike the two are") && outcome.stdout.contains("match     ≈ 'EXIT'"))
        let json = try await Framegrep.run("explain", "--format", "json", "--meaning", "way out", "EXIT")
        let meanings = json.objects.first?["meanings"] as? [[String: Any]]
        #expect((meanings?.first?["closeness"] as? Double ?? 0) > 0.3)
        #expect(try await Framegrep.run("explain", "--meaning", "way out", "POLAR BEARS").status == 1)
        // Several texts are judged alone and together.
        let block = try await Framegrep.run(
            "explain", "--meaning", "please keep your belongings with you", "Do not leave", "luggage unattended")
        let judged = block.stdout.split(separator: "\n").filter { $0.hasPrefix("text ") }.map { $0.dropFirst(10) }
        #expect(judged == ["Do not leave", "luggage unattended", "Do not leave luggage unattended"], "\(block)")
    }

    @Test func theExamplesOfTheDocumentAreWhatIsPrinted() async throws {
        let blocks = try Checkout.text("docs/MEANING.md").components(separatedBy: "```console\n$ framegrep explain ")
            .dropFirst()
        #expect(!blocks.isEmpty)
        for block in blocks {
            let lines = block.components(separatedBy: "\n```")[0].split(separator: "\n", maxSplits: 1)
            // As in a shell: text between apostrophes is one argument.
            let arguments = lines[0].split(separator: "'", omittingEmptySubsequences: false).enumerated().flatMap {
                $0.offset % 2 == 1 ? [String($0.element)] : $0.element.split(separator: " ").map(String.init)
            }
            let outcome = try await Framegrep.run(["explain"] + arguments)
            #expect(outcome.stdout.trimmingCharacters(in: .newlines) == String(lines[1]), "\(arguments)")
        }
    }
}

/// Invalid questions, with and without the model.
@Suite(.serialized, .timeLimit(.minutes(5))) struct MeaningProblemTests {
    private func fails(
        _ arguments: [String], saying words: String..., environment: [String: String] = [:]
    ) async throws {
        let outcome = try await Framegrep.run(arguments, environment: environment)
        #expect(outcome.status == 2 && outcome.stdout.isEmpty, "\(arguments): \(outcome.stderr)")
        for word in words { #expect(outcome.stderr.contains(word), "\(arguments): \(outcome.stderr)") }
        #expect(outcome.lines.count < 3)
    }

    @Test func withoutTheModelOneSentenceSaysHowToGetIt() async throws {
        let folder = try TemporaryFolder()
        let nothing = ["FRAMEGREP_HOME": folder.path]
        let clip = try await cutsClip()
        try await fails(
            ["find", "--meaning", "way out", clip], saying: "framegrep setup --meaning", environment: nothing)
        try await fails(["explain", "~ way out", "EXIT"], saying: "framegrep setup --meaning", environment: nothing)
        try FileManager.default.createDirectory(
            atPath: folder.file("meaning"), withIntermediateDirectories: true)
        try Data("no model".utf8).write(to: URL(fileURLWithPath: folder.file("meaning/encoder")))
        try await fails(
            ["find", "--meaning", "way out", clip], saying: "setup --remove --meaning", environment: nothing)
        // Searching for words needs no model.
        let words = try await Framegrep.run(
            ["find", "--engine", "tesseract", "EXIT", clip], environment: nothing)
        #expect(words.status == 0)
    }

    @Test func whatMakesNoSenseIsSaid() async throws {
        let clip = try await cutsClip()
        try await fails(["find", "--meaning", "", clip], saying: "no words")
        try await fails(["find", "--meaning", "a", "-E", clip], saying: "--meaning", "-E")
        try await fails(["find", "--meaning", "a", "--exact", clip], saying: "--meaning", "--exact")
        for odd in ["12345", "🙂", "...", String(repeating: "word ", count: 2_000)] {
            try await fails(["find", "--meaning", odd, clip])
        }
        try await fails(["values", clip, "~ speed"])
    }
}
