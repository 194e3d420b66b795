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

    private func choice(_ size: (Int, Int)? = nil, _ rate: Int? = nil, of modes: [CameraMode]? = nil) -> String? {
        ModeRequest(size: size.map { (width: $0.0, height: $0.1) }, rate: rate).choice(among: modes ?? webcam)?.text
    }

    @Test func withoutAWishItIsSmoothAndNear720Lines() {
        #expect(choice() == "1280×720 at 30 frames a second, MJPEG")
    }

    @Test func uncompressedIsTakenWhereItIsFastEnough() {
        #expect(choice((640, 480)) == "640×480 at 30 frames a second, YUYV")
        #expect(choice((1280, 720), 10) == "1280×720 at 10 frames a second, YUYV")
        #expect(choice((1280, 720), 30) == "1280×720 at 30 frames a second, MJPEG")
        #expect(choice((1280, 720), 60) == "1280×720 at 60 frames a second, MJPEG")
    }

    @Test func jpegIsTakenBeforeH264() {
        #expect(choice((1920, 1080), 30) == "1920×1080 at 30 frames a second, MJPEG")
        #expect(choice((1920, 1080), of: [webcam[6]]) == "1920×1080 at 30 frames a second, H.264")
    }

    @Test func anOddSizeBecomesTheNearestAndThatIsSaid() throws {
        let near = try #require(ModeRequest(size: (1000, 700), rate: nil).choice(among: webcam))
        #expect(near.mode.width == 1280 && !near.isAsAsked)
        #expect(try #require(ModeRequest(size: (1280, 720)).choice(among: webcam)).isAsAsked)
    }

    @Test func aSlowCameraIsUsedAllTheSame() {
        let slow = [CameraMode(form: .raw("GREY"), width: 1600, height: 1200, rates: [.init(2), .init(15, 2)])]
        #expect(choice(of: slow) == "1600×1200 at 7.5 frames a second, GREY")
        #expect(choice(nil, 1, of: slow) == "1600×1200 at 2 frames a second, GREY")
    }

    @Test func whatNobodyCanDecodeIsNotTaken() {
        let modes = [CameraMode(form: .init(fourCharacters: "HEVC"), width: 640, height: 480, rates: [.init(30)])]
        #expect(choice(of: modes) == nil)
        #expect(choice(of: []) == nil)
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
