internal import CTesseract
internal import Glibc
internal import Synchronization

/// Process-wide settings of Tesseract, which concern all its instances.
enum TesseractLibrary {
    /// `5.3.0`.
    static var version: String { String(cString: TessVersion()) }

    /// Instances are made and deleted one at a time: both touch state that all of them share.
    static let making = Mutex(())

    /// Keeps Leptonica from printing to standard error; Tesseract's own messages go to the null device by the variable
    /// `debug_file`.
    static let quietLeptonica: Void = {
        _ = setMsgSeverity(6)
    }()

    /// Keeps Tesseract's OpenMP from starting threads under the calling thread: read on four threads, a picture of
    /// 1200×600 took 650 ms, on one 90 ms.
    ///
    /// `OMP_THREAD_LIMIT` is read when the OpenMP library is loaded, before `main`, so that setting it from here
    /// would do nothing. Its run-time call for the same end holds for the thread it is made on; it is looked up by
    /// name because a build of Tesseract may come without OpenMP. Where the user has set the variable, that holds.
    static func useOneThreadHere() {
        if let limit = getenv("OMP_THREAD_LIMIT"), limit.pointee != 0 { return }
        guard let symbol = dlsym(nil, "omp_set_max_active_levels") else { return }
        // OpenMP declares it as void omp_set_max_active_levels(int).
        let setLevels = unsafeBitCast(symbol, to: (@convention(c) (CInt) -> Void).self)
        setLevels(0)
    }
}
