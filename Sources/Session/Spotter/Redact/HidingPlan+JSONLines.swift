public import Errors
import Foundation
public import TextSpotting

/// A plan as a file that a person can look at and edit: one JSON object a line (docs/REDACT.md).
extension HidingPlan {
    /// The recording that a plan is of, so that it is not applied to another one by mistake.
    public struct Subject: Sendable, Hashable {
        /// As its person names it.
        public var source: String
        /// Of the picture as displayed, in pixels.
        public var width: Int
        public var height: Int
        /// Of the recording, as its file says it; nil for a still and where it is not known.
        public var duration: StreamTime?
        /// Of the file; nil for what is none.
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

        /// So many bytes of the beginning and of the end count.
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

    /// - Parameters:
    ///   - subject: what it is a plan of.
    ///   - showsText: what was read is told too.
    public func lines(of subject: Subject, showsText: Bool) -> [String] {
        var head = JSONObject(type: "plan")
        head.add("source", subject.source)
        head.add("width", subject.width)
        head.add("height", subject.height)
        if let duration = subject.duration { head.add("duration", duration.seconds, decimals: 3) }
        if let file = subject.file {
            head.add("size", file.size)
            head.add("sum", file.sum)
        }
        return [head.text] + things.map { Self.line($0, showsText: showsText) }
    }

    private static func line(_ thing: HiddenThing, showsText: Bool) -> String {
        var object = JSONObject(type: "hidden")
        object.add("id", thing.id)
        object.add("reason", thing.reason)
        if showsText, let text = thing.text { object.add("text", text) }
        object.add("start", thing.start.seconds, decimals: 6)
        object.add("end", thing.end.seconds, decimals: 6)
        let places = thing.places.map { place in
            var object = JSONObject()
            object.add("t", place.time.seconds, decimals: 6)
            object.add("quad", json: JSONLinesFormatter.quad(place.quad))
            return object.text
        }
        object.add("places", json: "[" + places.joined(separator: ",") + "]")
        return object.text
    }

    // MARK: Reading

    /// One line, as far as anybody has to write it.
    private struct Line: Decodable {
        struct Place: Decodable {
            let t: Double
            let quad: [[Double]]
        }
        let type: String?
        let version: Int?
        let width: Int?
        let height: Int?
        let duration: Double?
        let size: Int?
        let sum: String?
        let reason: String?
        let start: Double?
        let end: Double?
        let places: [Place]?
        /// In the place of `places`: left, top, width and height of what stands still.
        let box: [Double]?
    }

    /// A line that is longer, or a file with more lines, is refused.
    private static let mostPlaces = 1_000_000
    /// In pixels, and in seconds: no picture and no recording has as many.
    private static let longest = 1e6
    private static let latest = 1e9

    /// Reads a plan.
    ///
    /// - Parameters:
    ///   - text: of the file.
    ///   - name: of the file, for messages.
    ///   - subject: what it is to be applied to.
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
            guard let line = try? JSONDecoder().decode(Line.self, from: Data(trimmed.utf8)) else {
                throw Self.failure(place, "it is no JSON object with start, end and box or places")
            }
            if let version = line.version, version > JSONObject.version {
                throw Self.failure(place, "it was written by a newer framegrep")
            }
            isPlan = true
            if line.type == "plan" {
                if let reason = Self.difference(of: line, from: subject) { throw Self.failure(place, reason) }
                continue
            }
            let thing = try Self.thing(line, place)
            // Nothing would be hidden, and it would be called done.
            guard thing.places.contains(where: { !$0.quad.bounds.intersection(picture).isEmpty }) else {
                throw Self.failure(place, "it covers nothing of the picture, which has \(width)×\(height) pixels")
            }
            read.append(thing)
        }
        // A file that could not be written would let everything through.
        guard isPlan else {
            throw Self.failure(name, "there is no line of a plan in it, not even the first one that --plan writes")
        }
        add(read)
    }

    /// Why a plan is one of something else; nil where it is not, as far as its first line says.
    private static func difference(of line: Line, from subject: Subject) -> String? {
        if let w = line.width, let h = line.height, (w, h) != (subject.width, subject.height) {
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

    private static func thing(_ line: Line, _ place: String) throws(FramegrepError) -> HiddenThing {
        guard let start = line.start, let end = line.end, (0...latest).contains(start), (0...latest).contains(end),
            start < end
        else { throw failure(place, "start and end are not two times in seconds, one before the other") }
        let from = StreamTime(seconds: start)
        return HiddenThing(
            id: 0, reason: line.reason ?? "plan", start: from, end: StreamTime(seconds: end),
            places: try places(line, from: from, place))
    }

    private static func places(
        _ line: Line, from start: StreamTime, _ place: String
    ) throws(FramegrepError) -> [HiddenThing.Place] {
        if let box = line.box {
            guard line.places == nil else {
                throw failure(place, "it has both box and places, and only one of them could be hidden")
            }
            guard box.count == 4, box.allSatisfy({ abs($0) <= longest }), box[2] > 0, box[3] > 0 else {
                throw failure(place, "box is not left, top, width and height in pixels")
            }
            let rect = Rect(x: box[0], y: box[1], width: box[2], height: box[3])
            return [HiddenThing.Place(time: start, quad: Quad(rect))]
        }
        guard let given = line.places, !given.isEmpty else { throw failure(place, "it has neither box nor places") }
        guard given.count <= mostPlaces else { throw failure(place, "it has more than \(mostPlaces) places") }
        var places: [HiddenThing.Place] = []
        for entry in given {
            let corners = entry.quad.compactMap { $0.count == 2 ? Point($0[0], $0[1]) : nil }
            guard corners.count == 4, entry.quad.count == 4, abs(entry.t) <= latest,
                corners.allSatisfy({ abs($0.x) <= longest && abs($0.y) <= longest })
            else { throw failure(place, "a quad is not four corners [x, y] in pixels with a time t") }
            let quad = Quad(
                topLeft: corners[0], topRight: corners[1], bottomRight: corners[2], bottomLeft: corners[3])
            guard !crosses(corners) else {
                throw failure(
                    place, "the corners of a quad do not go around it, so that only parts of it would be hidden")
            }
            places.append(HiddenThing.Place(time: StreamTime(seconds: entry.t), quad: quad))
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

    /// Whether a quad on the way from one to the other covers much less than either, or crosses itself: as where it turns by 180°.
    private static func collapses(_ a: Quad, _ b: Quad) -> Bool {
        let least = 0.3 * min(area(a.corners), area(b.corners))
        return (1...9).contains { step in
            let corners = a.interpolated(to: b, at: Double(step) / 10).corners
            return crosses(corners) || area(corners) < least
        }
    }

    /// By the shoelace formula.
    private static func area(_ corners: [Point]) -> Double {
        let twice = corners.indices.reduce(0.0) { sum, index in
            let (a, b) = (corners[index], corners[(index + 1) % corners.count])
            return sum + a.x * b.y - a.y * b.x
        }
        return abs(twice) / 2
    }

    /// Whether two sides of four cross each other: it turns to the left at two corners, and to the right at two.
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
            "\(place) cannot be applied: \(reason). 'framegrep redact --plan' writes such a file; docs/REDACT.md tells of it."
        )
    }
}
