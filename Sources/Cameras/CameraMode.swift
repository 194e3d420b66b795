import CVideo4Linux

/// A picture that a camera can send: its form, size and rate.
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

    /// A rate as the driver states it: frames a second as a fraction.
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
    /// From the fastest; empty if the driver does not say.
    public var rates: [Rate]

    public init(form: Form, width: Int, height: Int, rates: [Rate]) {
        self.form = form
        self.width = width
        self.height = height
        self.rates = rates
    }
}

extension CameraDevice {
    /// The usual sizes that are named where a camera takes any size between two.
    private static let usualSizes = [
        (320, 180), (320, 240), (640, 360), (640, 480), (1280, 720), (1920, 1080), (2560, 1440), (3840, 2160),
    ]
    private static let usualRates = [CameraMode.Rate(60), .init(30), .init(25), .init(15), .init(10), .init(5)]

    /// Everything the camera can send, in the driver's order; where it takes any size in a range, the usual ones of it.
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
