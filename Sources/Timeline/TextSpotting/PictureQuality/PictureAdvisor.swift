/// Decides when to report that a picture is too bad to be read, and when to stop reporting it.
///
/// A state machine that takes each reading. It reports a problem only if readings have found no text for ``patience``
/// and the picture showed the same problem all that time; it stops when text is read or the problem has been gone for
/// ``relief``.
public struct PictureAdvisor: Sendable {
    /// The change to the reported problem.
    public enum Change: Sendable, Hashable {
        case say(PictureProblem)
        /// The problem is over.
        case stop
    }

    /// The time that a problem must last before it is reported.
    public static let patience = StreamTime(seconds: 1)
    /// The time that a problem must be gone before it is no longer reported, unless text is read sooner.
    public static let relief = StreamTime(seconds: 0.5)

    /// The problem that is currently reported.
    public private(set) var spoken: PictureProblem?
    private var suspected: (problem: PictureProblem, since: StreamTime)?
    private var better: StreamTime?

    public init() {}

    /// Takes the result of looking at a frame.
    ///
    /// - Parameters:
    ///   - hasText: whether text was read in it.
    ///   - problem: returns its problem, given the previous one; not called if text was read.
    ///   - time: the time of the frame; if time jumps back, the advisor starts again.
    public mutating func consider(
        hasText: Bool, at time: StreamTime, problem: (_ knowing: PictureProblem?) -> PictureProblem?
    ) -> Change? {
        if let suspected, time < suspected.since { self.suspected = nil }
        if let better, time < better { self.better = nil }
        if hasText {
            suspected = nil
            return stop()
        }
        guard let problem = problem(spoken ?? suspected?.problem) else {
            suspected = nil
            guard spoken != nil else { return nil }
            let since = better ?? time
            better = since
            return time - since >= Self.relief ? stop() : nil
        }
        better = nil
        if suspected?.problem != problem { suspected = (problem, time) }
        guard spoken != problem, let suspected, time - suspected.since >= Self.patience else { return nil }
        spoken = problem
        return .say(problem)
    }

    private mutating func stop() -> Change? {
        better = nil
        guard spoken != nil else { return nil }
        spoken = nil
        return .stop
    }
}

/// The reason a picture cannot be read.
public enum PictureProblem: String, Sendable, CaseIterable {
    case dark, blurred, smeared, moving

    /// Diagnoses a measured picture; nil if nothing is wrong or that is unclear.
    ///
    /// - Parameters:
    ///   - speed: the speed of the picture, in its own widths per second; nil if it is not known.
    ///   - known: the problem of the previous pictures, which is over only when the figures are clearly better.
    public static func of(
        _ measures: PictureMeasures, speed: Double?, knowing known: PictureProblem? = nil
    ) -> PictureProblem? {
        // Each limit is 1.25 times easier to meet for a problem that already exists.
        func limit(_ value: Double, _ problem: PictureProblem) -> Double { known == problem ? value * 1.25 : value }
        // A picture of uniform brightness is empty (a fade, a blank screen), not a dark room.
        let isBlank = measures.highlight - measures.shadow < 3
        if !isBlank, Double(measures.highlight) < limit(Self.darkHighlight, .dark) { return .dark }
        if let speed, speed * (known == .moving ? 1.25 : 1) > Self.fastSpeed { return .moving }
        let values = EdgeDirection.allCases.compactMap { measures.sharpness[$0] }
        guard let least = values.min(), let most = values.max() else { return nil }
        if most < limit(Self.blurredSharpness, .blurred) { return .blurred }
        let isDirected = EdgeDirection.allCases.contains { direction in
            guard let along = measures.sharpness[direction], let across = measures.sharpness[direction.other] else {
                return false
            }
            return along == least && along < limit(Self.smearedSharpness, .smeared)
                && across > along * (known == .smeared ? 1.6 : 2)
        }
        return isDirected ? .smeared : nil
    }

    /// The brightness, of 255, below which 98 of 100 pixels make a picture too dark: letters drown in the sensor's
    /// noise.
    private static let darkHighlight = 48.0
    /// The speed in widths per second: at 1, a letter passes by its own width within a frame or two.
    private static let fastSpeed = 0.8
    /// The sharpness of a Gaussian of 2 pixels (0.4/σ): strokes of usual text run into each other.
    private static let blurredSharpness = 0.2
    /// The sharpness along the direction of a smear.
    private static let smearedSharpness = 0.2
}

/// Measures of the quality of a picture, from its thumbnail alone.
public struct PictureMeasures: Sendable, Hashable {
    /// The brightness that 98 of 100 pixels do not exceed, 0 to 255.
    public var highlight: Int
    /// The brightness that 2 of 100 pixels do not exceed, 0 to 255.
    public var shadow: Int
    /// The steepness of the steepest edges along each of four directions: the largest step from one pixel to the next
    /// divided by the contrast around it. A sharp edge has 0.5 to 1; one blurred by a Gaussian of σ pixels 0.4/σ. Nil
    /// for a direction along which too little of the picture has contrast.
    public var sharpness: [EdgeDirection: Double]

