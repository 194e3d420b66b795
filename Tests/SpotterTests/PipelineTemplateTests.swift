import Cameras
import Errors
import GStreamerMedia
import Testing
import TextSpotting

@testable import Spotter

@Suite struct PipelineTemplateTests {
    private func failure(_ text: String, _ values: [String: String] = [:]) -> FramegrepError? {
        #expect(throws: FramegrepError.self) { try PipelineTemplate(text).filled(with: values) }
    }

    @Test func holesAreFilledOrFallBack() throws {
        let template = PipelineTemplate("v4l2src device=${device:-/dev/video0} ! fakesink name=${name}")
        #expect(template.holes == ["device", "name"])
        #expect(try template.filled(with: ["name": "a"]) == "v4l2src device=/dev/video0 ! fakesink name=a")
        #expect(try template.filled(with: ["name": "a", "device": "/dev/video2"]).contains("device=/dev/video2"))
    }

    @Test func aHoleMayStandTwiceAndADefaultMayBeEmpty() throws {
        let template = PipelineTemplate("${x:-}a ${x:-b} ${x:-c:-d}")
        #expect(template.holes == ["x"])
        #expect(try template.filled(with: [:]) == "a b c:-d")
        #expect(try template.filled(with: ["x": "1"]) == "1a 1 1")
    }

    @Test func commentsAreTakenOutWithTheirHoles() throws {
        let template = PipelineTemplate("# a comment with ${hole}\n  # another\nvideotestsrc ! fakesink\n#")
        #expect(template.holes == [])
        #expect(try template.filled(with: [:]) == "videotestsrc ! fakesink")
    }

    @Test func dollarsWithoutBracesAreLeftAlone() throws {
        #expect(try PipelineTemplate("a $b $ ${c:-$} $").filled(with: [:]) == "a $b $ $ $")
    }

    @Test func anUnknownNameIsNamed() {
        let error = failure("a ${device:-x} ${size:-y}", ["divice": "1"])
        #expect(error?.code == .badPipeline)
        #expect(error?.message.contains("'divice'") == true)
        #expect(error?.message.contains("device, size") == true)
    }

    @Test func anUnfilledHoleIsNamed() {
        let error = failure("a ${device} b")
        #expect(error?.code == .badPipeline)
        #expect(error?.message.contains("'device'") == true)
        #expect(error?.message.contains("device=VALUE") == true)
    }

    @Test func anUnclosedHoleIsShown() {
        #expect(failure("a ${device ! b")?.message.contains("${device ! b") == true)
        #expect(failure("a ${device ! b", ["device": "x"])?.code == .badPipeline)
    }

    @Test(arguments: ["${}", "${a b}", "${:-x}", "${a$b}", "${ü!}"])
    func aBadNameIsShown(text: String) {
        #expect(failure(text)?.message.contains(text) == true)
    }

    @Test(arguments: [
        "plain", "with a space", "two  spaces", "bang ! bang", #"back\slash"#, #"trailing\"#, #"quote " quote"#, "it's",
        "a=b", "semi;colon", "(bin.)", "#hash", "{list}", "<array>", "$HOME ${x}", "`id`", "ünïcödé 日本", "tab\there",
        "\"quoted\"", "a,b", "*?", "video/x-raw", " leading", "trailing ", "-", "name=frames ! fakesink", "100%",
        "~user",
        "new\nline", "é̂combining", "👩‍👩‍👧", "&|^",
    ])
    func aValueReachesItsPropertyUnchanged(value: String) throws {
        let description = try PipelineTemplate("filesrc name=source location=${path} ! fakesink").filled(with: [
            "path": value
        ])
        let pipeline = try Pipeline(parsing: description)
        #expect(pipeline.propertyString("location", ofElementNamed: "source") == value)
        #expect(!pipeline.hasElement(named: "frames"))
    }

    @Test func anEmptyValueIsAValueToo() throws {
        let pipeline = try Pipeline(
            parsing: try PipelineTemplate("textoverlay name=t text=${text} ! fakesink").filled(with: ["text": ""]))
        #expect(pipeline.propertyString("text", ofElementNamed: "t") == "")
    }

    @Test func descriptionsOfEverySourceParse() throws {
        let uris = ["file:///a%20b.mp4", "rtsp://camera/stream?a=b&c=d", "v4l2:///dev/video0", "http://host/x!y"]
        for uri in uris {
            _ = try Pipeline(parsing: SourceDescription.search(uri))
            _ = try Pipeline(
                parsing: SourceDescription.annotation(uri, to: Recording(path: "/tmp/a b!.mp4", container: .mp4)))
            for window in [false, true] {
                for path in [nil, "out file.mp4", "out.mkv"] {
                    let camera = try ModeRequest(size: "640x480", rate: 30)
                    let recording = try path.map {
                        Recording(path: $0, container: try RecordingContainer(ofFileNamed: $0))
                    }
                    let output = SourceDescription.liveOutput(window: window, recording: recording) ?? ""
                    let description = "\(SourceDescription.liveSource(uri, filter: camera.caps)) \(output)"
                    let pipeline = try Pipeline(parsing: description)
                    #expect(pipeline.hasElement(named: "frames"))
                    #expect((pipeline.appSource(named: "overlay") != nil) == (window || path != nil))
                }
            }
        }
    }
}
