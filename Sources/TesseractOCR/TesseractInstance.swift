internal import CTesseract
import Errors
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
                    + "LSTM model; install the tesseract-ocr packages of these languages again.")
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
        return ResultWalk(takingOwnershipOf: iterator).lines()
    }

    /// Recognizes `picture`, whose format is luma, and leaves the result with Tesseract; false if it broke off.
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

    /// In pixels an inch. On frames it makes no difference between 70 and 300, but without one Tesseract guesses and
    /// says so.
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
