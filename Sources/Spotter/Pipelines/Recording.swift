public import Errors

/// A video file to be written.
public struct Recording: Sendable {
    /// Where the bytes go; the name need not end as the container's do.
    public var path: String
    public var container: RecordingContainer
    /// The sound that goes with the picture; nil for none.
    public var sound: SoundTrack?
    /// It is a copy in which places are hidden: its other pixels stay what they were as far as eyes can tell, and nothing but pictures and
    /// sound gets into it.
    public var hidesPlaces = false
    /// The encoder of sound that the program itself brings, as it does the pictures; nil for none.
    var soundEncoder: String?

    /// Has it take the sound of a running picture.
    ///
    /// - Throws: `FramegrepError` (`missingPlugin`) if nothing is installed that could encode it.
    public mutating func takeSound() throws(FramegrepError) { soundEncoder = try SoundTrack.encoder(for: container) }

    public init(path: String, container: RecordingContainer, sound: SoundTrack? = nil) {
        self.path = path
        self.container = container
        self.sound = sound
    }
}
