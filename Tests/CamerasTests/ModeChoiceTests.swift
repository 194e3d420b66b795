import Errors
import Testing

@testable import Cameras

@Suite struct ModeChoiceTests {
    /// A usual webcam: uncompressed pictures are small or slow, JPEG ones are neither.
    private let webcam = [
        CameraMode(form: .raw("YUYV"), width: 640, height: 480, rates: [.init(30), .init(15)]),
        CameraMode(form: .raw("YUYV"), width: 1280, height: 720, rates: [.init(10)]),
        CameraMode(form: .raw("YUYV"), width: 1920, height: 1080, rates: [.init(5)]),
        CameraMode(form: .mjpeg, width: 640, height: 480, rates: [.init(30)]),
        CameraMode(form: .mjpeg, width: 1280, height: 720, rates: [.init(60), .init(30)]),
        CameraMode(form: .mjpeg, width: 1920, height: 1080, rates: [.init(30)]),
        CameraMode(form: .h264, width: 1920, height: 1080, rates: [.init(30)]),
    ]

    private func choice(
        _ size: (Int, Int)? = nil, _ rate: Int? = nil, of modes: [CameraMode]? = nil
    ) throws -> String? {
        try ModeRequest(size: size.map { "\($0.0)x\($0.1)" }, rate: rate).choice(among: modes ?? webcam)?.text
    }

    @Test func withoutAWishItIsSmoothAndNear720Lines() throws {
        #expect(try choice() == "1280×720 at 30 frames a second, MJPEG")
    }

    @Test func uncompressedIsTakenWhereItIsFastEnough() throws {
        #expect(try choice((640, 480)) == "640×480 at 30 frames a second, YUYV")
        #expect(try choice((1280, 720), 10) == "1280×720 at 10 frames a second, YUYV")
        #expect(try choice((1280, 720), 30) == "1280×720 at 30 frames a second, MJPEG")
        #expect(try choice((1280, 720), 60) == "1280×720 at 60 frames a second, MJPEG")
    }

    @Test func jpegIsTakenBeforeH264() throws {
        #expect(try choice((1920, 1080), 30) == "1920×1080 at 30 frames a second, MJPEG")
        #expect(try choice((1920, 1080), of: [webcam[6]]) == "1920×1080 at 30 frames a second, H.264")
    }

    @Test func anOddSizeBecomesTheNearestAndThatIsSaid() throws {
        let near = try #require(try ModeRequest(size: "1000x700", rate: nil).choice(among: webcam))
        #expect(near.mode.width == 1280 && !near.isAsAsked)
        #expect(try #require(try ModeRequest(size: "1280x720", rate: nil).choice(among: webcam)).isAsAsked)
    }

    @Test func aSlowCameraIsUsedAllTheSame() throws {
        let slow = [CameraMode(form: .raw("GREY"), width: 1600, height: 1200, rates: [.init(2), .init(15, 2)])]
        #expect(try choice(of: slow) == "1600×1200 at 7.5 frames a second, GREY")
        #expect(try choice(nil, 1, of: slow) == "1600×1200 at 2 frames a second, GREY")
    }

    @Test func whatNobodyCanDecodeIsNotTaken() throws {
        let modes = [CameraMode(form: .init(fourCharacters: "HEVC"), width: 640, height: 480, rates: [.init(30)])]
        #expect(try choice(of: modes) == nil)
        #expect(try choice(of: []) == nil)
    }

    @Test func capsKeepTheDriversFraction() {
        let mode = CameraMode(form: .mjpeg, width: 720, height: 480, rates: [.init(30000, 1001)])
        let choice = ModeRequest().choice(among: [mode])
        #expect(choice?.caps == "image/jpeg,width=720,height=480,framerate=30000/1001")
        #expect(choice?.text == "720×480 at 29.97 frames a second, MJPEG")
        let silent = CameraMode(form: .raw("NV12"), width: 64, height: 36, rates: [])
        #expect(ModeRequest().choice(among: [silent])?.caps == "video/x-raw,width=64,height=36")
    }
}

@Suite struct ModeRequestTests {
    @Test func capsAskForWhatWasGiven() throws {
        #expect(ModeRequest().caps == "")
        #expect(try ModeRequest(size: nil, rate: nil).caps == "")
        let caps = try ModeRequest(size: "1280X720", rate: 30).caps
        #expect(caps.contains("video/x-raw,width=1280,height=720,framerate=30/1"))
        #expect(caps.contains("image/jpeg,width=1280,height=720,framerate=30/1"))
        #expect(try ModeRequest(size: nil, rate: 15).caps.contains("width") == false)
    }

    @Test(arguments: [
        "", "x", "640", "640x", "x480", "640x480x3", "-640x480", "0x480", "640×480", "1e3x10", "99999x10", "640 x 480",
    ])
    func badSizesAreNamed(size: String) {
        let error = #expect(throws: FramegrepError.self) { try ModeRequest(size: size, rate: nil) }
        #expect(error?.code == .badArgument)
        #expect(error?.message.contains("'\(size)'") == true)
    }

    @Test(arguments: [0, -1, 1001, Int.max])
    func badRatesAreNamed(rate: Int) {
        let error = #expect(throws: FramegrepError.self) { try ModeRequest(size: nil, rate: rate) }
        #expect(error?.message.contains("\(rate)") == true)
    }
}
