import Foundation
import GStreamerMedia
import OverlayDrawing
import Painting
import Synchronization
import TextSpotting
import Threads

extension Canvas {
    func writePNG(to path: String) throws { try PNGWriter.write(self, to: path) }
}

/// Returns every frame of a file as a picture.
func pictures(of path: String) async throws -> [Picture] {
    let pipeline = try Pipeline(parsing: "filesrc name=file ! decodebin ! appsink name=frames")
    try pipeline.setProperty("location", to: path, onElementNamed: "file")
    let sink = try pipeline.appSink(named: "frames")
    _ = try sink.configure(maxBuffers: 2, drop: false, sync: false)
    _ = try await pipeline.prepare()
    try await pipeline.play()
    let result = try await DedicatedThread.run(named: "pull") {
        let converter = PictureConverter()
        var pictures: [Picture] = []
        while case .sample(let sample) = sink.pull(timeout: .seconds(20)) {
            pictures.append(try converter.picture(from: sample, format: .rgb))
        }
        return pictures
    }
    await pipeline.stop()
    return result
}

/// Returns the bounds of the pixels that differ by more than compression causes; nil if there are none.
func difference(_ a: Picture, _ b: Picture, above bar: Int = 60) -> (bounds: Rect, count: Int)? {
    var (left, right, top, bottom, count) = (Int.max, -1, Int.max, -1, 0)
    a.bytes.withUnsafeBufferPointer { a8 in
        b.bytes.withUnsafeBufferPointer { b8 in
            for y in 0..<min(a.height, b.height) {
                for x in 0..<min(a.width, b.width) {
                    let (i, j) = ((y * a.width + x) * 3, (y * b.width + x) * 3)
                    let apart =
                        abs(Int(a8[i]) - Int(b8[j])) + abs(Int(a8[i + 1]) - Int(b8[j + 1]))
                        + abs(Int(a8[i + 2]) - Int(b8[j + 2]))
                    guard apart > bar else { continue }
                    (left, right, top, bottom) = (min(left, x), max(right, x), min(top, y), max(bottom, y))
                    count += 1
                }
            }
        }
    }
    guard count > 0 else { return nil }
    return (
        Rect(x: Double(left), y: Double(top), width: Double(right - left + 1), height: Double(bottom - top + 1)), count
    )
}
