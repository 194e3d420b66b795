import Errors
import Foundation
public import GStreamerMedia
import OverlayDrawing
public import TextSpotting

/// A page for the person who approves a redaction: each hidden thing before and after, and each place that could not be
/// checked. A value.
///
/// The page is one file that loads nothing and runs nothing. Titles may contain a file name and text read in a picture:
/// all of it is escaped.
public struct RedactionReport: Sendable {
    /// One thing that was hidden, or one place that could not be checked.
    public struct Entry: Sendable {
        public var title: String
        /// The time of its pictures.
        public var time: StreamTime
        /// The place, in pixels of the picture as displayed; nil for all of it.
        public var place: Rect?
        public var isDoubtful: Bool
        /// The JPEG files; nil if there is no frame.
        var before: [UInt8]?
        var after: [UInt8]?

        public init(title: String, time: StreamTime, place: Rect?, isDoubtful: Bool) {
            (self.title, self.time, self.place, self.isDoubtful) = (title, time, place, isDoubtful)
        }
    }

    private let title: String
    /// How the copy was checked.
    private let statement: String
    private var entries: [Entry]
    private let leftOut: Int

    /// The largest number of pictures with which a page can still be opened.
    private static let most = 400
    /// The longer side of a picture in the page, in pixels.
    private static let longestSide = 480

    public init(title: String, statement: String, entries: [Entry]) {
        (self.title, self.statement) = (title, statement)
        // What could not be checked is what the reader has to decide.
        let (doubtful, hidden) = (entries.filter(\.isDoubtful), entries.filter { !$0.isDoubtful })
        let shown = doubtful.prefix(max(Self.most / 2, Self.most - hidden.count))
        self.entries = Array(hidden.prefix(Self.most - shown.count) + shown)
        leftOut = entries.count - self.entries.count
    }

    /// Takes the pictures of all entries.
    ///
    /// - Parameter delay: how much later the copy shows the same frame.
    /// - Throws: `FramegrepError` if one of the two cannot be opened.
    public mutating func takePictures(
        from source: OpenedSource, and copy: OpenedSource, later delay: StreamTime
    ) async throws {
        let before = try await Self.pictures(of: entries, in: source, later: .zero)
        let after = try await Self.pictures(of: entries, in: copy, later: delay)
        for index in entries.indices { (entries[index].before, entries[index].after) = (before[index], after[index]) }
    }

    private static func pictures(
        of entries: [Entry], in source: OpenedSource, later delay: StreamTime
    ) async throws -> [[UInt8]?] {
        if source.isStill {
            let (picture, aspect) = try await StillRedactor(source).picture()
            return try entries.map { try jpeg(of: picture, around: $0.place, aspect) }
        }
        return try await FramePull.play(source, threadNamed: "framegrep-report") { frames, origin in
            try pictures(of: entries, from: &frames, countedFrom: origin + delay)
        }
    }

    /// A frame on its way, kept until it is known how long it was shown.
    private final class Shown {
        let sample: Sample

        init(_ sample: consuming Sample) { self.sample = sample }
    }

    /// Takes the frame that is shown at the time of each entry; the recording is played to its end, because not every
    /// demuxer can move exactly.
    private static func pictures(
        of entries: [Entry], from frames: inout FramePull, countedFrom start: StreamTime
    ) throws -> [[UInt8]?] {
        var result = [[UInt8]?](repeating: nil, count: entries.count)
        var due = entries.indices.sorted { (entries[$0].time, $0) < (entries[$1].time, $1) }[...]
        func take(_ shown: Shown) throws {
            guard let index = due.popFirst() else { return }
            let picture = try PictureConverter().picture(from: shown.sample, format: .rgb)
            result[index] = try jpeg(of: picture, around: entries[index].place, shown.sample.info?.pixelAspect ?? 1)
        }
        var last: Shown?
        while !due.isEmpty, let sample = frames.next() {
            let next = Shown(sample)
            let begin = (next.sample.streamTime ?? start) - start
            while let index = due.first, begin > entries[index].time { try take(last ?? next) }
            last = next
        }
        while frames.isComplete, !due.isEmpty, let last { try take(last) }
        return result
    }

    private static func jpeg(of picture: Picture, around place: Rect?, _ aspect: Double) throws -> [UInt8]? {
        var part = picture
        if let place {
            let stored = Rect(x: place.x / aspect, y: place.y, width: place.width / aspect, height: place.height)
            part = picture.cropped(to: stored.grown(by: 1.5 * stored.height + 8).intersection(picture.bounds))
        }
        guard part.width > 0, part.height > 0 else { return nil }
        return try JPEGEncoder.encode(
            bgra: try Canvas(part).bgra, width: part.width, height: part.height, longestSide: longestSide)
    }

    // MARK: The page

    public var html: String {
        let title = ValuePlot.escaped(title)
        let parts = [
            ("Hidden", entries.filter { !$0.isDoubtful }), ("Could not be checked", entries.filter(\.isDoubtful)),
        ]
        let tables = parts.filter { !$0.1.isEmpty }.map { heading, entries in
            "<h2>\(heading)</h2>\n<table>\n<tr><th></th><th>before</th><th>after</th></tr>\n"
                + entries.map(Self.row).joined() + "</table>\n"
        }
        let rest = leftOut > 0 ? "<p>\(leftOut) more are not shown here.</p>\n" : ""
        return """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8"><title>\(title)</title>
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
            <style>body{font-family:sans-serif;margin:2em}td,th{padding:.5em;vertical-align:top;text-align:left}\
            img{max-width:480px;border:1px solid #888}.secret{border:2px solid #c00;padding:.5em}</style>
            </head><body>
            <h1>\(title)</h1>
            <p class="secret"><strong>The pictures on the left show what was hidden. This page is as secret as the recording: \
            do not give it away with the copy.</strong></p>
            <p>\(ValuePlot.escaped(statement))</p>
            \(tables.joined())\(rest)</body></html>
            """
    }

    private static func row(_ entry: Entry) -> String {
        let pictures = [entry.before, entry.after].map { bytes in
            let image = bytes.map { "<img alt=\"\" src=\"data:image/jpeg;base64,\(Data($0).base64EncodedString())\">" }
            return "<td>\(image ?? "no picture")</td>"
        }
        return "<tr><td>\(ValuePlot.escaped(entry.title))</td>\(pictures.joined())</tr>\n"
    }
}
