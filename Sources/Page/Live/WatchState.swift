import Foundation
import TextSpotting

/// The state of a watched source: values only.
struct WatchState: Sendable {
    /// Its activity, in the words of the `state` event (docs/EVENTS.md).
    var state = "opening"
    /// Why, for a user.
    var message = ""
    /// The `appeared` events that came last, the newest at the end.
    var appeared: [String] = []
    /// How many there were.
    var sightings = 0
    /// The figures of the last second.
    var framesIn = 0.0
    var framesRead = 0.0
    var skipped = 0
    /// Frames that came and that the job did not follow.
    var lost = 0
    /// How often its job was started.
    var starts = 0
    /// Frames that were handed out to browsers, or would have been, had they taken them.
    var framesSent = 0
    var framesDropped = 0

    /// More are not kept.
    static let mostAppeared = 200

    /// Applies an event.
    ///
    /// - Returns: its type; nil if it is not an event.
    mutating func hear(_ event: String) -> String? {
        guard let object = try? JSONDecoder().decode(Event.self, from: Data(event.utf8)) else { return nil }
        switch object.type {
        case "state": become(object.state ?? state, object.message ?? "")
        case "appeared":
            sightings += 1
            appeared.append(event)
            if appeared.count > Self.mostAppeared { appeared.removeFirst() }
        case "stats":
            framesIn = object.fps_in ?? 0
            framesRead = object.fps_read ?? 0
            skipped = object.skipped ?? skipped
            lost = object.dropped ?? lost
        default: break
        }
        return object.type
    }

    mutating func become(_ state: String, _ message: String) {
        (self.state, self.message) = (state, message)
        if state != "running" { (framesIn, framesRead) = (0, 0) }
    }

    private struct Event: Decodable {
        var type: String
        var state: String?
        var message: String?
        var fps_in: Double?
        var fps_read: Double?
        var skipped, dropped: Int?
    }
}
