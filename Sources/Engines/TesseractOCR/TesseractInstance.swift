internal import CTesseract
import Errors
internal import Glibc
internal import Synchronization
internal import TextSpotting
import Threads

/// One loaded Tesseract: the only owner of its handle, used by one thread at a time.
struct TesseractInstance: ~Copyable {
    private let handle: OpaquePointer
    private let rightOfWay: RightOfWay?

    /// Takes over the handle, which is deleted with this value.
    private init(takingOwnershipOf handle: OpaquePointer, givingWayTo picture: RightOfWay?) {
        self.handle = handle
        rightOfWay = picture
    }

    deinit {
        let handle = handle
        TesseractLibrary.making.withLock { _ in TessBaseAPIDelete(handle) }
    }

    /// Loads `languages` (joined by `+`) from `folder`; takes some 100 ms.
    ///
    /// Only the LSTM engine is used. What it learned from one picture is not carried to the next: a reading depends on
    /// the picture alone.
    /// - Throws: ``FramegrepError`` `engineUnavailable`.
    static func load(
        languages: String, folder: String, userWords: String?, givingWayTo picture: RightOfWay? = nil
    ) throws -> TesseractInstance {
        _ = TesseractLibrary.quietLeptonica
        TesseractLibrary.useOneThreadHere()
        guard let handle = TesseractLibrary.making.withLock({ _ in TessBaseAPICreate() }) else {
            throw FramegrepError(.engineUnavailable, "Tesseract could not be started: there is not enough memory.")
        }
        let instance = TesseractInstance(takingOwnershipOf: handle, givingWayTo: picture)
        let failed = TesseractLibrary.making.withLock { _ in
            TessBaseAPISetVariable(handle, "debug_file", "/dev/null")
            return withVariables(userWords.map { [("user_words_file", $0)] } ?? []) { names, values, count in
                TessBaseAPIInit4(
                    handle, folder, languages, OEM_LSTM_ONLY, nil, 0, names, values, count, 0)
            } != 0
        }
        guard !failed else {
            throw FramegrepError(
                .engineUnavailable,
                "Tesseract could not load the language data \(languages) from \(folder): a file is damaged or has no "
                    + "LSTM model; install the data of these languages again.")
        }
        TessBaseAPISetVariable(handle, "tessedit_enable_doc_dict", "0")
        return instance
    }

    /// Reads `picture`, whose format is luma, in one mode.
    ///
    /// - Returns: the words found, by lines in Tesseract's order, in the picture's pixels.
    /// - Throws: `CancellationError`, within the time of one word of `cancellation` being set.
    mutating func read(
        _ picture: Picture, mode: PagePlan.Mode, cancellation: CancellationFlag
    ) throws -> [TextLine] {
        try cancellation.check()
        defer {
            TessBaseAPIClear(handle)
            TessBaseAPIClearAdaptiveClassifier(handle)
        }
        let completed = recognize(picture, mode: mode, cancellation: cancellation)
        try cancellation.check()
        guard completed, let iterator = TessBaseAPIGetIterator(handle) else { return [] }
        let gaps = SyllableGaps(of: picture)
        return ResultWalk(takingOwnershipOf: iterator).lines().map(gaps.closed)
    }

    /// Recognizes `picture`, whose format is luma, and leaves the result with Tesseract; returns false if it stopped early.
    mutating func recognize(_ picture: Picture, mode: PagePlan.Mode, cancellation: CancellationFlag) -> Bool {
        TessBaseAPISetPageSegMode(handle, mode.tesseract)
        // Tesseract copies the pixels.
        picture.bytes.withUnsafeBufferPointer { bytes in
            TessBaseAPISetImage(
                handle, bytes.baseAddress, CInt(picture.width), CInt(picture.height), 1, CInt(picture.bytesPerRow))
        }
        TessBaseAPISetSourceResolution(handle, Self.resolution)
        let monitor = RecognitionMonitor(cancellation, givingWayTo: rightOfWay)
        return TessBaseAPIRecognize(handle, monitor.handle) == 0
    }

    /// The resolution in pixels per inch. On frames any value from 70 to 300 gives the same result, but without one
    /// Tesseract guesses and prints a message.
    private static let resolution: CInt = 96

    private static func withVariables<Result>(
        _ variables: [(String, String)],
        _ body: (
            UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
            Int
        ) -> Result
    ) -> Result {
        var names = variables.map { CString($0.0).pointer as UnsafeMutablePointer<CChar>? }
        var values = variables.map { CString($0.1).pointer as UnsafeMutablePointer<CChar>? }
        defer { for pointer in names + values { pointer?.deallocate() } }
        return body(&names, &values, variables.count)
    }
}

/// A copy of a string in C's form; the caller deallocates it.
private struct CString {
    let pointer: UnsafeMutablePointer<CChar>

    init(_ text: String) {
        let characters = text.utf8CString
        pointer = .allocate(capacity: characters.count)
        for (index, character) in characters.enumerated() { pointer[index] = character }
    }
}

