public import Errors
import Foundation
public import TextSpotting

/// A plan as a file that you can inspect and edit: one JSON object per line (docs/REDACT.md).
extension HidingPlan {
    /// Identifies the recording of a plan, so that it is not applied to another one by mistake.
    public struct Subject: Sendable, Hashable {
        /// The name that the user gave.
        public var source: String
        /// The width of the picture as displayed, in pixels.
        public var width: Int
        public var height: Int
        /// The duration of the recording, as stated in its file; nil for a still and if unknown.
        public var duration: StreamTime?
        /// The sum of the file; nil if the source is not a file.
        public var file: FileSum?

        public init(source: String, width: Int, height: Int, duration: StreamTime?, file: FileSum?) {
            (self.source, self.width, self.height) = (source, width, height)
            (self.duration, self.file) = (duration, file)
        }
    }

    /// The size of a file and a sum over its beginning and its end.
    public struct FileSum: Sendable, Hashable {
        public let size: Int
        public let sum: String

        /// The number of bytes at the beginning and at the end that count.
        private static let part = 4 << 20

        /// - Returns: nil for a file that cannot be read.
        public init?(ofFileAt path: String) {
            guard let file = FileHandle(forReadingAtPath: path), let end = try? file.seekToEnd() else { return nil }
            defer { try? file.close() }
            let starts = end <= 2 * UInt64(Self.part) ? [0] : [0, end - UInt64(Self.part)]
            let length = starts.count == 1 ? Int(end) : Self.part
            var sum: UInt64 = 14_695_981_039_346_656_037
            for start in starts {
                guard (try? file.seek(toOffset: start)) != nil, let data = try? file.read(upToCount: max(1, length))
                else {
                    return nil
                }
                // FNV-1a (G. Fowler, L. C. Noll, K.-P. Vo).
                for byte in data { sum = (sum ^ UInt64(byte)) &* 1_099_511_628_211 }
            }
            size = Int(end)
            self.sum = String(sum, radix: 16)
        }
    }

    /// The types of its lines: what it is a plan of, and what is hidden.
    private static let (headType, thingType) = ("plan", "hidden")

    /// - Parameters:
    ///   - subject: the recording of the plan.
    ///   - showsText: whether to include the text that was read.
    public func lines(of subject: Subject, showsText: Bool) -> [String] {
        var head = JSONObject(type: Self.headType)
        head.add("source", subject.source)
        head.add("width", subject.width)
        head.add("height", subject.height)
        if let duration = subject.duration { head.add("duration", duration.seconds, decimals: 3) }
        if let file = subject.file {
            head.add("size", file.size)
            head.add("sum", file.sum)
        }
        return [head.text]
            + things.flatMap { thing in
                thing.paths.map { Self.line($0, of: thing, showsText: showsText) }
            }
    }

    private static func line(_ path: HiddenPath, of thing: HiddenThing, showsText: Bool) -> String {
        var object = JSONObject(type: thingType)
        object.add("id", thing.id)
        object.add("reason", thing.reason)
        if showsText, let text = thing.text { object.add("text", text) }
        object.add("start", path.start.seconds, decimals: 6)
        object.add("end", path.end.seconds, decimals: 6)
        let places = path.places.map { place in
            var object = JSONObject()
            object.add("t", place.time.seconds, decimals: 6)
            object.add("quad", json: JSONLinesFormatter.quad(place.quad))
            return object.text
        }
        object.add("places", json: "[" + places.joined(separator: ",") + "]")
        return object.text
    }

    // MARK: Reading

    /// Reads one line, without looking at its times and places.
    private static func decoded(_ text: String, _ place: String) throws(FramegrepError) -> Line {
        guard let line = try? JSONDecoder().decode(Line.self, from: Data(text.utf8)) else {
            throw failure(place, "it is not a JSON object with start, end and box or places")
        }
        if let version = line.version, version > JSONObject.version {
            throw failure(place, "it was written by a newer framegrep")
        }
        if let key = JSONKeys.repeated(in: text) {
            throw failure(place, "it has \"\(key)\" twice, and only one of them could count")
        }
        // Lines of other types, such as results of a search, say something else with the same keys.
        if let type = line.type, ![headType, thingType].contains(type) {
            throw failure(
                place, "its type is \"\(type)\", and the lines of a plan are \"\(headType)\" or \"\(thingType)\"")
        }
        if line.type == headType, line.start != nil || line.end != nil || line.box != nil || line.places != nil {
            throw failure(
                place, "its type is \"\(headType)\", by which nothing is hidden; what is hidden is \"\(thingType)\"")
        }
        return line
    }

