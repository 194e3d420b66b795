import CVideo4Linux
public import Errors

/// A mode of a camera: the form, size and rates of its pictures.
public struct CameraMode: Sendable, Hashable {
    /// How the camera sends its pictures.
    public enum Form: Sendable, Hashable {
        /// Uncompressed; V4L2's four letters, such as `YUYV`.
        case raw(String)
        /// A JPEG for each picture.
        case mjpeg
        case h264
        /// A form that is not used here, such as `HEVC`.
        case other(String)

        public init(fourCharacters: String) {
            switch fourCharacters {
            case "MJPG", "JPEG": self = .mjpeg
            case "H264": self = .h264
            case "HEVC", "VP80", "VP90", "MPG4", "MPEG", "MPG1", "MPG2", "FWHT", "GRBG", "H263":
                self = .other(fourCharacters)
            default: self = .raw(fourCharacters)
            }
        }

        /// For a user and for programs: `MJPEG`, `H.264`, or V4L2's four letters.
        public var name: String {
            switch self {
            case .raw(let name), .other(let name): name
            case .mjpeg: "MJPEG"
            case .h264: "H.264"
            }
        }
    }

    /// A frame rate as the driver states it: a fraction, in frames per second.
    public struct Rate: Sendable, Hashable, Comparable {
        public let numerator: Int
        public let denominator: Int

        /// - Precondition: `denominator` is above 0.
        public init(_ numerator: Int, _ denominator: Int = 1) {
            precondition(denominator > 0, "a rate has a denominator above 0")
            self.numerator = numerator
            self.denominator = denominator
        }

        public var perSecond: Double { Double(numerator) / Double(denominator) }

        public static func < (a: Rate, b: Rate) -> Bool { a.perSecond < b.perSecond }

        /// `30` or `29.97`.
        public var text: String {
            let hundredths = Int((perSecond * 100).rounded())
            if hundredths % 100 == 0 { return String(hundredths / 100) }
            let rest = hundredths % 100
            return "\(hundredths / 100)." + (rest % 10 == 0 ? "\(rest / 10)" : rest < 10 ? "0\(rest)" : "\(rest)")
        }
    }

    public var form: Form
    /// In pixels.
    public var width: Int
    /// In pixels.
    public var height: Int
    /// The rates, fastest first; empty if the driver does not say.
    public var rates: [Rate]
}

extension CameraDevice {
    /// The usual sizes, which are listed if a camera accepts any size in a range.
    private static let usualSizes = [
        (320, 180), (320, 240), (640, 360), (640, 480), (1280, 720), (1920, 1080), (2560, 1440), (3840, 2160),
    ]
    private static let usualRates = [CameraMode.Rate(60), .init(30), .init(25), .init(15), .init(10), .init(5)]

    /// Everything the camera can send, in the driver's order. If it accepts any size in a range, the usual sizes in
    /// that range are listed.
    public var modes: [CameraMode] {
        var modes: [CameraMode] = []
        for index in 0..<UInt32(64) {
            var format = v4l2_fmtdesc()
            format.index = index
            format.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
            guard ask(FV4L_ENUM_FMT, &format) else { break }
            let form = CameraMode.Form(fourCharacters: Self.letters(of: format.pixelformat))
            for (width, height) in sizes(of: format.pixelformat) {
                let rates = rates(of: format.pixelformat, width, height)
                modes.append(CameraMode(form: form, width: width, height: height, rates: rates))
            }
        }
        return modes
    }

    private func sizes(of format: UInt32) -> [(Int, Int)] {
        var sizes: [(Int, Int)] = []
        for index in 0..<UInt32(256) {
            var size = v4l2_frmsizeenum()
            size.index = index
            size.pixel_format = format
            guard ask(FV4L_ENUM_FRAMESIZES, &size) else { break }
            if size.type == V4L2_FRMSIZE_TYPE_DISCRETE.rawValue {
                sizes.append((Int(size.discrete.width), Int(size.discrete.height)))
                continue
            }
            let range = size.stepwise
            func fits(_ value: Int, low: UInt32, high: UInt32, step: UInt32) -> Bool {
                value >= Int(low) && value <= Int(high) && (value - Int(low)) % max(1, Int(step)) == 0
            }
            sizes = Self.usualSizes.filter {
                fits($0.0, low: range.min_width, high: range.max_width, step: range.step_width)
                    && fits($0.1, low: range.min_height, high: range.max_height, step: range.step_height)
            }
            if sizes.isEmpty { sizes = [(Int(range.max_width), Int(range.max_height))] }
            break
        }
        return sizes
    }

