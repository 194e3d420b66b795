public import TextSpotting

/// Something in a recording that a search could not identify: a line that was seen but not read, or pictures that show
/// nothing readable.
public struct UnreadPlace: Sendable, Hashable {
    public enum Reason: Sendable, Hashable, CaseIterable {
        case unread, otherScript, changed, small, dark, blurred, fast

        /// Returns a sentence with the number of places or their duration.
        public func sentence(count: Int, seconds: Double) -> String {
            let lines = count == 1 ? "1 line" : "\(count) lines"
            let time = String(Int((seconds * 10).rounded()) / 10) + "." + String(Int((seconds * 10).rounded()) % 10)
            return switch self {
            case .unread: "\(lines) could not be read"
            case .otherScript: "\(lines) may be in a script that is not read"
            case .changed: "\(lines) changed again before \(count == 1 ? "it was" : "they were") read"
            case .small: "\(lines) of less than \(Int(Self.leastReadable)) pixels could not be read"
            case .dark: "\(time) s are too dark to be read"
            case .blurred: "\(time) s are too blurred to be read"
            case .fast: "\(time) s move too fast to be read"
            }
        }

        /// Whether people may be able to read it.
        public var isReadableByPeople: Bool { self != .small }

        /// The height of a line's box in pixels below which its capitals have some six pixels, and people can hardly
        /// distinguish its letters either.
        static let leastReadable = 10.0
    }

    public var reason: Reason
    public var start: StreamTime
    public var end: StreamTime
    /// The place, in pixels of the picture as displayed; nil for all of it.
    public var quad: Quad?

    /// Returns the places after some parts of a recording were searched again.
    ///
    /// - Parameter parts: the parts; nil for all of it.
    public static func joined(
        _ before: [UnreadPlace], with found: [UnreadPlace], in parts: [Range<StreamTime>]?
    ) -> [UnreadPlace] {
        guard let parts else { return found }
        let kept = before.filter { place in
            !parts.contains { $0.lowerBound <= place.start && place.end <= $0.upperBound }
        }
        let new = found.filter { place in !kept.contains { $0.reason == place.reason && $0.overlaps(place) } }
        return (kept + new).sorted { ($0.start, $0.end) < ($1.start, $1.end) }
    }

    private func overlaps(_ other: UnreadPlace) -> Bool {
        guard start < other.end, other.start < end else { return false }
        guard let quad, let others = other.quad else { return true }
        return quad.bounds.intersection(others.bounds).area > 0
    }

    /// Returns lines that changed again before they could be read.
    ///
    /// - Parameter known: the hidden places, in which nothing can be read.
    static func places(of leftOut: LeftOutTexts, besides known: HidingPlan) -> [UnreadPlace] {
        leftOut.places.map { UnreadPlace(reason: .changed, start: $0.time, end: $0.time, quad: $0.quad) }
            .filter { !known.hides($0) }
    }
}

extension HidingPlan {
    /// Returns whether most of such a place is hidden when it begins.
    public func hides(_ place: UnreadPlace) -> Bool {
        guard let quad = place.quad else { return false }
        let moment = FrameTime(index: 0, start: place.start, duration: StreamTime(seconds: 0.001))
        return hides(quad, in: moment, from: UnreadPlaces.hiddenShare)
    }
}

/// Collects unread places from the findings of a search: a value that takes its readings in order.
struct UnreadPlaces: Sendable {
    private var lines: [Int: UnreadPlace] = [:]
    private var over: [UnreadPlace] = []
    private var advisor = PictureAdvisor()
    private var picture: UnreadPlace?
    private var last: (picture: Picture, time: StreamTime)?
    private let isOtherScript: @Sendable (TextLine) -> Bool
    private let known: HidingPlan

    /// A line with less confidence may have any text.
    private static let readable = 0.65
    /// If this share of a place is hidden, it can no longer be read.
    static let hiddenShare = 0.5
    /// The least height of a line, in pixels.
    private static let leastHeight = 9.0
    /// The largest number reported: a texture may look like thousands of lines.
    private static let most = 10_000

    /// - Parameters:
    ///   - known: the hidden places, in which nothing can be read.
    ///   - isOtherScript: returns whether a line, as read, may be in a script that is not supported.
    init(besides known: HidingPlan, isOtherScript: @escaping @Sendable (TextLine) -> Bool) {
        (self.known, self.isOtherScript) = (known, isOtherScript)
    }

    /// All places, the earliest first; lines of the same times in the order in which they were seen, in every run.
    var all: [UnreadPlace] {
        let seen = lines.sorted { $0.key < $1.key }.map(\.value)
        return (over + seen + [picture].compactMap { $0 }).sorted { ($0.start, $0.end) < ($1.start, $1.end) }
    }

