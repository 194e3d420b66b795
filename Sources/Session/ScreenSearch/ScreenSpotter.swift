import Displays
public import Errors
import GStreamerMedia
public import Screens
public import Spotter
import Synchronization
public import TextMatching
public import TextSpotting
import Threads

/// Settings for searching your own screen.
public struct ScreenSettings: Sendable {
    /// The part of the desktop that is searched.
    public var part = DesktopPart.all
    /// How it is read; the region is relative to ``part``.
    public var reading = ReadingPlan()
    /// Earlier searches, offered while a word is typed.
    public var history: SearchHistory?

    public init() {}

    func cut(width: Int, height: Int) throws(FramegrepError) -> Rect {
        do {
            return try reading.region?.rect(width: width, height: height)
                ?? Rect(x: 0, y: 0, width: Double(width), height: Double(height))
        } catch {
            throw error as? FramegrepError ?? FramegrepError(.badArgument, "The region cannot be cut out: \(error).")
        }
    }
}

/// An event of a search of your own screen.
public enum ScreenEvent: Sendable {
    /// Frames were placed around these matches, in pixels of the desktop, this long after the picture changed to this
    /// one.
    case framed([Match], after: Duration)
    case warning(FramegrepError)
}

/// Searches your own screen and places frames over it: the `screen` job.
///
/// Only what changed is read again, and the job is idle while nothing changes.
public final class ScreenSpotter: Sendable {
    let settings: ScreenSettings
    let reader: any TextReader
    let mailbox: ScreenMailbox
    private let matcher: Matcher

    /// - Throws: ``FramegrepError`` (`sourceUnavailable`) if nothing more can be opened.
    public init(_ settings: ScreenSettings, reader: any TextReader, matcher: Matcher) throws(FramegrepError) {
        mailbox = try ScreenMailbox()
        self.settings = settings
        self.reader = reader
        self.matcher = matcher
    }

    /// Runs until you end it, ``stop()`` is called or the task is cancelled.
    ///
    /// - Parameter report: called on the job's own thread; must not block.
    /// - Returns: the largest number of matches that were framed at once.
    /// - Throws: ``FramegrepError`` if there is no screen, or it can no longer be read.
    public func run(_ report: @escaping @Sendable (ScreenEvent) -> Void) async throws -> Int {
        try await Self.whileTheDisplayLasts { [self] in
            let loop = try ScreenLoop(settings, reader: reader, matcher: matcher, mailbox: mailbox, report: report)
            return try loop.run()
        } stop: { [self] in
            stop()
        }
    }

    /// Runs on a thread that is abandoned if the display is lost: a thread that meets such an error never continues
    /// (see ``DisplayErrors``).
    ///
    /// - Parameter stop: called when the task is cancelled.
    private static func whileTheDisplayLasts<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value, stop: @escaping @Sendable () -> Void = {}
    ) async throws -> Value {
        let work = Task { try await DedicatedThread.runUnlessCancelled(named: "framegrep-screen", body) }
        let watcher = DisplayErrors.watch { if case .lost = $0 { work.cancel() } }
        defer { DisplayErrors.unwatch(watcher) }
        do {
            return try await withTaskCancellationHandler {
                try await work.value
            } onCancel: {
                stop()
            }
        } catch is CancellationError {
            throw FramegrepError.screenLost
        }
    }

    /// Ends the job; callable from any thread.
    public func stop() { mailbox.post(.stop) }

    /// Reads the screen once, without an overlay.
    ///
    /// - Parameter shared: the screen if the desktop shares it; nil for the screen of an X server.
    /// - Returns: the lines in reading order, in pixels of the desktop.
    /// - Throws: ``FramegrepError`` if there is no screen, or the searched window is not visible.
    public static func readOnce(
        _ settings: ScreenSettings, of shared: SharedScreen? = nil, reader: any TextReader
    ) async throws -> [TextLine] {
        if let shared {
            let (picture, origin) = try await shared.picture(settings, format: reader.pictureFormat)
            return try await reader.read(picture).map { $0.moved(by: origin) }
        }
        let taken = try await whileTheDisplayLasts {
            try Desktop(settings.part, format: reader.pictureFormat, cut: settings.cut).take()
        }
        guard let taken else {
            throw FramegrepError(.sourceUnavailable, "The window is not visible: it is hidden or minimized.")
        }
        return try await reader.read(taken.picture).map { $0.moved(by: taken.origin) }
    }
}

/// Commands for the job's thread, in order. Thread-safe.
final class ScreenMailbox: Sendable {
    enum Message: Sendable {
        case key(WordPromptKey)
        case line(TextLine)
        case read(Result<TextTracker, any Error>)
        case search(Matcher)
        case stop
    }

    private let messages = Mutex<[Message]>([])
    let wake: PollWakeEvent

    init() throws(FramegrepError) {
        guard let wake = PollWakeEvent() else {
            throw FramegrepError(
                .sourceUnavailable,
                "The screen cannot be searched: too many files are open; raise the limit of 'ulimit -n'."
            )
        }
        self.wake = wake
    }

    func post(_ message: Message) {
        messages.withLock { $0.append(message) }
        wake.ring()
    }

    func take() -> [Message] {
        messages.withLock { messages in
            defer { messages = [] }
            return messages
        }
    }
}
