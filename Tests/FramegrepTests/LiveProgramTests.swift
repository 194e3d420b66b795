import Foundation
import TestSupport
import Testing
import TextSpotting

/// `live` and `run` without a window.
@Suite(.serialized, .timeLimit(.minutes(5))) struct LiveProgramTests {
    private let headless = ["--headless", "--engine", "tesseract"]

    @Test func eventsHoldTheContract() async throws {
        let clip = try await standingClip()
        let outcome = try await Framegrep.run(
            ["live", "BUBBLES", clip, "--events", "jsonl", "--stats"] + headless)
        #expect(outcome.status == 0)
        #expect(outcome.objects.count == outcome.lines.count)
        var types: [String] = []
        for object in outcome.objects {
            let type = try #require(object["type"] as? String)
            if types.last != type { types.append(type) }
            let wall = try #require(object["wall"] as? String)
            #expect(wall.wholeMatch(of: /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z/) != nil, "\(wall)")
            #expect(object.keys.contains("t"))
            #expect(object["version"] as? Int == 1 && object["source"] as? String == clip)
            let fields = Set(object.keys).subtracting(["type", "version", "source", "t", "wall"])
            let figures: Set = [
                "fps_in", "fps_shown", "fps_read", "skipped", "dropped", "read_ms_p50", "read_ms_p95",
                "staleness_ms_p50",
                "staleness_ms_p95", "memory_mib", "boxes_dropped", "events_dropped",
            ]
            switch type {
            case "appeared": #expect(fields == ["id", "pattern", "text", "line", "score", "quad", "latency_ms"])
            case "disappeared":
                #expect(fields == ["id", "pattern", "text", "line", "score", "start", "end", "peak"])
            case "stats": #expect(fields == figures)
            case "state": #expect(fields == ["state", "message"])
            case "end":
                #expect(fields == figures.union(["reason", "sightings"]))
                #expect(object["reason"] as? String == "eos")
                #expect(object["sightings"] as? Int == 1)
            default: Issue.record("an event of the unknown type \(type)")
            }
        }
        #expect(
            types.last == "end" && types.contains("appeared") && types.contains("disappeared")
                && types.contains("stats"))
        let appeared = try #require(outcome.objects.first { $0["type"] as? String == "appeared" })
        let box = try #require(boundsOf(appeared["quad"]))
        #expect(box.overlap(try #require(try KnownClip.standing.place(of: "BUBBLES", inFrame: 30))) > 0.6)
    }

    @Test func boxesAreEventsOnlyWhenAskedFor() async throws {
        let clip = try await standingClip()
        try await sideBySide([[], ["--boxes"]]) { extra in
            let outcome = try await Framegrep.run(
                [
                    "run", "--find", "GATE", "--engine", "tesseract", "--events", "jsonl",
                    "filesrc location=\(clip) ! decodebin ! appsink name=frames appsrc name=overlay ! fakesink sync=true",
                ] + extra)
            let boxes = outcome.objects.filter { $0["type"] as? String == "box" }
            #expect(boxes.isEmpty == extra.isEmpty)
            #expect(boxes.allSatisfy { $0["id"] as? Int == 1 && boundsOf($0["quad"]) != nil })
        }
    }

    @Test func withoutEventsTheResultIsThatOfFind() async throws {
        let clip = try await standingClip()
        let headless = headless
        @Sendable func live(_ arguments: String...) async throws -> Framegrep.Outcome {
            try await Framegrep.run(["live"] + arguments + headless)
        }
        async let (missing, silent) = (live("zebra", clip), live("GATE", clip, "-q"))
        let outcome = try await live("GATE", clip)
        #expect(outcome.status == 0)
        // A reading that is slower than the history kept of the picture cannot know that the word was there before.
        let line = /:00:00:0[0-5]\.\d\d\d-00:00:0[4-6]\.\d\d\d: GATE/
        #expect(outcome.lines.count == 1, "\(outcome.lines)")
        #expect(outcome.lines.first?.dropFirst(clip.count).wholeMatch(of: line) != nil, "\(outcome.lines)")
        #expect(outcome.lines.first?.hasPrefix(clip) == true)
        #expect(try await missing.status == 1)
        let quiet = try await silent
        #expect(quiet.status == 0 && quiet.stdout == "" && quiet.stderr == "")
        let statistics = try await live("GATE", clip, "--stats")
        #expect(statistics.stderr.contains("skipped") && statistics.lines.count == 1)
    }

    @Test func aPipelineOfOnesOwn() async throws {
        let description =
            "videotestsrc pattern=white num-buffers=60 ! video/x-raw,width=480,height=200,framerate=30/1 ! "
            + "textoverlay text=${word:-EXIT} color=0xff000000 draw-shadow=false draw-outline=false font-desc=\"Sans Bold 36\" ! appsink name=frames"
        let outcome = try await Framegrep.run(["run", description, "--find", "EXIT", "--engine", "tesseract"])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.lines.count == 1)
        #expect(
            try await Framegrep.run(["run", description, "word=DOOR", "--find", "EXIT", "--engine", "tesseract"]).status
                == 1)
        let folder = try TemporaryFolder()
        let file = try folder.write("# a comment\n\(description)\n", to: "words.launch")
        let printed = try await Framegrep.run(["run", file, "word=a b!", "--find", "NOWHERE 4711", "--print-pipeline"])
        #expect(printed.status == 0 && printed.stdout.contains(#"text=a\ b\!"#) && !printed.stdout.contains("comment"))
    }

    @Test func propertiesThatAreChangedAreSaidWhenAskedFor() async throws {
        let description = "videotestsrc num-buffers=5 ! appsink name=frames drop=true max-buffers=1 sync=true "
        let overlay = "appsrc name=overlay block=false max-buffers=9 ! fakesink"
        let arguments = ["run", description + overlay, "--find", "NOWHERE 4711", "--engine", "tesseract"]
        let outcome = try await Framegrep.run(arguments + ["-v"])
        #expect(outcome.status == 1, "\(outcome)")
        for change in [
            "'frames' are set by the program itself: max-buffers=1 is now max-buffers=3, drop=true is now drop=false.",
            "'overlay' are set by the program itself: max-buffers=9 is now max-buffers=2.",
        ] { #expect(outcome.stderr.contains(change), "\(outcome.stderr)") }
        #expect(try await !Framegrep.run(arguments).stderr.contains("is now"))
    }

    @Test func aRecordingIsCompleteAfterCtrlC() async throws {
        let folder = try TemporaryFolder()
        let source = try folder.write(
            "videotestsrc is-live=true pattern=white ! video/x-raw,width=320,height=180,framerate=25/1 ! textoverlay text=EXIT color=0xff000000 font-desc=\"Sans Bold 30\" ! appsink name=frames\n"
                + "appsrc name=overlay ! videoconvert ! x264enc tune=zerolatency speed-preset=veryfast ! mp4mux ! filesink location=${to}\n",
            to: "record.launch")
        let running = try Running(
            Framegrep.path,
            [
                "run", source, "to=\(folder.file("seen.mp4"))", "--find", "EXIT", "--engine", "tesseract", "--format",
                "jsonl", "--stats",
            ])
        #expect(await running.wait { running.stdout.contains("\"stats\"") && running.stdout.contains("appeared") })
        running.send(SIGINT)
        let outcome = await running.end(within: 60)
        #expect(!outcome.timedOut && outcome.status == 130, "\(outcome)")
        #expect(outcome.objects.last?["type"] as? String == "end")
        #expect(outcome.objects.last?["reason"] as? String == "signal")
        #expect(try await pictures(of: folder.file("seen.mp4")).count > 10)
    }

    /// A branch of the pipeline that is slower than the search is given the time to write its file.
    @Test func aFileBesideTheFramesIsCompleted() async throws {
        let folder = try TemporaryFolder()
        let description =
            "videotestsrc num-buffers=40 ! video/x-raw,width=160,height=90,framerate=100/1 ! tee name=t ! queue ! appsink name=frames "
            + "t. ! queue max-size-buffers=0 max-size-bytes=0 max-size-time=0 ! identity sleep-time=50000 ! jpegenc ! qtmux "
            + "! filesink location=\(folder.file("all.mov"))"
        let outcome = try await Framegrep.run(["run", description, "--find", "NOWHERE 4711", "--engine", "tesseract"])
        #expect(outcome.status == 1, "\(outcome)")
        #expect(try await pictures(of: folder.file("all.mov")).count == 40)
    }

    /// The encoder keeps all frames until it gets the end, so nothing is written before the source is over.
    @Test func aRecordingThatCannotBeCompletedAtTheEndIsAFailure() async throws {
        let description =
            "videotestsrc pattern=white num-buffers=30 ! video/x-raw,width=480,height=200,framerate=30/1 ! "
            + "textoverlay text=EXIT color=0xff000000 draw-shadow=false draw-outline=false font-desc=\"Sans Bold 36\" ! appsink name=frames "
            + "appsrc name=overlay ! videoconvert ! x264enc ! mp4mux ! filesink location=/dev/full"
        let outcome = try await Framegrep.run(["run", description, "--find", "EXIT", "--engine", "tesseract"])
        #expect(outcome.status == 2, "\(outcome)")
        #expect(outcome.stderr.contains("/dev/full") && outcome.stderr.contains("disk is full"), "\(outcome)")
        // The results so far are still printed.
        #expect(outcome.lines.count == 1, "\(outcome)")
    }

    @Test func aFileIsRecordedAtItsOwnSpeedSoThatBoxesAreInIt() async throws {
        let clip = try await standingClip()
        let folder = try TemporaryFolder()
        // A box is drawn however long its reading took.
        let outcome = try await Framegrep.run(
            ["live", "GATE", clip, "--record", folder.file("seen.mp4"), "--max-age", "60"] + headless)
        #expect(outcome.status == 0, "\(outcome)")
        let (before, after) = (try await pictures(of: clip), try await pictures(of: folder.file("seen.mp4")))
        #expect(after.count == before.count)
        // The status line stands at an edge of the picture; the box is looked for where the word is.
        let truth = try #require(try KnownClip.standing.place(of: "GATE", inFrame: 0)).grown(by: 12)
        let boxed = zip(before, after).filter {
            difference($0.cropped(to: truth), $1.cropped(to: truth), above: 150) != nil
        }
        #expect(boxed.count > 30, "\(boxed.count) frames have the box")
    }

    @Test func gstreamersOwnOptionsArePassedOn() async throws {
        let outcome = try await Framegrep.run([
            "find", "GATE", try await cutsClip(), "--engine", "tesseract", "--gst-debug=*:4", "--gst-debug-no-color",
        ])
        #expect(outcome.status == 0 && outcome.stderr.contains("INFO"))
    }
}
