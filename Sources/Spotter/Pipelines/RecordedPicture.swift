import GStreamerMedia
import Synchronization

/// Brings every picture that is recorded to the form of the first: a file keeps one size, rate and color space.
///
/// Later pictures of another size are scaled to the first one's, with borders where they have another shape. Encoders take
/// an even number of pixels each way and containers at least 16, so a picture that has others gets black ones at its right
/// and bottom edges: it stays as sharp as it was, and what is found in it is where it was.
enum RecordedPicture {
    private static let rateName = "recordedrate"
    private static let formName = "recordedform"
    private static let marginName = "recordedmargin"

    /// To be put before an encoder; frames that need no change pass untouched.
    static let elements = """
        capssetter name=\(rateName) caps=video/x-raw ! videoconvertscale add-borders=true \
        ! capsfilter name=\(formName) caps=video/x-raw,format=I420 ! videobox name=\(marginName)
        """

    /// Has the first picture decide; to be called before the pipeline is prepared. A pipeline without ``elements`` is left alone.
    static func settle(in pipeline: Pipeline) {
        guard [rateName, formName, marginName].allSatisfy(pipeline.hasElement) else { return }
        let isSettled = Mutex(false)
        try? pipeline.watchFormat(comingToElementNamed: formName) { [weak pipeline] info in
            guard let pipeline,
                !isSettled.withLock({ isSettled in
                    defer { isSettled = true }
                    return isSettled
                })
            else { return }
            let rate = "\(info.frameRate.numerator)/\(info.frameRate.denominator)"
            try? pipeline.setProperty("caps", to: "video/x-raw,framerate=\(rate)", onElementNamed: rateName)
            try? pipeline.setProperty("caps", to: caps(info), onElementNamed: formName)
            try? pipeline.setProperty("right", to: String(-margin(info.width)), onElementNamed: marginName)
            try? pipeline.setProperty("bottom", to: String(-margin(info.height)), onElementNamed: marginName)
        }
    }

    /// How many pixels a side of this length lacks.
    static func margin(_ length: Int) -> Int { max(16, length + length % 2) - length }

    private static func caps(_ info: VideoInfo) -> String {
        let aspect = info.pixelAspectRatio
        var caps =
            "video/x-raw,format=I420,width=\(info.width),height=\(info.height),"
            + "pixel-aspect-ratio=\(aspect.numerator)/\(aspect.denominator)"
        if !info.colorimetry.isEmpty { caps += ",colorimetry=(string)\(info.colorimetry)" }
        if !info.chromaSite.isEmpty { caps += ",chroma-site=(string)\(info.chromaSite)" }
        return caps
    }
}
