import Errors
import Foundation
import GStreamerMedia
import OverlayDrawing
import Painting
import TestSupport
import TextSpotting
import Threads

/// A word of a clip: what, where and in which frames.
struct KnownWord: Sendable {
    var text: String
    var x: Double
    var y: Double
    var size = 44.0
    var frames: Range<Int>
    /// Pixels moved to the right each frame.
    var speed = 0.0
}

/// A clip whose words, places and times are known: dark words on a light picture by default, with hard cuts.
struct KnownClip: Sendable {
    var width = 640
    var height = 360
    var frameCount = 75
    var rate = 25
    var words: [KnownWord]
    var paper = OverlayColor(hex: 0xE8E4D8)
    var ink = OverlayColor.black
    /// What is behind the words in place of the paper, of the clip's size.
    var ground: Picture?
    /// From raw video to a file's bytes.
    var encoding = "x264enc bframes=0 speed-preset=veryfast quantizer=18 pass=qual key-int-max=25 ! mp4mux"

    /// Three words that come and go; two more that stay.
    static let cuts = KnownClip(words: [
        KnownWord(text: "GATE", x: 40, y: 30, frames: 0..<75),
        KnownWord(text: "BUBBLES", x: 230, y: 130, frames: 20..<50),
        KnownWord(text: "EXIT 12", x: 60, y: 260, frames: 35..<75),
        KnownWord(text: "Kitchen", x: 400, y: 30, frames: 0..<30),
    ])

    /// Two words that stay for six seconds: long enough to be read while it plays.
    static let standing = KnownClip(
        frameCount: 150,
        words: [
            KnownWord(text: "GATE", x: 60, y: 70, size: 60, frames: 0..<150),
            KnownWord(text: "BUBBLES", x: 250, y: 200, size: 60, frames: 0..<150),
        ])

    /// Returns the place of `text`, a part of one of the words, in a frame; nil if it is not visible.
    func place(of text: String, inFrame index: Int) throws -> Rect? {
        guard let word = words.first(where: { $0.text.contains(text) && $0.frames.contains(index) }) else { return nil }
        let canvas = try Canvas(width: 1, height: 1)
        return canvas.measure(drawing(of: word), at: placement(of: word, index)).ink(of: text)?.bounds
    }

    func frames(of text: String) -> Range<Int>? { words.first { $0.text.contains(text) }?.frames }

    /// Draws frame `index`.
    func picture(_ index: Int) throws -> Canvas {
        let canvas = try ground.map { try Canvas($0) } ?? Canvas(width: width, height: height, color: paper)
        for word in words where word.frames.contains(index) {
            _ = canvas.draw(drawing(of: word), at: placement(of: word, index))
        }
        return canvas
    }

    /// Encodes it into a file.
    func render(to path: String) async throws {
        let pipeline = try Pipeline(
            parsing: "appsrc name=in ! videoconvert ! \(encoding) ! filesink name=file")
        try pipeline.setProperty("location", to: path, onElementNamed: "file")
        guard let input = pipeline.appSource(named: "in") else { return }
        input.configure(maxBuffers: 4, block: true, isLive: false)
        _ = try await pipeline.prepare()
        try await pipeline.play()
        try await DedicatedThread.run(named: "render") {
            defer { input.endOfStream() }
            var last: (words: [String], bgra: [UInt8])?
            for index in 0..<frameCount {
                let shown = words.filter { $0.frames.contains(index) }
                let isStill = shown.allSatisfy { $0.speed == 0 }
                let bytes =
                    if isStill, let last, last.words == shown.map(\.text) { last.bgra } else { try picture(index).bgra }
                last = (shown.map(\.text), bytes)
                let step = 1_000_000_000 / Int64(rate)
                _ = input.push(
                    bgra: bytes, width: width, height: height, at: StreamTime(nanoseconds: Int64(index) * step),
                    duration: StreamTime(nanoseconds: step))
            }
        }
        try await pipeline.waitForItsEnd()
    }

    private func drawing(of word: KnownWord) -> CanvasText {
        CanvasText(word.text, font: .sansBold, size: word.size, color: ink)
    }

    private func placement(of word: KnownWord, _ index: Int) -> Affine {
        .move(to: Point(word.x + word.speed * Double(index), word.y))
    }
}

/// Clips rendered once for all tests.
actor ClipCache {
    static let shared = ClipCache()
    private var folder: String?
    private var clips: [String: Task<String, any Error>] = [:]

    /// There is one per process, removed at exit, because objects that live as long as the process are never freed.
    private static let folder = NSTemporaryDirectory() + "framegrep-clips-\(ProcessInfo.processInfo.processIdentifier)"

    private static func makeFolder() throws -> String {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        atexit { try? FileManager.default.removeItem(atPath: ClipCache.folder) }
        return folder
    }

    /// The path of a clip, rendered the first time that its name is asked for.
    func path(_ name: String, _ clip: KnownClip = .cuts) async throws -> String {
        if let known = clips[name] { return try await known.value }
        let folder = try self.folder ?? Self.makeFolder()
        self.folder = folder
        let path = folder + "/" + name
        let task = Task {
            try await clip.render(to: path)
            return path
        }
        clips[name] = task
        return try await task.value
    }
}

/// The clip that most tests search.
func cutsClip() async throws -> String { try await ClipCache.shared.path("cuts.mp4") }

/// The clip that is played at its own speed.
func standingClip() async throws -> String { try await ClipCache.shared.path("standing.mp4", .standing) }
