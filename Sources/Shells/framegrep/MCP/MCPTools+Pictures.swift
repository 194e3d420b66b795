import Errors
import Foundation
import Page
import Spotter
import Synchronization
import TextIndex
import TextMatching
import TextSpotting
import Threads

/// The tools `frame` and `watch`.
extension MCPTools {
    /// The largest size of a picture, in bytes; base64 adds a third.
    private static let largestPicture = 3 << 20

    func frame(_ arguments: MCPArguments) async throws -> JSONValue {
        let name = try arguments.neededText("recording")
        let time = StreamTime(seconds: try arguments.seconds("time") ?? 0)
        let width = try arguments.whole("width", in: 16...1920) ?? 1280
        let pattern = try arguments.text("pattern")
        let isBoxed = try arguments.flag("boxes")
        let snapshot = try await snapshot()
        let place = try await place(name, among: snapshot.sources)
        guard case .file(let path) = place else {
            throw FramegrepError(
                .badArgument, "Pictures are taken from files; of what was shown live only the text was kept.")
        }
        let isStill = try checkFrame(at: time, of: path, snapshot)
        let lines =
            pattern == nil && !isBoxed
            ? [] : try await Blocking.run { [self] _ in try boxed(place, pattern, at: time, snapshot) }
        let quads = lines.map(\.quad) + (try arguments.quads("places", most: 100) ?? [])
        let (made, shownWidth) = try await smallEnough(of: path, at: isStill ? nil : time, width: width, boxes: quads)
        var fields: [String: JSONValue] = [
            "recording": .seen(path), "time": .rounded(time.seconds, decimals: 3), "width": .integer(made.width),
            "height": .integer(made.height), "picture_width": .integer(shownWidth),
        ]
        if pattern != nil || isBoxed {
            fields["boxes"] = .array(
                lines.map { ["text": .seen($0.text), "quad": Self.json($0.quad), "origin": "picture"] })
        }
        return Self.result(
            fields, wasRead: !lines.isEmpty,
            after: [
                [
                    "type": "image", "mimeType": "image/png", "data": .string(Data(made.bytes).base64EncodedString()),
                ]
            ])
    }

    /// - Returns: whether it is a still picture.
    ///
    /// - Throws: ``FramegrepError`` (`badArgument`) if there is no picture at that time.
    private func checkFrame(at time: StreamTime, of path: String, _ snapshot: IndexView.Snapshot) throws -> Bool {
        guard let source = snapshot.sources.first(where: { ExactName($0.name) == ExactName(path) }) else {
            return false
        }
        guard !source.isLive else {
            throw FramegrepError(.badArgument, "This was shown live: only its text was kept, no picture.")
        }
        if let end = source.searchedLength, time >= end, !source.isStill {
            throw FramegrepError(
                .badArgument,
                "The recording is \(JSONObject.number(end.seconds, decimals: 3)) s long; time is from its beginning.")
        }
        return source.isStill
    }

    /// Returns a picture of the requested width, or a narrower one if it would take too many bytes; and its width.
    private func smallEnough(
        of path: String, at time: StreamTime?, width: Int, boxes: [Quad]
    ) async throws -> (made: DecodedPicture, width: Int) {
        var width = width
        while true {
            let made = try await pictures.picture(of: path, at: time, width: width, boxes: boxes)
            pictures.rest()
            width = min(width, made.width)
            guard made.bytes.count > Self.largestPicture, width > 64 else { return (made, width) }
            width = width * 2 / 3
        }
    }

    /// Returns the places that get a box: those of the pattern, or all lines.
    private func boxed(
        _ place: MCPAccess.Place, _ pattern: String?, at time: StreamTime, _ snapshot: IndexView.Snapshot
    ) throws -> [(text: String, quad: Quad)] {
        guard let source = indexed(place, in: snapshot) else {
            throw FramegrepError(
                .badArgument, "The places of words are known only for recordings in the index: index it first.")
        }
        let lines = try snapshot.index?.moment(of: source.id, at: time)?.lines ?? []
        guard let pattern else { return lines.prefix(200).map { ($0.text, $0.quad) } }
        let matcher = Matcher(patterns: [try Pattern(typed: pattern, as: .plain)])
        return matcher.matches(in: lines).prefix(200).map { ($0.text, $0.quad) }
    }

    private static func json(_ quad: Quad) -> JSONValue {
        .array(quad.corners.map { [.rounded($0.x, decimals: 1), .rounded($0.y, decimals: 1)] })
    }

    func watch(_ arguments: MCPArguments, _ progress: MCPProgress) async throws -> JSONValue {
        let patterns = try arguments.neededTexts("patterns", most: 50)
        let seconds = try arguments.number("seconds", in: 1...600) ?? 30
        let count = try arguments.whole("count", in: 1...20) ?? 1
        let place = try await place(try arguments.neededText("source"), among: try await snapshot().sources)
        _ = try SearchMode().matcher(for: patterns)
        let opened = try Self.opened([place])
        let job = JobPlan(.watch(JobPlan.Search(patterns), count: count, seconds: seconds), of: opened)
        let seen = Mutex<(items: [JSONValue], reason: String?)>(([], nil))
        let begun = ContinuousClock.now
        let outcome = try await run(job) { line in
            guard case .result(let line) = line else { return }
            switch line["type"]?.string {
            case "appeared":
                guard let fields = line.object else { return }
                seen.withLock { $0.items.append(Self.item(printed: fields)) }
            case "stats": progress.tell((ContinuousClock.now - begun).inSeconds, of: seconds, "watching \(place.name)")
            case "end": seen.withLock { $0.reason = line["reason"]?.string }
            default: break
            }
        }
        let (items, reason) = seen.withLock { $0 }
        guard outcome.status < 2 || !items.isEmpty else {
            throw FramegrepError(.sourceUnavailable, outcome.messages.joined(separator: " "))
        }
        return Self.result(
            [
                "seen": .array(items), "end": .string(reason ?? "error"),
                "seconds": .rounded((ContinuousClock.now - begun).inSeconds, decimals: 1),
            ], wasRead: !items.isEmpty)
    }
}
