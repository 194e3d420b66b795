import Foundation
import TestSupport
import Testing
import TextSpotting

@testable import framegrep

/// The options of `find` and the forms of its results, as documentation and help promise them.
@Suite(.serialized, .timeLimit(.minutes(5))) struct FindOptionsTests {
    private func find(_ arguments: String..., environment: [String: String] = [:]) async throws -> Framegrep.Outcome {
        try await Framegrep.run(["find", "--engine", "tesseract"] + arguments, environment: environment)
    }

    @Test func findIsWhatItDoesWithoutACommand() async throws {
        let clip = try await cutsClip()
        let outcome = try await Framegrep.run(["BUBBLES", clip, "--engine", "tesseract"])
        #expect(outcome.status == 0)
        #expect(outcome.stdout == "\(clip):00:00:00.800-00:00:02.000: BUBBLES\n")
    }

    @Test func theMatchIsColoredWhenAsked() async throws {
        let clip = try await cutsClip()
        let colored = try await find("12", clip, "--color", "always").stdout
        #expect(colored.contains("EXIT \u{1B}[01;31m12\u{1B}[m"))
        #expect(colored.replacing(/\u{1B}\[[0-9;]*m/, with: "") == (try await find("12", clip).stdout))
        #expect(try await find("12", clip).stdout.contains("\u{1B}") == false)
    }

    @Test func countsAndNames() async throws {
        let clip = try await cutsClip()
        #expect(try await find("-e", "BUBBLES", "-e", "EXIT", "-c", clip).stdout == "2\n")
        let none = try await find("-c", "zebra", clip)
        #expect(none.stdout == "0\n" && none.status == 1)
        #expect(try await find("-l", "EXIT", clip).stdout == "\(clip)\n")
        let other = try await ClipCache.shared.path(
            "other.mp4", KnownClip(frameCount: 20, words: [KnownWord(text: "OTHER", x: 50, y: 50, frames: 0..<20)]))
        #expect(try await find("-l", "EXIT", clip, other).stdout == "\(clip)\n")
        #expect(try await find("-c", "EXIT", clip, other).stdout == "\(clip):1\n\(other):0\n")
    }

    @Test func quietSaysItByStatusAlone() async throws {
        let clip = try await cutsClip()
        for (word, status) in [("EXIT", 0), ("zebra", 1)] as [(String, Int32)] {
            let outcome = try await find("-q", word, clip)
            #expect(outcome.status == status && outcome.stdout == "" && outcome.stderr == "")
        }
        // As in grep, a match takes precedence over a missing file if only the status is requested.
        #expect(try await find("-q", "EXIT", "nothere.mp4", clip).status == 0)
        #expect(try await find("EXIT", "nothere.mp4", clip).status == 2)
    }

    @Test func atMostSoMany() async throws {
        let clip = try await cutsClip()
        let words = ["-e", "BUBBLES", "-e", "EXIT", "-e", "GATE", "-e", "Kitchen", clip]
        func sightings(_ options: String...) async throws -> [[String: Any]] {
            try await Framegrep.run(["find", "--engine", "tesseract", "--format", "jsonl"] + options + words).objects
                .sorted { ($0["id"] as? Int ?? 0) < ($1["id"] as? Int ?? 0) }
        }
        let all = try await sightings()
        #expect(all.count == 4)
        for maximum in 1...3 {
            // These are the first to begin, not the first to end.
            let some = try await sightings("-m", "\(maximum)")
            #expect(some.compactMap { $0["id"] as? Int } == Array(1...maximum))
            for (part, whole) in zip(some, all) {
                #expect(part["text"] as? String == whole["text"] as? String)
                #expect(part["start"] as? Double == whole["start"] as? Double)
                #expect((part["end"] as? Double ?? 9) <= (whole["end"] as? Double ?? 0))
            }
        }
        // It ends when the second has begun, before either is over.
        let lines = try await find("-m", "1", "BUBBLES", clip).lines
        #expect(lines == ["\(clip):00:00:00.800-00:00:00.840: BUBBLES"])
    }

    @Test func caseAndWholeWords() async throws {
        let clip = try await cutsClip()
        #expect(try await find("bubbles", clip).status == 0)
        #expect(try await find("-s", "bubbles", clip).status == 1)
        #expect(try await find("-s", "BUBBLES", clip).status == 0)
        #expect(try await find("BUBBLE", clip).status == 0)
        #expect(try await find("-w", "BUBBLE", clip).status == 1)
        #expect(try await find("-w", "EXIT", clip).status == 0)
    }

    @Test func severalPatternsFromOptionsAndFiles() async throws {
        let clip = try await cutsClip()
        let folder = try TemporaryFolder()
        let file = try folder.write("BUBBLES\n\nzebra\r\nExit 12\n", to: "words")
        let outcome = try await find("-e", "GATE", "-f", file, clip, "--format", "jsonl")
        #expect(outcome.objects.compactMap { $0["pattern"] as? String }.sorted() == ["BUBBLES", "Exit 12", "GATE"])
        // A pattern that looks like an option.
        #expect(try await find("-e", "-12", clip).status != 2)
    }

    @Test func aRegionAndAPartOfTheTime() async throws {
        let clip = try await cutsClip()
        #expect(try await find("GATE", clip, "--region", "0,0,50%,40%").status == 0)
        #expect(try await find("GATE", clip, "--region", "0,50%,100%,50%").status == 1)
        #expect(try await find("GATE", clip, "--region", "320,0,320,360").status == 1)
        let part = try await find("BUBBLES", clip, "--from", "1.2", "--to", "0:01.6", "--format", "jsonl").objects
        #expect(part.count == 1)
        #expect(part.first?["start"] as? Double == 1.2)
        #expect(part.first?["end"] as? Double == 1.6)
        #expect(try await find("BUBBLES", clip, "--from", "2.1").status == 1)
        #expect(try await find("BUBBLES", clip, "--to", "0.7").status == 1)
        #expect(try await find("BUBBLES", clip, "--from", "00:01:00").status == 1)
        // The end is the actual end of the recording, whatever it declares.
        let whole = try SearchedTime(from: nil, to: TimeArgument(argument: "100%"))
            .resolved(in: StreamTime(seconds: 3), of: clip) { _ in }
        #expect(whole.to == nil)
    }

    @Test func jsonLinesHoldTheContract() async throws {
        let clip = try await cutsClip()
        let outcome = try await find("exit", clip, "--format", "jsonl")
        let object = try #require(outcome.objects.first)
        #expect(
            Set(object.keys) == [
                "type", "version", "id", "pattern", "text", "line", "source", "start", "end", "wall_start", "score",
                "peak",
            ])
        #expect(object["type"] as? String == "sighting" && object["version"] as? Int == 1)
        #expect(object["id"] as? Int == 1)
        #expect(object["pattern"] as? String == "exit")
        #expect(object["text"] as? String == "EXIT")
        #expect(object["line"] as? String == "EXIT 12")
        #expect(object["source"] as? String == clip)
        let score = try #require(object["score"] as? Double)
        #expect(score > 0.5 && score <= 1)
        let peak = try #require(object["peak"] as? [String: Any])
        #expect(Set(peak.keys) == ["t", "quad"])
        // The fields are in the order of the contract.
        let order = ["type", "version", "id", "pattern", "text", "line", "source", "start", "end", "score", "peak"].map
        {
            outcome.stdout.range(of: "\"\($0)\":")!.lowerBound
        }
        #expect(order == order.sorted())
        let quad = try #require(peak["quad"] as? [[Double]])
        #expect(
            quad[0][0] < quad[1][0] && quad[1][1] < quad[2][1] && quad[3][0] < quad[2][0] && quad[0][1] < quad[3][1])
    }

    @Test func allTextIsReportedLineByLine() async throws {
        let clip = try await cutsClip()
        let outcome = try await find("zebra", clip, "--all-text", "--format", "jsonl")
        #expect(outcome.status == 1)
        let lines = Set(outcome.objects.compactMap { $0["line"] as? String })
        #expect(lines.isSuperset(of: ["BUBBLES", "EXIT 12"]))
        #expect(outcome.objects.allSatisfy { $0["type"] as? String == "text" })
    }

    @Test func commaSeparatedValues() async throws {
        let clip = try await cutsClip()
        let lines = try await find("12", clip, "--format", "csv").lines
        #expect(lines.count == 2)
        #expect(lines.first == "source,id,pattern,text,line,start,end,score,peak,x,y,width,height")
        let fields = lines[1].split(separator: ",", omittingEmptySubsequences: false)
        #expect(fields.count == 13)
        #expect(
            fields[1] == "1" && fields[2] == "12" && fields[4] == "EXIT 12" && fields[5] == "1.4" && fields[6] == "3")
    }

    @Test func subtitles() async throws {
        let clip = try await cutsClip()
        let srt = try await find("-e", "BUBBLES", clip, "--format", "srt").stdout
        #expect(srt == "1\n00:00:00,800 --> 00:00:02,000\nBUBBLES\n\n")
        let vtt = try await find("-e", "BUBBLES", clip, "--format", "vtt").stdout
        #expect(vtt == "WEBVTT\n\n1\n00:00:00.800 --> 00:00:02.000\nBUBBLES\n\n")
        // GATE began before it and ends after it.
        let both = try await find("-e", "BUBBLES", "-e", "GATE", clip, "--format", "vtt").lines
        #expect(
            both.filter { $0.contains("-->") }.map { $0.prefix(12) } == ["00:00:00.000", "00:00:00.800"], "\(both)")
    }

    @Test func resultsGoIntoAFileWhenAsked() async throws {
        let clip = try await cutsClip()
        let folder = try TemporaryFolder()
        let path = try folder.write(
            "old results, longer than the new ones, much longer than them, really a lot longer", to: "out")
        let outcome = try await find("GATE", clip, "-o", path)
        #expect(outcome.stdout == "" && outcome.status == 0)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "\(clip):00:00:00.000-00:00:03.000: GATE\n")
    }

    @Test func namesThatWouldMoveTheCursorAreMadeVisible() async throws {
        let clip = try Data(contentsOf: URL(fileURLWithPath: try await cutsClip()))
        let folder = try TemporaryFolder()
        let names = [
            "a\nb", "\u{1B}[31mred\u{1B}[0m", "bell\u{7}", "\u{202E}4pm.exe", "\r", "\u{9B}2J",
        ]
        let path = try folder.write(clip, to: names.joined() + ".mp4")
        try await sideBySide(["text", "csv", "srt", "vtt", "jsonl"]) { format in
            let outcome = try await find("BUBBLES", path, "--format", format)
            #expect(outcome.status == 0, "\(outcome)")
            expectVisible(outcome)
            if format == "text" { #expect(outcome.lines.count == 1) }
            if format == "jsonl" { #expect(outcome.objects.first?["source"] as? String == path) }
        }
        expectVisible(try await find("-l", "BUBBLES", path))
        expectVisible(try await find("zebra\u{1B}[31m", path, "-v"))
        try await sideBySide(names) { name in
            expectVisible(try await find("zebra", folder.file("missing-" + name)))
            expectVisible(try await find("-l", "BUBBLES", try folder.write(clip, to: name + ".mp4")))
        }
    }

    private func expectVisible(_ outcome: Framegrep.Outcome, sourceLocation: SourceLocation = #_sourceLocation) {
        for text in [outcome.stdout, outcome.stderr] {
            let raw = text.unicodeScalars.filter {
                ($0.value < 0x20 && $0 != "\n") || $0.value == 0x7F || (0x80...0x9F).contains($0.value)
                    || (0x202A...0x202E).contains($0.value)
            }
            #expect(raw.isEmpty, "\(text.debugDescription)", sourceLocation: sourceLocation)
        }
    }

    @Test func nothingBecomesAFormula() async throws {
        let clip = try Data(contentsOf: URL(fileURLWithPath: try await cutsClip()))
        let folder = try TemporaryFolder()
        for name in ["=1+2.mp4", "+1.mp4", "@SUM.mp4", "-x.mp4"] {
            _ = try folder.write(clip, to: name)
            let outcome = try await Framegrep.run(
                ["find", "--engine", "tesseract", "--format", "csv", "-e", "BUBBLES", "--", name], in: folder.path)
            #expect(outcome.lines.count == 2, "\(outcome)")
            #expect(outcome.lines.last?.first.map { "=+-@".contains($0) } == false)
            #expect(outcome.lines.last?.contains("'" + name) == true)
        }
    }

    @Test func stills() async throws {
        let folder = try TemporaryFolder()
        let clip = KnownClip.cuts
        for (name, index) in [("one.png", 10), ("two.png", 40), ("three.png", 60)] {
            try clip.picture(index).writePNG(to: folder.file(name))
        }
        let outcome = try await Framegrep.run(
            ["find", "--engine", "tesseract", "--format", "jsonl", "BUBBLES"]
                + ["one.png", "two.png", "three.png"].map(folder.file))
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.objects.compactMap { $0["source"] as? String } == [folder.file("two.png")])
        let box = try #require(boundsOf((outcome.objects.first?["peak"] as? [String: Any])?["quad"]))
        #expect(box.overlap(try #require(try clip.place(of: "BUBBLES", inFrame: 40))) > 0.6)
        if let convert = Tool("convert") {
            _ = try await convert.run([folder.file("two.png"), folder.file("two.jpg")])
            #expect(try await find("BUBBLES", folder.file("two.jpg")).status == 0)
        }
        // This glob has not been expanded by a shell.
        let glob = try await find("BUBBLES", folder.file("*.png"), "-l")
        #expect(glob.lines == [folder.file("two.png")], "\(glob)")
    }

    @Test func whatRunsIsShown() async throws {
        let clip = try await cutsClip()
        let outcome = try await find("x", clip, "--print-pipeline")
        #expect(outcome.status == 0)
        #expect(outcome.stdout.contains("uridecodebin") && outcome.stdout.contains("appsink name=frames"))
        let verbose = try await find("GATE", clip, "-v")
        #expect(verbose.stderr.contains("Tesseract") && verbose.stderr.contains("75 frames"))
        #expect(verbose.lines.count == 1)
    }

    @Test func helpAndVersion() async throws {
        for arguments in [["--help"], ["find", "--help"], ["live", "--help"], ["run", "--help"], ["--version"]] {
            let outcome = try await Framegrep.run(arguments)
            #expect(outcome.status == 0 && !outcome.stdout.isEmpty && outcome.stderr == "")
        }
        let doctor = try await Framegrep.run("doctor")
        #expect(doctor.status == 0 && doctor.stdout.contains("GStreamer") && doctor.stdout.contains("Tesseract"))
        #expect(try await Framegrep.run("devices").status != 2)
    }
}
