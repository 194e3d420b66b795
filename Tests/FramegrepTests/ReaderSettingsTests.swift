import NeuralOCR
import Testing

@testable import Engines

@Suite struct ReaderSettingsTests {
    @Test(
        "recordings are read by at most four threads of the networks for each input at a time, a running picture by all processors",
        arguments: [
            (nil, 1, 2, 2, 2), (nil, 1, 16, 4, 16), (nil, 2, 16, 8, 16), (nil, 8, 16, 16, 16), (1, 4, 16, 1, 1),
            (16, 1, 2, 16, 16),
        ] as [(Int?, Int, Int, Int, Int)])
    func threads(asked: Int?, inputs: Int, processors: Int, recordings: Int, live: Int) {
        var settings = ReaderSettings()
        (settings.threads, settings.inputs) = (asked, inputs)
        #expect(settings.threads(ofNetworks: .throughput, on: processors) == recordings)
        #expect(settings.threads(ofNetworks: .latency, on: processors) == live)
    }
}