    private func rates(of format: UInt32, _ width: Int, _ height: Int) -> [CameraMode.Rate] {
        var rates: [CameraMode.Rate] = []
        for index in 0..<UInt32(64) {
            var interval = v4l2_frmivalenum()
            interval.index = index
            interval.pixel_format = format
            (interval.width, interval.height) = (UInt32(width), UInt32(height))
            guard ask(FV4L_ENUM_FRAMEINTERVALS, &interval) else { break }
            func rate(_ time: v4l2_fract) -> CameraMode.Rate? {
                time.numerator > 0 ? CameraMode.Rate(Int(time.denominator), Int(time.numerator)) : nil
            }
            if interval.type == V4L2_FRMIVAL_TYPE_DISCRETE.rawValue {
                if let rate = rate(interval.discrete) { rates.append(rate) }
                continue
            }
            // The shortest interval is the fastest rate.
            guard let fastest = rate(interval.stepwise.min), let slowest = rate(interval.stepwise.max) else { break }
            rates = [fastest] + Self.usualRates.filter { $0 < fastest && $0 >= slowest }
            break
        }
        return Array(Set(rates)).sorted(by: >)
    }

    private static func letters(of format: UInt32) -> String {
        let bytes = [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: format >> $0 & 0x7F) }
        return String(decoding: bytes, as: UTF8.self).split(separator: " ").joined()
    }
}

/// A request for a picture's size and rate; chooses the camera's mode that comes closest.
public struct ModeRequest: Sendable, Hashable {
    /// In pixels; nil for a size at which text is read well.
    private var size: (width: Int, height: Int)? { width.flatMap { width in height.map { (width, $0) } } }
    private var width: Int?
    private var height: Int?
    /// Frames per second; nil for a rate that looks smooth.
    private var rate: Int?

    /// Creates a request for the camera's preferred picture.
    public init() {}

    /// - Parameters:
    ///   - size: such as `1280x720`; nil for any.
    ///   - rate: frames per second; nil for any.
    /// - Throws: `FramegrepError` (`badArgument`) for an invalid size or rate.
    public init(size: String?, rate: Int?) throws(FramegrepError) {
        if let size {
            let parts = size.lowercased().split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
            guard parts.count == 2, let width = parts[0], let height = parts[1], (1...32768).contains(width),
                (1...32768).contains(height)
            else { throw FramegrepError(.badArgument, "The size '\(size)' is not of the form 1280x720.") }
            (self.width, self.height) = (width, height)
        }
        if let rate, !(1...1000).contains(rate) {
            throw FramegrepError(.badArgument, "A camera cannot be asked for \(rate) frames a second; 30 is usual.")
        }
        self.rate = rate
    }

    /// A caps filter with its link, for raw video and the compressed forms that cameras send; empty for any format.
    package var caps: String {
        var fields = ""
        if let width, let height { fields += ",width=\(width),height=\(height)" }
        if let rate { fields += ",framerate=\(rate)/1" }
        guard !fields.isEmpty else { return "" }
        return "capsfilter caps=\""
            + ["video/x-raw", "image/jpeg", "video/x-h264"].map { $0 + fields }.joined(separator: ";") + "\" ! "
    }

    /// Large enough for small print, and small enough to be read often.
    private static let usualSize = (width: 1280, height: 720)
    /// The least rate at which a picture looks smooth.
    private static let smoothRate = 24.0

    /// Returns the mode that comes closest, at one rate.
    ///
    /// The size counts first, then the rate, then the format: uncompressed if that is fast enough (it is sharpest and
    /// costs nothing to decode), else MJPEG, else H.264. If no size is requested, it is the one nearest to 1280×720
    /// among those that run smoothly.
    /// - Returns: nil if the camera has no mode that can be used.
    public func choice(among modes: [CameraMode]) -> ModeChoice? {
        let usable = modes.filter { if case .other = $0.form { false } else { true } }
        let best = usable.min { cost($0) < cost($1) }
        guard let best else { return nil }
        return ModeChoice(
            mode: best, rate: chosenRate(of: best),
            isAsAsked: size.map { $0 == (best.width, best.height) } ?? true)
    }

    /// Returns the rate that fits best: the fastest up to the requested one, else the slowest.
    private func chosenRate(of mode: CameraMode) -> CameraMode.Rate? {
        let wanted = Double(rate ?? 30) + 0.5
        return mode.rates.filter { $0.perSecond <= wanted }.max() ?? mode.rates.min()
    }

    /// Lower is better; costs are compared lexicographically.
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

/// The mode that was chosen.
public struct ModeChoice: Sendable, Hashable {
    public let mode: CameraMode
    /// Nil if the camera does not list its rates.
    public let rate: CameraMode.Rate?
    /// Whether this is the requested size.
    public let isAsAsked: Bool

    /// For a user: `1280×720 at 30 frames a second, MJPEG`.
    public var text: String {
        let pace = rate.map { " at \($0.text) frames a second" } ?? ""
        return "\(mode.width)×\(mode.height)\(pace), \(mode.form.name)"
    }

    /// GStreamer's caps for it; `v4l2src` chooses among the raw formats of this size.
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
