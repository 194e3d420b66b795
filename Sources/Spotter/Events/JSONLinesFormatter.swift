public import Foundation
public import TextSpotting

/// One JSON object a line: the contract that programs rely on.
public struct JSONLinesFormatter: Sendable {
    public init() {}

    public func format(_ sighting: Sighting, source: String) -> String {
        format(sighting, source: source, wallStart: nil)
    }

    /// - Parameter wallStart: the wall clock time of its beginning; nil if unknown.
    public func format(_ sighting: Sighting, source: String, wallStart: Date?) -> String {
        var object = JSONObject(type: "sighting")
        object.add("id", sighting.id)
        object.add("pattern", sighting.pattern)
        if sighting.isByMeaning { object.add("kind", "meaning") }
        addRest(of: sighting, source, to: &object)
        if let slack = sighting.slack { object.add("slack", slack.seconds, decimals: 6) }
        if let wallStart { object.add("wall_start", WallTime.text(wallStart)) }
        return object.text
    }

    public func format(text: Sighting, source: String) -> String {
        var object = JSONObject(type: "text")
        object.add("id", text.id)
        addRest(of: text, source, to: &object)
        return object.text
    }

    public func format(_ absence: Absence, source: String) -> String {
        var object = JSONObject(type: "absence")
        object.add("id", absence.id)
        object.add("patterns", json: "[" + absence.patterns.map(JSONObject.quoted).joined(separator: ",") + "]")
        object.add("source", source)
        object.add("start", absence.start.seconds, decimals: 6)
        object.add("end", absence.end.seconds, decimals: 6)
        return object.text
    }

    /// One line for each frame in which the sighting is visible, for `--boxes`.
    public static func boxes(of sighting: Sighting, source: String) -> [String] {
        sighting.boxes.map { box in
            var object = JSONObject(type: "box")
            object.add("id", sighting.id)
            object.add("source", source)
            object.add("t", box.time.start.seconds, decimals: 6)
            object.add("quad", json: quad(box.quad))
            return object.text
        }
    }

    public static func quad(_ quad: Quad) -> String {
        var text = ""
        for corner in quad.corners {
            text += text.isEmpty ? "[[" : ",["
            text += JSONObject.number(corner.x, decimals: 1)
            text += ","
            text += JSONObject.number(corner.y, decimals: 1)
            text += "]"
        }
        return text + "]"
    }

    private func addRest(of sighting: Sighting, _ source: String, to object: inout JSONObject) {
        object.add("text", sighting.text)
        object.add("line", sighting.line)
        object.add("source", source)
        object.add("start", sighting.start.seconds, decimals: 6)
        object.add("end", sighting.end.seconds, decimals: 6)
        object.add("score", sighting.score, decimals: 3)
        var peak = JSONObject()
        peak.add("t", sighting.peak.time.start.seconds, decimals: 6)
        peak.add("quad", json: Self.quad(sighting.peak.quad))
        object.add("peak", json: peak.text)
    }
}
