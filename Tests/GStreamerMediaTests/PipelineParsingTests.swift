import Errors
import GStreamerMedia
import Testing
import TextSpotting

@Suite struct PipelineParsingTests {
    @Test func missingElementNamesItsPackage() async {
        let error = await framegrepError {
            _ = try Pipeline(parsing: "videotestsrc ! avdec_nosuchcodec ! appsink name=frames")
        }
        #expect(error?.code == .missingPlugin)
        #expect(error?.message.contains("avdec_nosuchcodec") == true)
        #expect(error?.message.contains("gstreamer1.0-libav") == true)
    }

    @Test func unknownElementIsNamed() async {
        let error = await framegrepError { _ = try Pipeline(parsing: "videotestsrc ! nosuchthing ! fakesink") }
        #expect(error?.code == .missingPlugin)
        #expect(error?.message.contains("nosuchthing") == true)
    }

    @Test(arguments: [
        "videotestsrc ! ! fakesink", "videotestsrc pattern=nosuchpattern ! fakesink",
        "videotestsrc nosuch=1 ! fakesink",
        "audiotestsrc ! videoconvert ! fakesink", "", "videotestsrc ! video/x-raw,width= ! fakesink", "(((",
    ])
    func nonsenseIsABadPipeline(description: String) async {
        let error = await framegrepError { _ = try Pipeline(parsing: description) }
        #expect(error?.code == .badPipeline, "\(String(describing: error))")
        #expect(error?.message.hasSuffix(".") == true)
    }

    @Test(arguments: ["auto", "identity", "90r", "horiz"])
    func aDirectionStaysAsItWasWritten(direction: String) throws {
        let pipeline = try Pipeline(
            parsing: "videotestsrc ! videoflip name=turn video-direction=\(direction) ! appsink name=frames")
        #expect(pipeline.propertyString("video-direction", ofElementNamed: "turn") == direction)
    }

    @Test func framesSinkIsRequired() async throws {
        let pipeline = try Pipeline(parsing: "videotestsrc ! fakesink name=other")
        let missing = await framegrepError { _ = try pipeline.appSink(named: "frames") }
        #expect(missing?.code == .badPipeline)
        #expect(missing?.message.contains("the description needs `appsink name=frames`") == true)
        let wrong = await framegrepError { _ = try pipeline.appSink(named: "other") }
        #expect(wrong?.message.contains("fakesink") == true)
        #expect(pipeline.appSource(named: "overlay") == nil)
    }

    @Test func overlayIsAnAppsrcWithSomethingBehindItOrMissing() async throws {
        for rest in ["", "appsrc name=overlay ! fakesink", "tee name=t ! fakesink appsrc name=overlay ! t."] {
            try Pipeline(parsing: "videotestsrc ! appsink name=frames \(rest)").checkAppSource(named: "overlay")
        }
        let wrong = try Pipeline(parsing: "videotestsrc ! appsink name=frames identity name=overlay ! fakesink")
        let refusal = await framegrepError { try wrong.checkAppSource(named: "overlay") }
        #expect(refusal?.code == .badPipeline && refusal?.message.contains("identity") == true)
        let loose = try Pipeline(parsing: "videotestsrc ! appsink name=frames appsrc name=overlay")
        let nothing = await framegrepError { try loose.checkAppSource(named: "overlay") }
        #expect(nothing?.code == .badPipeline && nothing?.message.hasPrefix("Nothing follows") == true)
    }

    @Test func singleElementIsAPipelineToo() throws {
        let pipeline = try Pipeline(parsing: "videotestsrc name=source pattern=ball")
        #expect(pipeline.propertyString("pattern", ofElementNamed: "source")?.contains("ball") == true)
    }

    @Test func propertiesAreSetAsText() async throws {
        let pipeline = try Pipeline(parsing: "videotestsrc name=source ! fakesink")
        try pipeline.setProperty("num-buffers", to: "7", onElementNamed: "source")
        #expect(pipeline.propertyString("num-buffers", ofElementNamed: "source") == "7")
        let error = await framegrepError { try pipeline.setProperty("nosuch", to: "7", onElementNamed: "source") }
        #expect(error?.code == .badPipeline)
    }

    @Test func changedPropertiesAreReported() throws {
        let pipeline = try Pipeline(parsing: "videotestsrc ! appsink name=frames max-buffers=50 drop=true")
        let changes = try pipeline.appSink(named: "frames").configure(maxBuffers: 2, drop: true, sync: false)
        #expect(changes.map(\.description) == ["max-buffers=50 is now max-buffers=2"])
    }

    @Test func capsThatAreNoVideoAreRefused() async throws {
        let pipeline = try Pipeline(parsing: "audiotestsrc ! appsink name=frames caps=audio/x-raw")
        let error = await framegrepError {
            try pipeline.appSink(named: "frames").configure(maxBuffers: 1, drop: false, sync: false)
        }
        #expect(error?.code == .badPipeline)
    }

    @Test func runtimeTakesOnlyItsOwnOptions() throws {
        #expect(try MediaRuntime.initialize(arguments: ["find", "--gst-debug-no-color", "EXIT"]) == ["find", "EXIT"])
        #expect(MediaRuntime.version.hasPrefix("GStreamer 1."))
        #expect(MediaRuntime.hasElement("videotestsrc"))
        #expect(!MediaRuntime.hasElement("nosuchelement"))
    }
}