    mutating func take(_ finding: FrameResult) {
        look(at: finding)
        for track in finding.tracks where track.isInView && track.seen == finding.time {
            if lines[track.id] != nil {
                lines[track.id]?.end = finding.time.end
                // Another reading recognized it.
                if reason(of: track.line) == nil { lines[track.id] = nil }
                continue
            }
            guard track.read == finding.time, over.count + lines.count < Self.most, let reason = reason(of: track.line)
            else {
                continue
            }
            let quad = finding.geometry.displayed(track.line.quad)
            guard quad.height >= Self.leastHeight, known.isEmpty || !isHidden(quad, in: finding) else { continue }
            let isSmall = reason == .unread && quad.height < UnreadPlace.Reason.leastReadable
            lines[track.id] = UnreadPlace(
                reason: isSmall ? .small : reason, start: finding.time.start, end: finding.time.end, quad: quad)
        }
    }

    /// Returns whether nothing of a place can be read: most of it is hidden, or it is a hidden place with even ground around
    /// it, as detectors take it for a line.
    private func isHidden(_ quad: Quad, in finding: FrameResult) -> Bool {
        if known.hides(quad, in: finding.time, from: Self.hiddenShare) { return true }
        guard known.hides(quad, in: finding.time, from: Self.touchedShare), let frame = finding.frames.last else {
            return false
        }
        let geometry = finding.geometry
        // A pixel of the thumbnail is a mean of several, and an encoder's edges are wider.
        let margin = 2 / max(1e-6, geometry.scale)
        let hidden = known.quads(in: finding.time).map { $0.grown(along: margin, across: margin) }
        return frame.picture.isEven(in: geometry.thumbnail(of: quad.bounds)) { pixel in
            let point = geometry.displayed(pixel)
            return quad.holdsPoint(point) && !hidden.contains { $0.holdsPoint(point) }
        }
    }

    /// The share of a place that must be hidden before the place may be a bar with its surroundings.
    private static let touchedShare = 0.2

    private func reason(of line: TextLine) -> UnreadPlace.Reason? {
        if line.confidence < Self.readable { return .unread }
        return isOtherScript(line) ? .otherScript : nil
    }

    /// Records whether the picture as a whole cannot be read.
    private mutating func look(at finding: FrameResult) {
        guard let frame = finding.frames.last else { return }
        let time = frame.time.start
        let before = last
        last = (frame.picture, time)
        let hasText = finding.tracks.contains { $0.isInView && $0.line.confidence >= Self.readable }
        let change = advisor.consider(hasText: hasText, at: time) { known in
            let speed = before.flatMap { before -> Double? in
                let seconds = (time - before.time).seconds
                return seconds > 0 && seconds < 0.2
                    ? PictureMotion.distance(from: before.picture, to: frame.picture).map { $0 / seconds } : nil
            }
            return PictureProblem.of(PictureMeasures(of: frame.picture), speed: speed, knowing: known)
        }
        switch change {
        case .say(let problem):
            endPicture()
            let begin = max(.zero, time - PictureAdvisor.patience)
            picture = UnreadPlace(reason: UnreadPlace.Reason(problem), start: begin, end: frame.time.end, quad: nil)
        case .stop: endPicture()
        case nil: picture?.end = frame.time.end
        }
    }

    private mutating func endPicture() {
        if let picture { over.append(picture) }
        picture = nil
    }
}

extension UnreadPlace.Reason {
    fileprivate init(_ problem: PictureProblem) {
        self =
            switch problem {
            case .dark: .dark
            case .blurred, .smeared: .blurred
            case .moving: .fast
            }
    }
}

extension FrameResult.Geometry {
    /// Returns the pixels of a thumbnail in a part of the picture as displayed.
    fileprivate func thumbnail(of area: Rect) -> Rect {
        Rect(
            x: (area.minX / pixelAspect - origin.x) * scale, y: (area.minY - origin.y) * scale,
            width: area.width / pixelAspect * scale, height: area.height * scale)
    }

    /// Converts from the middle of a thumbnail's pixel to the picture as displayed.
    fileprivate func displayed(_ pixel: Point) -> Point {
        let step = 1 / max(1e-6, scale)
        return Point((pixel.x * step + origin.x) * pixelAspect, pixel.y * step + origin.y)
    }
}

extension Picture {
    /// Returns whether some pixels of a picture are equally bright, apart from noise: no letters are there.
    ///
    /// - Parameters:
    ///   - area: the part of the picture in which they are.
    ///   - isWanted: tells of the middle of each pixel whether it counts.
    fileprivate func isEven(in area: Rect, _ isWanted: (Point) -> Bool) -> Bool {
        let area = area.intersection(bounds)
        guard !area.isEmpty else { return true }
        var (least, most) = (255, 0)
        for y in Int(area.minY)..<min(height, Int(area.maxY.rounded(.up))) {
            for x in Int(area.minX)..<min(width, Int(area.maxX.rounded(.up)))
            where isWanted(Point(Double(x) + 0.5, Double(y) + 0.5)) {
                let value = Int(bytes[y * bytesPerRow + x * format.bytesPerPixel])
                (least, most) = (min(least, value), max(most, value))
                if most - least > Self.noise { return false }
            }
        }
        return true
    }

    /// The largest difference of an even ground in gray levels: letters as pale as people can hardly read have more.
    private static let noise = 6
}
