import Errors
import Testing
import TextSpotting

@testable import NeuralOCR

/// The devices on which the networks run.
@Suite struct DeviceTests {
    @Test func namesAreOpenVINOs() {
        #expect(NeuralDevice("cpu") == .cpu)
        #expect(NeuralDevice("gpu.1")?.name == "GPU.1")
        #expect(NeuralDevice("hetero:gpu,cpu")?.parts == ["GPU", "CPU"])
        #expect(NeuralDevice("AUTO")?.parts == [])
        for wrong in ["", "7", "gpu 1", "gpu\u{1b}[2J", "../cpu", String(repeating: "a", count: 65)] {
            #expect(NeuralDevice(wrong) == nil, "\(wrong)")
        }
    }

    @Test(.enabled(if: Engines.isInstalled, "the neural engine is not installed"))
    func aDeviceThatIsNotThereIsSaidWithThoseThatAre() throws {
        let device = try #require(NeuralDevice("warp"))
        let error = #expect(throws: FramegrepError.self) { try NeuralEngine.check(device) }
        #expect(error?.code == .engineUnavailable)
        #expect(error?.message.contains("WARP: OpenVINO finds CPU") == true, "\(error?.message ?? "")")
        #expect(NeuralEngine.devices().first?.name == "CPU")
    }

    /// Here both only pass the work on to the processor.
    @Test(
        .enabled(if: Engines.isInstalled && Engines.hasVirtualDevices, "'framegrep setup --devices' has not run"),
        arguments: ["auto", "auto:cpu", "hetero:cpu"])
    func theProcessorReadsTheSameWhoeverChoosesIt(name: String) async throws {
        let rendered = RenderedText(
            width: 640, height: 240,
            lines: [
                .init(text: "The quick brown fox jumps", size: 32, origin: Point(40, 30)),
                .init(text: "OPEN 24 HOURS", font: "DejaVu Serif Bold", size: 40, origin: Point(60, 120)),
            ])
        var settings = NeuralEngine.Settings()
        let expected = try await NeuralEngine.load(settings: settings).reader.read(rendered.picture)
        settings.device = try #require(NeuralDevice(name))
        let read = try await NeuralEngine.load(settings: settings).reader.read(rendered.picture)
        #expect(read.map(\.text) == expected.map(\.text) && read.map(\.quad) == expected.map(\.quad))
        #expect(read.map(\.confidence) == expected.map(\.confidence))
    }
}
