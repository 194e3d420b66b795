import Errors
import Foundation
import GStreamerMedia
import Spotter
import Synchronization
import TextSpotting
import Threads

/// Scales frames down and hands them to the page's server with their boxes, while there is a viewer. Thread-safe.
///
/// Buffering: the newest frame waits; one that comes while it does takes its place. The display only puts it down here, and nothing is
/// encoded without a viewer.
final class ViewerStream: FrameViewer {
    private struct State: ~Copyable {
        var look = ViewerCommand.Look()
        var frame: ViewedFrame?
        var needsKey = false
        var isOver = false
    }

    /// No browser shows more frames a second than this.
    private static let shortest = StreamTime(seconds: 1.0 / 32)

    private let writer: ViewerRecordWriter
    private let state = Mutex(State())
    private let looking = Atomic<Bool>(false)
    private let bell = WakeEvent()

    init(_ writer: ViewerRecordWriter) { self.writer = writer }

    // MARK: FrameViewer

    var isLooking: Bool { looking.load(ordering: .relaxed) }

    func see(_ frame: consuming sending ViewedFrame) {
        var incoming: ViewedFrame? = consume frame
        state.withLock { state in
            if !state.isOver { state.frame = incoming.take() }
        }
        bell.ring()
    }

    // MARK: What the server says

    func look(_ look: ViewerCommand.Look) {
        state.withLock { state in
            state.look = look
            state.needsKey = true
            if look.kinds.isEmpty { state.frame = nil }
        }
        looking.store(!look.kinds.isEmpty, ordering: .relaxed)
        bell.ring()
    }

    func needsKey() { state.withLock { $0.needsKey = true } }

    // MARK: Its thread

    func start() throws {
        // The newest frame may have waited for it.
        writer.whenFree { [weak self] in self?.bell.ring() }
        try DedicatedThread.start(named: "framegrep-feed") { self.run() }
    }

    func stop() {
        state.withLock { $0.isOver = true }
        bell.ring()
    }

    private func run() {
        var encoders = ViewerEncoders()
        var last: StreamTime?
        while true {
            bell.wait()
            let (look, needsKey, isOver) = state.withLock { ($0.look, $0.needsKey, $0.isOver) }
            if isOver { return }
            encoders.keep(look.kinds)
            guard writer.hasRoom, let frame = take() else { continue }
            if let last, frame.time > last, frame.time - last < Self.shortest { continue }
            last = frame.time
            if needsKey { state.withLock { $0.needsKey = false } }
            for record in encoders.records(of: frame, look, asKey: needsKey) { writer.write(record) }
        }
    }

    private func take() -> ViewedFrame? { state.withLock { $0.frame.take() } }
}
