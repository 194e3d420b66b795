/// A video file to be written.
public struct Recording: Sendable {
    /// Where the bytes go; the name need not end as the container's do.
    public var path: String
    public var container: RecordingContainer
    /// The sound that goes with the picture; nil for none.
    public var sound: SoundTrack?

    public init(path: String, container: RecordingContainer, sound: SoundTrack? = nil) {
        self.path = path
        self.container = container
        self.sound = sound
    }
}