    public init(highlight: Int, shadow: Int, sharpness: [EdgeDirection: Double]) {
        self.highlight = highlight
        self.shadow = shadow
        self.sharpness = sharpness
    }

    /// Measures a luma picture of some hundred pixels a side. For a picture smaller than ``tile`` pixels only the
    /// brightness is measured.
    public init(of picture: Picture) {
        let (shadow, highlight) = Self.range(of: picture)
        let noise = Self.noise(of: picture)
        var sharpness: [EdgeDirection: Double] = [:]
        for direction in EdgeDirection.allCases {
            sharpness[direction] = EdgeSteepness(direction: direction, noise: noise).measure(picture)
        }
        self.init(highlight: highlight, shadow: shadow, sharpness: sharpness)
    }

    /// The side of the squares in which contrast is measured, in pixels.
    public static let tile = 24

    /// Returns the 2nd and the 98th percentile.
    private static func range(of picture: Picture) -> (shadow: Int, highlight: Int) {
        var histogram = [Int](repeating: 0, count: 256)
        for byte in picture.bytes { histogram[Int(byte)] += 1 }
        func percentile(_ share: Double) -> Int {
            var left = Int((Double(picture.bytes.count) * share).rounded(.up))
            for (value, count) in histogram.enumerated() {
                left -= count
                if left <= 0 { return value }
            }
            return 255
        }
        return (percentile(0.02), percentile(0.98))
    }

    /// Returns the standard deviation of the noise, using the mask of Immerkær ("Fast noise variance estimation",
    /// 1996), which is 0 for even brightness and even slopes. The median over rows keeps edges out of it.
    private static func noise(of picture: Picture) -> Double {
        guard picture.width >= 8, picture.height >= 8 else { return 0 }
        let width = picture.width
        let rows: [Double] = picture.bytes.withUnsafeBufferPointer { bytes in
            stride(from: 1, to: picture.height - 1, by: 4).map { y in
                var sum = 0
                for x in 1..<width - 1 {
                    let at = y &* width &+ x
                    func v(_ offset: Int) -> Int { Int(bytes[at &+ offset]) }
                    let corners = v(-width - 1) &+ v(-width + 1) &+ v(width - 1) &+ v(width + 1)
                    let sides = v(-width) &+ v(width) &+ v(-1) &+ v(1)
                    sum &+= abs(corners &- 2 &* sides &+ 4 &* v(0))
                }
                return Double(sum) / Double(width - 2)
            }
        }
        let median = rows.sorted()[rows.count / 2]
        return median * (Double.pi / 2).squareRoot() / 6
    }
}

/// The directions along which brightness is measured.
public enum EdgeDirection: Sendable, CaseIterable {
    case across, down, falling, rising

    /// The direction at a right angle to this one.
    public var other: EdgeDirection {
        switch self {
        case .across: .down
        case .down: .across
        case .falling: .rising
        case .rising: .falling
        }
    }

    /// The step from one pixel to the next.
    var step: (x: Int, y: Int) {
        switch self {
        case .across: (1, 0)
        case .down: (0, 1)
        case .falling: (1, 1)
        case .rising: (1, -1)
        }
    }
}

/// Measures the steepness of the edges of a picture along one direction.
///
/// In each tile every other line along the direction is examined separately: the difference between its brightest and
/// its darkest pixel, including half a tile beyond both ends, and how much of that lies between two neighbors inside.
/// Stripes along the direction have no contrast along it, so they are ignored; letters have some along every direction.
struct EdgeSteepness {
    let direction: EdgeDirection
    /// The standard deviation of the picture's noise, which makes steps of its own.
    let noise: Double

    /// Lines with less contrast than this (of 255) are ignored.
    private static let leastContrast = 28
    /// Fewer tiles than this give no result.
    private static let leastTiles = 3

    /// Returns the steepness of the steepest edges; nil if too few tiles have contrast.
    ///
    /// The result is the 90th percentile of the tiles: one sharp spot (a dead pixel, a logo) does not make a picture
    /// sharp, and a blurred background does not make it blurred.
    func measure(_ picture: Picture) -> Double? {
        let side = PictureMeasures.tile
        var tiles: [Double] = []
        picture.bytes.withUnsafeBufferPointer { bytes in
            for y in stride(from: 0, through: picture.height - side, by: side) {
                for x in stride(from: 0, through: picture.width - side, by: side) {
                    if let steepness = steepness(bytes, picture.width, x: x, y: y, side) { tiles.append(steepness) }
                }
            }
        }
        guard tiles.count >= Self.leastTiles else { return nil }
        return tiles.sorted()[(tiles.count - 1) * 9 / 10]
    }

