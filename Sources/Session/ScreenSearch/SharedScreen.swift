import Errors
import GStreamerMedia
import Processes
public import Screens
public import Spotter
import TextSpotting
import Threads

/// The screen of a Wayland desktop, which the desktop's portal shares after asking you; it asks once, because the
/// answer is remembered.
///
/// Thread-safe; opened at most once.
public final class SharedScreen: Sendable {
    /// The largest number of pictures per second that the desktop may send; it sends none while nothing changes.
    private static let rate = 10
    /// The interval at which the last picture is repeated while nothing changes, which shows that the stream still
    /// exists. In milliseconds.
    private static let pulse = 1000
    /// The time that the desktop may take for its first picture, and the time after which a message says that some
    /// desktops wait for a change.
    private static let patience = Duration.seconds(60)
    private static let soon = Duration.seconds(2)

    private let tell: @Sendable (String) -> Void
    private let cast: SharedAnswer<ScreenCast>

    /// - Parameters:
    ///   - answers: stores your answer.
    ///   - tell: called with a sentence saying that the desktop is asking.
    public init(_ part: DesktopPart, answers: SharingAnswers, tell: @escaping @Sendable (String) -> Void) {
        self.tell = tell
        cast = SharedAnswer {
            let token = answers.token(for: part)
            if token == nil { tell(Self.question(part)) }
            let opened = try await ScreenCast.open(part, token: token)
            answers.keep(opened.token, for: part)
            return opened
        }
    }

    /// The screen as a source of a live job. A screen that the desktop no longer shares does not come back by itself.
    public var source: LiveSource {
        var source = LiveSource(policy: .sharedScreen) {
            LiveSource.Opening(
                description: try await self.description(), nature: "the screen, as the desktop shares it")
        }
        source.explain = { Self.explained($0) }
        return source
    }

    /// Returns the first picture, or a part of it.
    ///
    /// - Returns: the picture, and the position of its top-left corner in the whole picture.
    func picture(_ settings: ScreenSettings, format: Picture.Format) async throws -> (Picture, origin: Point) {
        let pipeline = try Pipeline(parsing: try await description())
        let sink = try pipeline.appSink(named: Pipeline.framesName)
        try sink.configure(maxBuffers: 1, drop: true, sync: false)
        do {
            return try await pipeline.stopping {
                _ = try await pipeline.prepare(timeout: Self.patience)
                try await pipeline.play()
                return try await DedicatedThread.runUnlessCancelled(named: "framegrep-screen") { [tell] in
                    if let soon = try Self.picture(settings, format: format, from: sink, within: Self.soon) {
                        return soon
                    }
                    tell(
                        "the desktop has sent no picture yet; some send the first when something changes on the screen")
                    guard let late = try Self.picture(settings, format: format, from: sink, within: Self.patience)
                    else {
                        throw FramegrepError(.sourceUnavailable, "No picture came.")
                    }
                    return late
                }
            }
        } catch {
            throw (error as? FramegrepError).map(Self.explained) ?? error
        }
    }

    private static func picture(
        _ settings: ScreenSettings, format: Picture.Format, from sink: AppSink, within time: Duration
    ) throws -> (Picture, origin: Point)? {
        switch sink.pull(timeout: time) {
        case .sample(let sample):
            let part = try settings.cut(width: sample.info?.width ?? 0, height: sample.info?.height ?? 0)
            let picture = try PictureConverter().picture(from: sample, format: format, region: part)
            return (picture, Point(part.minX.rounded(.down), part.minY.rounded(.down)))
        default: return nil
        }
    }

    /// Asks for the screen the first time, and returns its pipeline.
    private func description() async throws -> String {
        guard MediaRuntime.hasElement("pipewiresrc") else {
            throw FramegrepError(
                .missingPlugin,
                "The picture of a Wayland desktop comes through PipeWire, and GStreamer has no element 'pipewiresrc' here. "
                    + PortableArchive.advice("Install the Debian package gstreamer1.0-pipewire.")
            )
        }
        let cast = try await cast.value()
        let format = "video/x-raw,max-framerate=\(Self.rate)/1;video/x-raw"
        return SourceDescription.liveScreen(
            "pipewiresrc fd=\(cast.descriptor) path=\(cast.node) keepalive-time=\(Self.pulse) ! capsfilter caps=\"\(format)\""
        )
    }

    private static func question(_ part: DesktopPart) -> String {
        switch part {
        case .all: "the desktop asks which monitor or window may be seen, and remembers the answer"
        case .monitor(let number):
            "the desktop asks which monitor may be seen, because programs do not know their numbers; the answer is remembered as monitor \(number)"
        case .window:
            "the desktop asks which window may be seen, because programs do not know their titles; the answer holds this time only"
        }
    }

    private static func explained(_ failure: FramegrepError) -> FramegrepError {
        let reason = failure.code == .sourceUnavailable ? "" : " (\(failure.message.prefix { $0 != "\n" }))"
        return FramegrepError(
            .sourceUnavailable,
            "The desktop sends no more pictures of its screen: the sharing was ended there, or the desktop is gone\(reason)."
        )
    }
}

/// Your answers to the desktop's question of what may be seen: a token from the desktop for each part, in a file in the
/// state folder that only its owner may read. You can revoke them in the settings of the desktop, which then asks
/// again.
public struct SharingAnswers: Sendable {
    private let file: StateFile?

    /// - Parameter environment: names the state folder.
    public init(environment: [String: String]) {
        file = StateFile.path(of: "screen-sharing", in: environment).map(StateFile.init)
    }

    func token(for part: DesktopPart) -> String? {
        guard let name = Self.name(part) else { return nil }
        return file?.lines.first { $0.hasPrefix(name + "\t") }.map { String($0.dropFirst(name.count + 1)) }
    }

    /// - Parameter token: nil if the desktop remembers nothing.
    func keep(_ token: String?, for part: DesktopPart) {
        guard let name = Self.name(part), token != self.token(for: part) else { return }
        let others = (file?.lines ?? []).filter { !$0.hasPrefix(name + "\t") }
        file?.replace(by: others + (token.map { ["\(name)\t\($0)"] } ?? []))
    }

    /// Returns nil for parts that are asked for each time, because another title may be meant next time.
    private static func name(_ part: DesktopPart) -> String? {
        switch part {
        case .all: "all"
        case .monitor(let number): "monitor \(number)"
        case .window: nil
        }
    }
}
