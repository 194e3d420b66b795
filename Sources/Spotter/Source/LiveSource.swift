public import Errors
import TextSpotting

/// A source that can be opened again after it was lost.
public struct LiveSource: Sendable {
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
    /// Its pipelines bring sound too (`appsink name=sound`).
    public var hasSound = false
    /// The pipeline of a search of the same recording, which can be opened beside it; nil for endless sources, and for those that can be
    /// read only once.
    public var search: String?
    /// Looks at the source, before each opening: a camera may come back under another name or with other formats.
    /// Throws `FramegrepError` where the source is not there.
    public var open: @Sendable () async throws -> Opening
    /// Called after each opening, once frames can come: sets what a camera forgets when it is unplugged. Throws
    /// `FramegrepError`: at the first opening that is the job's error, later a warning.
    public var opened: @Sendable () async throws -> Void
    /// The same for knobs that every source has in some way, such as zoom.
    public var turns: [(knob: CameraKnob, turn: CameraTurn)] = []
    /// Says in the source's own terms why it failed: GStreamer does not know that a camera was unplugged.
    public var explain: @Sendable (FramegrepError) -> FramegrepError = { $0 }

    public init(
        policy: LossPolicy, open: @escaping @Sendable () async throws -> Opening,
        opened: @escaping @Sendable () async throws -> Void = {}
    ) {
        self.policy = policy
        self.open = open
        self.opened = opened
    }

    /// The same description at each opening.
    public init(description: String, policy: LossPolicy) {
        self.init(policy: policy, open: { Opening(description: description) })
    }
}
