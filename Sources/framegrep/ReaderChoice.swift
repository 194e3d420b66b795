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
        var settings = TesseractEngine.Settings()
        settings.threads = use == .live ? 1 : options.threadCount
        settings.languages = options.language
        settings.userWords = words
        return try TesseractEngine.load(settings)
    }
}
