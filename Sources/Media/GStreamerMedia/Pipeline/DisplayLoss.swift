import CGStreamer
import Dispatch
import Displays
public import Errors
import Synchronization
import Threads

/// Handles the loss of the display of a pipeline's window. Thread-safe.
///
/// A thread that was showing a frame then never returns (see ``DisplayErrors``), so the elements of the window can no
/// longer be stopped. They are left as they are until the program ends, and everything else ends cleanly.
final class DisplayLoss: Sendable {
    private struct State {
        var isLost = false
        var watcher: Int?
    }

    private let state = Mutex(State())

    var isLost: Bool { state.withLock { $0.isLost } }

    /// Calls `tell` with all problems of windows from now on; with a lost display only once. Does nothing when called
    /// again.
    func watch(_ tell: @escaping @Sendable (DisplayErrors.Problem) -> Void) {
        guard state.withLock({ $0.watcher == nil }) else { return }
        let watcher = DisplayErrors.watch { [weak self] problem in
            guard let self else { return }
            if case .lost = problem {
                let isNews = state.withLock { $0.isLost.raise() }
                guard isNews else { return }
            }
            tell(problem)
        }
        state.withLock { $0.watcher = watcher }
    }

    func ignore() {
        if let watcher = state.withLock({ $0.watcher.take() }) { DisplayErrors.unwatch(watcher) }
    }
}

extension Pipeline {
    /// Listens to the displays of its windows, and of a screen that it reads. Call it before the first window is opened.
    func watchDisplays() {
        guard windows.hasAny || elements.contains(where: { factoryName($0.pointer) == "ximagesrc" }) else { return }
        displayLoss.watch { [weak self] problem in
            guard let self else { return }
            switch problem {
            case .lost(let display): loseDisplay(display)
            case .noWindow(let window): if keyboards.has(window) { bus.post(.windowClosed) }
            }
        }
    }

    /// Disconnects the windows, then reports the loss on the bus. A thread that pushes may wait for a window, so no
    /// more frames are taken.
    private func loseDisplay(_ display: String) {
        // This must not run on this thread, which never returns and may own the locks that are needed.
        DispatchQueue.global().async { [self] in
            for window in windows.sinks { windowQueue(of: window.pointer).map(cutOff) }
            let error = windows.hasAny ? FramegrepError.displayLost(display) : .screenLost
            // Post this before the end of the stream, which would otherwise be taken for an ordinary one.
            bus.post(.error(MediaReport(error: error, element: "", debug: "")))
            endPushing()
        }
    }

    /// Returns the queue before a window that has its own branch of the pipeline; nil if there is none.
    private func windowQueue(of sink: UnsafeMutablePointer<GstElement>) -> GObjectReference<GstElement>? {
        var element = GObjectReference(retaining: sink)
        while factoryName(element.pointer) != "queue" {
            guard let before = upstream(of: element.pointer) else { return nil }
            element = before
        }
        return element
    }

    /// Unlinks a queue's branch from its `tee`, and wakes threads that wait for room in the queue or for an answer from downstream.
    private func cutOff(_ queue: GObjectReference<GstElement>) {
        guard let input = gst_element_get_static_pad(queue.pointer, "sink") else { return }
        defer { gst_object_unref(input) }
        if let branch = gst_pad_get_peer(input) {
            defer { gst_object_unref(branch) }
            // A tee ignores the result of a push to a branch that was removed meanwhile.
            if branch.pointee.padtemplate?.pointee.presence == GST_PAD_REQUEST,
                let tee = gst_pad_get_parent_element(branch)
            {
                gst_element_release_request_pad(tee, branch)
                gst_object_unref(tee)
            }
        }
        gst_pad_set_active(input, 0)
    }

    private func endPushing() {
        for element in elements {
            fgst_as_app_src(element.pointer).map { _ = gst_app_src_end_of_stream($0) }
            if factoryName(element.pointer) == "ximagesrc" { endReading(of: element) }
        }
    }

    /// Sends the end of the stream past the thread that was reading the screen and never comes back, so that files are completed.
    private func endReading(of screen: GObjectReference<GstElement>) {
        // This is not awaited, because it goes all the way downstream and may block there.
        DispatchQueue.global().async {
            guard let output = gst_element_get_static_pad(screen.pointer, "src") else { return }
            gst_pad_push_event(output, gst_event_new_eos())
            gst_object_unref(output)
        }
    }

    /// Ends the streams, and waits until the files are complete; the windows are left as they are.
    func endWithoutWindows() async {
        // This is not awaited, because a thread that never returns may own a lock that it needs.
        DispatchQueue.global().async { [self] in sendEndOfStream() }
        endPushing()
        let windows = Set(windows.sinks.map { UInt(bitPattern: $0.pointer) })
        let files = elements.filter { element in
            fgst_is_sink(element.pointer) != 0 && fgst_as_bin(element.pointer) == nil
                && fgst_as_app_sink(element.pointer) == nil && !windows.contains(UInt(bitPattern: element.pointer))
        }
        let deadline = ContinuousClock.now + Self.filePatience
        while ContinuousClock.now < deadline, !files.allSatisfy({ hasEnded($0.pointer) }) {
            // `Task.sleep` would not wait, because the job may have been cancelled.
            await OneShot<Void>.pause(.milliseconds(20))
        }
    }

    /// The time limit for completing a file.
    private static let filePatience = Duration.seconds(5)

    /// Returns whether a sink has received the end of its stream.
    private func hasEnded(_ sink: UnsafeMutablePointer<GstElement>) -> Bool {
        guard let pad = gst_element_get_static_pad(sink, "sink") else { return true }
        defer { gst_object_unref(pad) }
        guard let end = gst_pad_get_sticky_event(pad, GST_EVENT_EOS, 0) else { return false }
        gst_mini_object_unref(&end.pointee.mini_object)
        return true
    }
}

extension FramegrepError {
    /// Creates the error for an X server that went away while its window was open.
    static func displayLost(_ display: String) -> FramegrepError {
        FramegrepError(
            .noDisplay,
            "The display '\(display)' is lost, and with it the window: its X server ended, or closed the connection. "
                + "Use --headless to continue without a window.")
    }

    public static let screenLost = FramegrepError(
        .sourceUnavailable, "The screen is gone: its X server has ended or cannot be reached any more.")
}
