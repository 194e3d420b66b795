internal import Foundation

/// How Tesseract is to read; the defaults stand here and nowhere else.
public struct TesseractSettings: Hashable, Sendable {
    /// How text is laid out in the pictures.
    public enum Layout: Hashable, Sendable, CaseIterable {
        /// Chosen by the picture's size; `docs/TESSERACT.md` has the measurements.
        case automatic
        /// Columns of running text (page segmentation mode 3).
        case page
        /// One block of lines (mode 6).
        case block
        /// Text here and there (mode 11).
        case sparse
    }

    /// Tesseract's names joined by `+`, as in `eng+kor`; nil for the language of the locale, where its data is
    /// installed, and English.
    public var languages: String?
    /// How many pictures are read at the same time, each on a thread and an instance (some 30 MiB) of its own.
    public var threads: Int
    /// Words that Tesseract shall take for words of the language, `user_words` in its own terms. Measured on 69 frames
    /// with 12 searched words, of a few hundred lines one changed, by an apostrophe: it is offered, not relied on.
    public var userWords: [String]
    public var layout: Layout
    /// The folder with the `.traineddata` files; nil for `TESSDATA_PREFIX` or the places distributions use.
    public var dataFolder: String?

    /// As many as the machine has cores that may be used.
    public static var defaultThreads: Int { max(1, ProcessInfo.processInfo.activeProcessorCount) }

    public init(
        languages: String? = nil, threads: Int = TesseractSettings.defaultThreads,
        userWords: [String] = [], layout: Layout = .automatic, dataFolder: String? = nil
    ) {
        self.languages = languages
        self.threads = threads
        self.userWords = userWords
        self.layout = layout
        self.dataFolder = dataFolder
    }
}
