import GStreamerMedia
public import TextSpotting

/// Hides places in each frame of a second pass: the other brush of ``RecordingAnnotator``.
public struct HidingBrush: Sendable {
    public let plan: HidingPlan
    public let style: HidingStyle

    public init(_ plan: HidingPlan, style: HidingStyle) {
        self.plan = plan
        self.style = style
    }

    /// The pipeline that brings the frames, in the one format that places are hidden in and that encoders take.
    static func source(_ source: OpenedSource) -> String {
        SourceDescription.hiding(SourceDescription.search(source))
    }
}
