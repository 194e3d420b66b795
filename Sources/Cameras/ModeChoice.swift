/// A request for a picture's size and rate; chooses the camera's mode that comes closest.
public struct ModeRequest: Sendable, Hashable {
    /// In pixels; nil for whatever reads well.
    public var size: (width: Int, height: Int)? {
        get { width.flatMap { width in height.map { (width, $0) } } }
        set { (width, height) = (newValue?.width, newValue?.height) }
    }
    private var width: Int?
    private var height: Int?
    /// Frames a second; nil for whatever looks smooth.
    public var rate: Int?

    public init(size: (width: Int, height: Int)? = nil, rate: Int? = nil) {
        (width, height) = (size?.width, size?.height)
        self.rate = rate
    }

    /// Large enough for small print, small enough to be read often.
    private static let usualSize = (width: 1280, height: 720)
    /// The least rate at which a picture looks smooth.
    private static let smoothRate = 24.0

    /// The mode that comes closest, at one rate.
    ///
    /// Size first, then the rate, then how the picture is sent: uncompressed where that is fast enough (it is sharpest and
    /// costs nothing to decode), else MJPEG, else H.264. Without a wish: the size nearest to 1280×720 among those that run
    /// smoothly.
    /// - Returns: nil if the camera has no mode that can be used.
    public func choice(among modes: [CameraMode]) -> ModeChoice? {
        let usable = modes.filter { if case .other = $0.form { false } else { true } }
        let best = usable.min { cost($0) < cost($1) }
        guard let best else { return nil }
        return ModeChoice(
            mode: best, rate: chosenRate(of: best),
            isAsAsked: size.map { $0 == (best.width, best.height) } ?? true)
    }

    /// The rate that suits best: the fastest up to the requested one, else the slowest.
    private func chosenRate(of mode: CameraMode) -> CameraMode.Rate? {
        let wanted = Double(rate ?? 30) + 0.5
        return mode.rates.filter { $0.perSecond <= wanted }.max() ?? mode.rates.min()
    }

    /// Less is better; compared from the first number on.
    private func cost(_ mode: CameraMode) -> Cost {
        let wanted = size ?? Self.usualSize
        let distance = abs(mode.width - wanted.width) + abs(mode.height - wanted.height)
        let wantedRate = rate.map(Double.init) ?? Self.smoothRate
        let reached = chosenRate(of: mode)?.perSecond ?? wantedRate
        let isSlow = reached < wantedRate - 0.5
        let form =
            switch mode.form {
            case .raw: 0
            case .mjpeg: 1
            case .h264: 2
            case .other: 3
            }
        // A requested size has priority; an unrequested size is not worth a jerky picture.
        let slowness = isSlow ? wantedRate - reached : 0
        return size == nil
            ? Cost(parts: [isSlow ? 1 : 0, Double(distance), slowness, Double(form)])
            : Cost(parts: [Double(distance), slowness, Double(form)])
    }

    private struct Cost: Comparable {
        let parts: [Double]

        static func < (a: Cost, b: Cost) -> Bool { a.parts.lexicographicallyPrecedes(b.parts) }
    }
}

/// The mode that was taken.
public struct ModeChoice: Sendable, Hashable {
    public let mode: CameraMode
    /// Nil if the camera does not say its rates.
    public let rate: CameraMode.Rate?
    /// Whether the size is the one that was asked for.
    public let isAsAsked: Bool

    /// For a user: `1280×720 at 30 frames a second, MJPEG`.
    public var text: String {
        let pace = rate.map { " at \($0.text) frames a second" } ?? ""
        return "\(mode.width)×\(mode.height)\(pace), \(mode.form.name)"
    }

    /// GStreamer's caps for it; which of the raw formats of this size it is stays for `v4l2src` to choose.
    public var caps: String {
        let kind =
            switch mode.form {
            case .raw, .other: "video/x-raw"
            case .mjpeg: "image/jpeg"
            case .h264: "video/x-h264"
            }
        let pace = rate.map { ",framerate=\($0.numerator)/\($0.denominator)" } ?? ""
        return "\(kind),width=\(mode.width),height=\(mode.height)\(pace)"
    }
}