    /// Returns the steepness of the line with the most contrast in a tile.
    private func steepness(
        _ bytes: UnsafeBufferPointer<UInt8>, _ width: Int, x: Int, y: Int, _ side: Int
    ) -> Double? {
        let step = direction.step
        // Lines begin at the side of the tile where they enter it and are followed only through the tile; diagonal ones
        // begin in its middle half, so that all are at least half as long as the tile.
        let isDiagonal = step.x != 0 && step.y != 0
        let starts = isDiagonal ? side / 2 : side
        let length = isDiagonal ? side / 2 : side
        let height = bytes.count / width
        var best: (contrast: Int, jump: Int) = (0, 0)
        for line in stride(from: 0, to: starts, by: 2) {
            let startX = step.x == 0 ? x + line : x
            let startY =
                switch direction {
                case .across, .falling: y + line
                case .down: y
                case .rising: y + side - 1 - line
                }
            // The surrounding contrast: a tile may hold only a part of a blurred edge, which would look steeper than it
            // is.
            let first = -Self.room(
                startX, y: startY, step: (-step.x, -step.y), width: width, height: height, atMost: side / 2)
            let last = Self.room(startX, y: startY, step: step, width: width, height: height, atMost: length + side / 2)
            var at = (startY &+ first &* step.y) &* width &+ startX &+ first &* step.x
            var before = Int(bytes[at])
            var (low, high, jump) = (before, before, 0)
            var place = first &+ 1
            while place <= last {
                at = at &+ step.y &* width &+ step.x
                let value = Int(bytes[at])
                low = min(low, value)
                high = max(high, value)
                if place > 0, place < length { jump = max(jump, abs(value &- before)) }
                before = value
                place &+= 1
            }
            if high - low > best.contrast { best = (high - low, jump) }
        }
        guard best.contrast >= Self.leastContrast else { return nil }
        // The largest of many differences of noise, each with √2 times its deviation, is about 3 times that.
        let spurious = noise * 3 * 2.0.squareRoot()
        let contrast = max(1, Double(best.contrast) - spurious)
        guard contrast >= Double(Self.leastContrast) else { return nil }
        return max(0, Double(best.jump) - spurious) / contrast
    }

    /// Returns the number of steps that can be made from a pixel without leaving the picture.
    private static func room(
        _ x: Int, y: Int, step: (x: Int, y: Int), width: Int, height: Int, atMost limit: Int
    ) -> Int {
        func steps(_ at: Int, _ step: Int, _ size: Int) -> Int { step == 0 ? limit : step > 0 ? size - 1 - at : at }
        return min(limit, steps(x, step.x, width), steps(y, step.y, height))
    }
}

/// Measures how far a whole picture moved between two frames.
public enum PictureMotion {
    /// The width at which pictures are compared, in pixels.
    private static let width = 80
    /// The largest displacement that is tried, in those pixels.
    private static let reach = 16

    /// Returns the distance in widths of the picture; nil if no displacement explains the difference, or the picture
    /// has nothing in it that could be seen to move.
    public static func distance(from before: Picture, to after: Picture) -> Double? {
        guard before.format == .luma, after.format == .luma, before.width == after.width,
            before.height == after.height, before.width >= width
        else { return nil }
        let factor = before.width / width
        let (first, second) = (reduced(before, factor), reduced(after, factor))
        guard first.height > 3 * reach / 2 else { return nil }
        let still = difference(first, second, dx: 0, dy: 0)
        // Nothing moved.
        guard still >= 2 else { return 0 }
        var best = (difference: still, dx: 0, dy: 0)
        for dy in -reach / 2...reach / 2 {
            for dx in -reach...reach where dx != 0 || dy != 0 {
                let found = difference(first, second, dx: dx, dy: dy)
                if found < best.difference { best = (found, dx, dy) }
            }
        }
        // Nothing moved, or the motion is unclear.
        guard best.difference < still * 0.6 else { return still < 4 ? 0 : nil }
        return Point(Double(best.dx), Double(best.dy)).length / Double(first.width)
    }

    private struct Small {
        let width: Int
        let height: Int
        let bytes: [UInt8]
    }

    private static func reduced(_ picture: Picture, _ factor: Int) -> Small {
        let (width, height) = (picture.width / factor, picture.height / factor)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(width * height)
        for y in 0..<height {
            for x in 0..<width {
                var sum = 0
                for row in 0..<factor {
                    let start = (y * factor + row) * picture.width + x * factor
                    for column in 0..<factor { sum += Int(picture.bytes[start + column]) }
                }
                bytes.append(UInt8(sum / (factor * factor)))
            }
        }
        return Small(width: width, height: height, bytes: bytes)
    }

    /// Returns the mean difference of brightness where both pictures overlap, with the second moved back by (dx, dy).
    private static func difference(_ first: Small, _ second: Small, dx: Int, dy: Int) -> Double {
        let xs = max(0, -dx)..<min(first.width, first.width - dx)
        let ys = max(0, -dy)..<min(first.height, first.height - dy)
        var sum = 0
        first.bytes.withUnsafeBufferPointer { a in
            second.bytes.withUnsafeBufferPointer { b in
                for y in ys {
                    let from = y &* first.width
                    let to = (y &+ dy) &* second.width &+ dx
                    for x in xs { sum &+= abs(Int(a[from &+ x]) &- Int(b[to &+ x])) }
                }
            }
        }
        return Double(sum) / Double(max(1, xs.count * ys.count))
    }
}
