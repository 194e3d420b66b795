public import Errors
public import GStreamerMedia
import Synchronization
import Threads

/// A source reached over a network, which can be lost and come back.
public final class NetworkSource: Sendable {
    private let uri: String
    private let limit: LossPolicy.Limit
    /// Whether it sends separate pictures; nil until it has been asked.
    private let sendsPictures = Mutex<Bool?>(nil)
    private let withSound = Mutex(false)

    /// - Parameters:
    ///   - uri: with its user name and password, if any.
    ///   - limit: the number of attempts after it was lost.
    public init(_ uri: String, _ limit: LossPolicy.Limit) {
        self.uri = uri
        self.limit = limit
    }

    /// The source in the form that the live job takes.
    public var source: LiveSource {
        var source = LiveSource(policy: .network(limit)) { try await self.open() }
        source.hasSound = withSound.withLock { $0 }
        return source
    }

    /// Asks the server whether there is sound, and includes it.
    public func bringSound() async {
        guard let given = try? SourceURI(uri) else { return }
        if uri.lowercased().hasPrefix("http") {
            let known = sendsPictures.withLock { $0 }
            guard let sends = if let known { known } else { try? await asked() } else { return }
            sendsPictures.withLock { $0 = sends }
            guard !sends else { return }
        }
        let info = try? await MediaProbe.examine(given, timeout: .seconds(10))
        withSound.withLock { $0 = info?.audioFormat != nil }
    }

    /// Prepares one opening. Asks an HTTP server, once, for the type of its answer.
    ///
    /// - Throws: ``FramegrepError`` if the server does not answer.
    func open() async throws -> LiveSource.Opening {
        LiveSource.Opening(description: try await description())
    }

    private func description() async throws -> String {
        if withSound.withLock({ $0 }) { return SourceDescription.liveSource(try SourceURI(uri), .uri, sound: true) }
        guard uri.lowercased().hasPrefix("http") else { return SourceDescription.liveSource(uri) }
        let known = sendsPictures.withLock { $0 }
        let sends = if let known { known } else { try await asked() }
        sendsPictures.withLock { $0 = sends }
        return sends ? SourceDescription.pictures(uri) : SourceDescription.liveSource(uri)
    }

    /// Returns whether the server sends an endless series of pictures (`multipart/x-mixed-replace`): GStreamer's
    /// `uridecodebin` would wait for their end before showing the first.
    private func asked() async throws -> Bool {
        let pipeline = try Pipeline(parsing: SourceDescription.kind(uri))
        return try await pipeline.stopping {
            _ = try await pipeline.prepare(timeout: .seconds(15))
            let caps = pipeline.propertyString("caps", ofElementNamed: SourceDescription.kindName) ?? ""
            return caps.contains("multipart/x-mixed-replace")
        }
    }
}

/// A source that can be opened again after it was lost.
public struct LiveSource: Sendable {
    /// A recording that is searched while it is played.
    public struct Recording: Sendable {
        /// A pipeline with `appsink name=frames`.
        let search: String
        /// Its file in the state in which it was opened; nil if it is not a file.
        let file: SourceFile?

        public init(_ source: OpenedSource) {
            (search, file) = (SourceDescription.search(source), source.file)
        }
    }

    /// Everything needed to open the source once.
    public struct Opening: Sendable {
        /// A pipeline that ends in `appsink name=frames`, without any output.
        public var description: String
        /// A description of the source for the user: `1280×720 at 30 frames a second, MJPEG`; may be empty.
        public var nature: String
        /// The camera's own controls; nil if it has none.
        public var controls: (any CameraControls)?

        public init(description: String, nature: String = "", controls: (any CameraControls)? = nil) {
            self.description = description
            self.nature = nature
            self.controls = controls
        }
    }

