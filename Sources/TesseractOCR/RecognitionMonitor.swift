internal import CTesseract
internal import TextSpotting

/// Lets Tesseract ask, before each word, whether to go on.
struct RecognitionMonitor: ~Copyable {
    let handle: OpaquePointer?
    /// Tesseract has an unretained pointer to it as long as the monitor is in use.
    private let cancellation: CancellationFlag

    init(_ cancellation: CancellationFlag) {
        self.cancellation = cancellation
        handle = TessMonitorCreate()
        TessMonitorSetCancelThis(handle, Unmanaged.passUnretained(cancellation).toOpaque())
        TessMonitorSetCancelFunc(handle, shouldCancel)
    }

    deinit { TessMonitorDelete(handle) }
}

/// Called by Tesseract on the thread that recognizes.
private func shouldCancel(_ flag: UnsafeMutableRawPointer?, _ words: CInt) -> Bool {
    guard let flag else { return false }
    return Unmanaged<CancellationFlag>.fromOpaque(flag).takeUnretainedValue().isCancelled
}
