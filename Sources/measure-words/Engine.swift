import ArgumentParser
import NeuralOCR
import TesseractOCR
import TextSpotting

/// The reader of the rendered lines.
enum Engine: String, CaseIterable, ExpressibleByArgument {
    case fast, accurate, tesseract

    func recognizer() async throws -> any LineRecognizer {
        switch self {
        case .fast, .accurate:
            var settings = NeuralEngine.Settings()
            settings.level = self == .fast ? .fast : .accurate
            return try await NeuralEngine.load(settings: settings).recognizer
        case .tesseract:
            let engine = try TesseractEngine.load(TesseractSettings(languages: "eng", threads: 2))
            return TesseractLineRecognizer(engine, pictureFormat: .rgb)
        }
    }

    /// Reads every sample; one that holds nothing readable gives nil.
    func read(_ samples: [WordSample]) async throws -> [TextLine?] {
        let recognizer = try await recognizer()
        return try await withThrowingTaskGroup(of: (Int, TextLine?).self) { group in
            var lines = [TextLine?](repeating: nil, count: samples.count)
            var next = 0
            func addOne() {
                guard next < samples.count else { return }
                let (index, sample) = (next, samples[next])
                next += 1
                group.addTask { (index, try await recognizer.recognize([sample.quad], in: sample.picture)[0]) }
            }
            for _ in 0..<4 { addOne() }
            for try await (index, line) in group {
                lines[index] = line
                addOne()
            }
            return lines
        }
    }
}