extension PagePlan.Mode {
    var tesseract: TessPageSegMode {
        switch self {
        case .page: PSM_AUTO
        case .block: PSM_SINGLE_BLOCK
        case .line: PSM_SINGLE_LINE
        case .sparse: PSM_SPARSE_TEXT
        }
    }
}

/// Process-wide settings of Tesseract, which concern all its instances.
enum TesseractLibrary {
    /// The library's version, such as `5.3.0`.
    static var version: String { String(cString: TessVersion()) }

    /// Instances are made and deleted one at a time: both touch state that all of them share.
    static let making = Mutex(())

    /// Keeps Leptonica from printing to standard error; Tesseract's own messages go to the null device by the variable
    /// `debug_file`.
    static let quietLeptonica: Void = {
        _ = setMsgSeverity(6)
    }()

    /// Prevents Tesseract's OpenMP from starting threads under the calling thread: read on four threads, a picture of
    /// 1200×600 took 650 ms, on one 90 ms.
    ///
    /// `OMP_THREAD_LIMIT` is read when the OpenMP library is loaded, before `main`, so setting it from here would have
    /// no effect. The equivalent run-time call applies to the thread it is made on; it is looked up by name because a
    /// build of Tesseract may come without OpenMP. A variable set by the user takes precedence.
    static func useOneThreadHere() {
        if let limit = getenv("OMP_THREAD_LIMIT"), limit.pointee != 0 { return }
        guard let symbol = dlsym(nil, "omp_set_max_active_levels") else { return }
        // OpenMP declares it as void omp_set_max_active_levels(int).
        let setLevels = unsafeBitCast(symbol, to: (@convention(c) (CInt) -> Void).self)
        setLevels(0)
    }
}

/// Determines how a picture of a given size is given to Tesseract: the scale and the mode.
///
/// The rule was measured; the table is in `docs/decisions/tesseract-beside.md`. Pictures of up to 240 rows are read at
/// three times their size as one block of lines, all others unscaled, as sparse text.
struct PagePlan: Hashable, Sendable {
    enum Mode: Hashable, Sendable { case page, block, line, sparse }

    var mode: Mode
    /// The size that Tesseract sees.
    var width: Int
    var height: Int

    /// Pictures with fewer rows are enlarged: the letters in them are smaller than Tesseract can read.
    static let smallHeight = 240
    static let enlargement = 3
    /// Anything smaller has no letter.
    static let leastSide = 6
    /// A limit on memory and time: an 8K picture is just below it. Tesseract itself refuses sides of 32,768 pixels and more.
    static let mostPixels = 34_000_000
    static let longestSide = 16_000

    /// Nil if nothing can be read: a picture of hardly any pixels.
    init?(width: Int, height: Int, layout: TesseractSettings.Layout) {
        guard width >= Self.leastSide, height >= Self.leastSide else { return nil }
        let isSmall = height <= Self.smallHeight && width <= 4 * Self.smallHeight
        mode =
            switch layout {
            case .automatic: isSmall ? .block : .sparse
            case .page: .page
            case .block: .block
            case .sparse: .sparse
            }
        var scale = isSmall ? Double(Self.enlargement) : 1
        let longest = Double(max(width, height))
        scale = min(scale, Double(Self.longestSide) / longest)
        scale = min(scale, (Double(Self.mostPixels) / (Double(width) * Double(height))).squareRoot())
        self.width = max(Self.leastSide, Int(Double(width) * scale))
        self.height = max(Self.leastSide, Int(Double(height) * scale))
    }
}

/// Lets Tesseract ask, before each word, whether to continue; it pauses there while a picture has priority.
struct RecognitionMonitor: ~Copyable {
    let handle: OpaquePointer?
    /// Tesseract has an unretained pointer to it as long as the monitor is in use.
    private let pause: WordPause

    init(_ cancellation: CancellationFlag, givingWayTo picture: RightOfWay? = nil) {
        pause = WordPause(cancellation, picture)
        handle = TessMonitorCreate()
        TessMonitorSetCancelThis(handle, Unmanaged.passUnretained(pause).toOpaque())
        TessMonitorSetCancelFunc(handle, shouldCancel)
    }

    deinit { TessMonitorDelete(handle) }
}

/// The pause between two words, used by the thread that recognizes.
private final class WordPause {
    private let cancellation: CancellationFlag
    private let rightOfWay: RightOfWay?
    private var begun = ContinuousClock.now

    init(_ cancellation: CancellationFlag, _ rightOfWay: RightOfWay?) {
        self.cancellation = cancellation
        self.rightOfWay = rightOfWay
    }

    /// Pauses if a picture has priority; returns true if the reading must end.
    func isOver() -> Bool {
        if cancellation.isCancelled { return true }
        rightOfWay?.rest(after: .now - begun)
        begun = .now
        return cancellation.isCancelled
    }
}

/// Called by Tesseract on the thread that recognizes.
private func shouldCancel(_ pause: UnsafeMutableRawPointer?, _ words: CInt) -> Bool {
    guard let pause else { return false }
    return Unmanaged<WordPause>.fromOpaque(pause).takeUnretainedValue().isOver()
}