    public var policy: LossPolicy
    /// Whether its pipelines also provide sound (`appsink name=sound`).
    public var hasSound = false
    /// The same recording, to be opened a second time for a search; nil for endless sources, and for those that can be
    /// opened only once.
    public var recording: Recording?
    /// Inspects the source before each opening: a camera may come back under another name or with other formats. Throws
    /// `FramegrepError` if the source is not there.
    public var open: @Sendable () async throws -> Opening
    /// Called after each opening, once frames can arrive: sets what a camera forgets when it is unplugged. A thrown
    /// `FramegrepError` is the job's error at the first opening, and a warning later.
    public var opened: @Sendable () async throws -> Void
    /// Settings to apply after each opening that every source has in some form, such as zoom.
    public var turns: [(knob: CameraKnob, turn: CameraTurn)] = []
    /// Explains in the source's own terms why it failed: GStreamer does not know that a camera was unplugged.
    public var explain: @Sendable (FramegrepError) -> FramegrepError = { $0 }

    public init(
        policy: LossPolicy, open: @escaping @Sendable () async throws -> Opening,
        opened: @escaping @Sendable () async throws -> Void = {}
    ) {
        self.policy = policy
        self.open = open
        self.opened = opened
    }

    /// Creates a source with the same description at each opening.
    public init(description: String, policy: LossPolicy) {
        self.init(policy: policy, open: { Opening(description: description) })
    }
}

/// The reaction to losing a running source: an unplugged camera, a network that drops, a server that restarts.
public struct LossPolicy: Sendable, Hashable {
    /// The number of consecutive unsuccessful attempts to get the source back.
    public enum Limit: Sendable, Hashable {
        case never
        /// The largest number of attempts.
        case tries(Int)
        case forever
    }

    public var limit: Limit
    /// Whether the first opening is also retried, instead of being an error at once.
    public var triesFirstOpening: Bool
    /// Whether the end of the stream is a loss, unless the source stated its length: cameras have no end.
    public var endIsLoss: Bool
    /// The silence after which a source is closed and opened again; nil: it is only reported as stalled.
    public var reopensAfterSilence: Duration?
    /// The time that an opened source may take for its first frame before that counts as a failure; nil: no limit.
    public var firstFrameTime: Duration?
    /// The longest pause between two attempts.
    public var longestPause = Duration.seconds(15)

    /// The policy for a recording, or a pipeline of the user's own, which cannot be reopened.
    public static let none = LossPolicy(
        limit: .never, triesFirstOpening: false, endIsLoss: false, reopensAfterSilence: nil, firstFrameTime: nil)

    /// Returns the policy for a network source.
    ///
    /// A source that never answered is an error at once, because a wrong address is more likely than a temporary
    /// failure; with `.forever` the job waits for it too.
    public static func network(_ limit: Limit) -> LossPolicy {
        LossPolicy(
            limit: limit, triesFirstOpening: limit == .forever, endIsLoss: true, reopensAfterSilence: .zero,
            firstFrameTime: .seconds(15))
    }

    /// The policy for a local camera that the job waits for when it is unplugged.
    public static let waitingCamera = LossPolicy(
        limit: .forever, triesFirstOpening: false, endIsLoss: true, reopensAfterSilence: .seconds(10),
        firstFrameTime: .seconds(20), longestPause: .seconds(1))

    /// The policy for a local camera whose loss ends the job.
    public static let exitingCamera = LossPolicy(
        limit: .never, triesFirstOpening: false, endIsLoss: true, reopensAfterSilence: nil,
        firstFrameTime: .seconds(20))

    /// The policy for a screen that the desktop shares: its picture is repeated for as long as it is shared, and a
    /// share that ended does not come back without a question. Some desktops send the first picture only when something
    /// has changed.
    public static let sharedScreen = LossPolicy(
        limit: .never, triesFirstOpening: false, endIsLoss: true, reopensAfterSilence: .zero,
        firstFrameTime: .seconds(60))

    /// Returns the pause before an attempt, the first being number 1: half a second, doubled each time up to the
    /// longest.
    public func pause(before attempt: Int) -> Duration {
        Backoff(first: .milliseconds(500), longest: longestPause).pause(after: attempt - 1)
    }

    /// Whether to report the attempt and its pause; false if checking is cheap and done continuously.
    var namesTries: Bool { longestPause > .seconds(1) }

    func allows(_ attempt: Int) -> Bool {
        switch limit {
        case .never: false
        case .tries(let count): attempt <= count
        case .forever: true
        }
    }
}
