internal import CTesseract
internal import TextSpotting
import Threads

/// Lets Tesseract ask, before each word, whether to go on; where a picture has the right of way it rests there.
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

/// The moment between two words, used by the thread that recognizes.
private final class WordPause {
    private let cancellation: CancellationFlag
    private let rightOfWay: RightOfWay?
    private var begun = ContinuousClock.now

    init(_ cancellation: CancellationFlag, _ rightOfWay: RightOfWay?) {
        self.cancellation = cancellation
        self.rightOfWay = rightOfWay
    }

    /// Rests where there is reason to; true when the reading is to end.
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
