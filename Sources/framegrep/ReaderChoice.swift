import Foundation
import NeuralOCR
import TesseractOCR
import TextSpotting

/// Makes the reader that the options ask for.
struct ReaderChoice {
    enum Use { case recordings, live }

    private let options: ReadingOptions
    private let words: [String]

    /// - Parameter words: the searched words, which Tesseract is told to expect.
    init(_ options: ReadingOptions, _ words: [String]) {
        self.options = options
        self.words = words
    }

    /// - Throws: ``FramegrepError`` (`engineUnavailable`) with what is missing and how to get it.
    func load(use: Use) async throws -> any TextReader {
        switch options.engine {
        case .tesseract:
            return try tesseract(use)
        case .neural:
            return try await neural(use)
        case .auto:
            guard NeuralEngine.installation().problem == nil else { return try tesseract(use) }
            do {
                return try await neural(use)
            } catch let error as FramegrepError {
                StandardError.line("framegrep: \(error.message) Reading with Tesseract instead.")
                return try tesseract(use)
            }
        }
    }

    private func tesseract(_ use: Use) throws -> any TextReader {
        // A live picture is read by one instance: a second one would read an older frame.
        try TesseractEngine.load(
            TesseractSettings(
                languages: options.language, threads: use == .live ? 1 : options.threadCount, userWords: words))
    }

    private func neural(_ use: Use) async throws -> any TextReader {
        var settings = NeuralEngine.Settings()
        settings.level = options.level == .fast ? .fast : .accurate
        settings.threads = options.threadCount
        settings.mode = use == .live ? .latency : .throughput
        return try await NeuralEngine.load(settings: settings).reader
    }
}
