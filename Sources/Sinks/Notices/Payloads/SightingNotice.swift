public import Foundation
public import TextSpotting

/// The two notices of a sighting as JSON: the fields of its events (docs/EVENTS.md) and others that a receiver needs.
///
/// The `id` of events, a number within the job, is `sighting` here; `id` identifies the notice.
public struct SightingNotice: Sendable {
    /// The two notices of a sighting.
    public enum Kind: String, Sendable, CaseIterable {
        case appeared, disappeared
    }

    /// A picture that goes with a notice.
    public struct Picture: Sendable, Hashable {
        /// A JPEG file.
        public var bytes: [UInt8]

        public init(jpeg bytes: [UInt8]) { self.bytes = bytes }
    }

    public let kind: Kind
    public let id: String
    private let object: JSONObject

    /// - Parameters:
    ///   - event: the event's fields, `id` among them.
    ///   - sighting: the number that `id` has there.
    public init(_ kind: Kind, of sighting: Int, in job: JobName, event: JSONObject) {
        self.kind = kind
        id = Self.id(kind, of: sighting, in: job)
        var object = JSONObject()
        object.add("event_type", kind.rawValue)
        object.add("id", id)
        object.add("job", job.text)
        object.add("sighting", sighting)
        for (name, value) in event.fields where name != "id" { object.add(name, json: value) }
        self.object = object
    }

    /// The notice that a sighting is over, prepared when it appears, in case the program is killed before the end is known.
    ///
    /// It has the fields of `disappeared`, but `end` is null, and `interrupted` says why.
    public static func interruption(of sighting: Int, in job: JobName, appeared event: JSONObject) -> SightingNotice {
        var over = JSONObject()
        for (name, value) in event.fields where !["quad", "latency_ms"].contains(name) {
            over.add(name, json: name == "type" ? JSONObject.quoted(Kind.disappeared.rawValue) : value)
        }
        over.add("end", json: "null")
        over.add("interrupted", true)
        return SightingNotice(.disappeared, of: sighting, in: job, event: over)
    }

    /// - Parameters:
    ///   - picture: in the field `picture`, as Base64; nil for none.
    public func notice(topic: String = "", picture: Picture? = nil) -> Notice {
        var object = object
        if let picture {
            var field = JSONObject()
            field.add("type", "image/jpeg")
            field.add("data", Data(picture.bytes).base64EncodedString())
            object.add("picture", json: field.text)
        }
        return Notice(id: id, topic: topic, body: Array(object.text.utf8))
    }

    private static func id(_ kind: Kind, of sighting: Int, in job: JobName) -> String {
        "\(job.text)-\(sighting)-\(kind.rawValue)"
    }
}

/// A unique name for one run of a job. Sightings are counted from 1 in each run, so name and number together identify one.
///
/// 26 letters and digits: 48 bits of time and 80 bits of chance, in the form of a ULID, so that names sort by time.
public struct JobName: Sendable, Hashable {
    public let text: String

    /// A new one.
    public init(at time: Date = Date()) {
        let digits = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
        let milliseconds = UInt64(max(0, time.timeIntervalSince1970 * 1000))
        let clock = (0..<10).map { digits[Int(milliseconds >> UInt64(45 - 5 * $0) & 31)] }
        let chance = (0..<16).map { _ in digits[Int.random(in: 0..<32)] }
        text = String(clock + chance)
    }
}