    /// One line, limited to the fields that users write.
    private struct Line: Decodable {
        struct Place: Decodable {
            let t: Double
            let quad: [[Double]]
        }
        /// A number that is nil if a user wrote something else in its place.
        struct Number: Decodable {
            let value: Int?

            init(from decoder: any Decoder) throws {
                value = try? decoder.singleValueContainer().decode(Int.self)
            }
        }
        let type: String?
        let version: Int?
        let width: Int?
        let height: Int?
        let duration: Double?
        let size: Int?
        let sum: String?
        let id: Number?
        let reason: String?
        let start: Double?
        let end: Double?
        let places: [Place]?
        /// Replaces `places` for something that stands still: left, top, width and height.
        let box: [Double]?
    }

    /// The largest number of places in a line, and of lines in a file; more are refused.
    private static let mostPlaces = 1_000_000
    /// The smallest side of a place, in pixels: nothing smaller shows anything, so that it is a mistake, such as a
    /// share of the picture in place of pixels.
    private static let leastExtent = 1.0
    /// The largest number of pixels and of seconds; no picture or recording has more.
    private static let longest = 1e6
    private static let latest = 1e9

    /// Reads a plan.
    ///
    /// - Parameters:
    ///   - text: the contents of the file.
    ///   - name: the name of the file, for messages.
    ///   - subject: the recording to apply it to.
    /// - Throws: `FramegrepError` (`badArgument`) that names the line.
    public init(parsing text: String, name: String, for subject: Subject) throws(FramegrepError) {
        self.init()
        let (width, height) = (subject.width, subject.height)
        let picture = Rect(x: 0, y: 0, width: Double(width), height: Double(height))
        var read: [HiddenThing] = []
        var isPlan = false
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let trimmed = line.trimmingCharacters(in: .whitespaces)
            guard !trimmed.isEmpty, !trimmed.hasPrefix("#") else { continue }
            let place = "\(name), line \(index + 1)"
            let line = try Self.decoded(trimmed, place)
            isPlan = true
            if line.type == Self.headType {
                if let reason = Self.difference(of: line, from: subject) { throw Self.failure(place, reason) }
                continue
            }
            let path = try Self.path(line, place)
            let reason = line.reason ?? "plan"
            // Nothing would be hidden, yet the result would be reported as redacted.
            guard path.places.contains(where: { Self.hasExtent($0.quad.bounds.intersection(picture)) }) else {
                throw Self.failure(place, "it covers nothing of the picture, which has \(width)×\(height) pixels")
            }
            // Lines of the same number, one behind the other, are one thing.
            if let id = line.id?.value, id > 0, let last = read.last, last.id == id, last.reason == reason {
                read[read.count - 1].paths.append(path)
            } else {
                read.append(HiddenThing(id: line.id?.value ?? 0, reason: reason, paths: [path]))
            }
        }
        // A file that is not a plan would hide nothing.
        guard isPlan else {
            throw Self.failure(name, "there is no line of a plan in it, not even the first one that --plan writes")
        }
        add(read)
    }

    /// Returns how the recording of a plan differs from the subject; nil if it does not, as far as its first line
    /// tells.
    private static func difference(of line: Line, from subject: Subject) -> String? {
        let (w, h) = (line.width ?? subject.width, line.height ?? subject.height)
        if (w, h) != (subject.width, subject.height) {
            return "it is a plan for a picture of \(w)×\(h) pixels, and this one has \(subject.width)×\(subject.height)"
        }
        if let theirs = line.duration, let ours = subject.duration?.seconds, abs(theirs - ours) > 0.001 {
            return "it is a plan for a recording of \(theirs) s, and this one has \(ours) s"
        }
        guard let file = subject.file else { return nil }
        if let size = line.size, size != file.size {
            return "it is a plan for a file of \(size) bytes, and this one has \(file.size)"
        }
        if let sum = line.sum, sum != file.sum {
            return
                "it is a plan for another file of this size; make one of this file, or take \"sum\" out of its first line if both show the same"
        }
        return nil
    }

    private static func path(_ line: Line, _ place: String) throws(FramegrepError) -> HiddenPath {
        guard let start = line.start, let end = line.end, (0...latest).contains(start), (0...latest).contains(end),
            start < end
        else { throw failure(place, "start and end are not two times in seconds, one before the other") }
        let from = StreamTime(seconds: start)
        return HiddenPath(
            start: from, end: StreamTime(seconds: end), places: try places(line, from: from, place))
    }

    private static func places(
        _ line: Line, from start: StreamTime, _ place: String
    ) throws(FramegrepError) -> [HiddenPath.Place] {
        if let box = line.box {
            guard line.places == nil else {
                throw failure(place, "it has both box and places, and only one of them could be hidden")
            }
            guard box.count == 4, box.allSatisfy({ abs($0) <= longest }), box[2] > 0, box[3] > 0 else {
                throw failure(place, "box is not left, top, width and height in pixels")
            }
            let rect = Rect(x: box[0], y: box[1], width: box[2], height: box[3])
            guard hasExtent(rect) else { throw failure(place, "its box is smaller than a pixel") }
            return [HiddenPath.Place(time: start, quad: Quad(rect))]
        }
        guard let given = line.places, !given.isEmpty else { throw failure(place, "it has neither box nor places") }
        guard given.count <= mostPlaces else { throw failure(place, "it has more than \(mostPlaces) places") }
        var places: [HiddenPath.Place] = []
        for entry in given {
            let corners = entry.quad.compactMap { $0.count == 2 ? Point($0[0], $0[1]) : nil }
            guard corners.count == 4, entry.quad.count == 4, abs(entry.t) <= latest,
                corners.allSatisfy({ abs($0.x) <= longest && abs($0.y) <= longest })
            else { throw failure(place, "a quad is not four corners [x, y] in pixels with a time t") }
            let quad = Quad(
                topLeft: corners[0], topRight: corners[1], bottomRight: corners[2], bottomLeft: corners[3])
            guard hasExtent(quad.bounds), area(corners) >= leastExtent else {
                throw failure(place, "one of its quads is smaller than a pixel")
            }
            guard !crosses(corners) else {
                throw failure(
                    place, "the corners of a quad do not go around it, so that only parts of it would be hidden")
            }
            places.append(HiddenPath.Place(time: StreamTime(seconds: entry.t), quad: quad))
        }
        guard zip(places, places.dropFirst()).allSatisfy({ $0.time <= $1.time }) else {
            throw failure(place, "the times of its places are not in order")
        }
        guard zip(places, places.dropFirst()).allSatisfy({ !collapses($0.quad, $1.quad) }) else {
            throw failure(
                place,
                "between two of its places the corners change sides, so that nothing would be hidden on the way; give each corner the same place in the list"
            )
        }
        return places
    }

    /// Returns whether a quad between the two covers much less than either, or crosses itself, as in a turn by 180°.
    private static func collapses(_ a: Quad, _ b: Quad) -> Bool {
        let least = 0.3 * min(area(a.corners), area(b.corners))
        return (1...9).contains { step in
            let corners = a.interpolated(to: b, at: Double(step) / 10).corners
            return crosses(corners) || area(corners) < least
        }
    }

    private static func hasExtent(_ rect: Rect) -> Bool { min(rect.width, rect.height) >= leastExtent }

    /// Returns the area, by the shoelace formula.
    private static func area(_ corners: [Point]) -> Double {
        let twice = corners.indices.reduce(0.0) { sum, index in
            let (a, b) = (corners[index], corners[(index + 1) % corners.count])
            return sum + a.x * b.y - a.y * b.x
        }
        return abs(twice) / 2
    }

    /// Returns whether two of the four sides cross: the outline then turns left at two corners and right at two.
    private static func crosses(_ corners: [Point]) -> Bool {
        let turns = corners.indices.map { index in
            let (a, b) = (
                corners[(index + 1) % 4] - corners[index], corners[(index + 2) % 4] - corners[(index + 1) % 4]
            )
            return a.x * b.y - a.y * b.x
        }
        return turns.count { $0 > 0 } == 2 && turns.count { $0 < 0 } == 2
    }

    private static func failure(_ place: String, _ reason: String) -> FramegrepError {
        FramegrepError(
            .badArgument,
            "\(place) cannot be applied: \(reason). 'framegrep redact --plan' writes such a file; docs/REDACT.md describes it."
        )
    }
}
