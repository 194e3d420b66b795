import Errors
import Foundation
import GStreamerMedia
import TestSupport
import TextSpotting

/// Small recordings made by GStreamer itself: 160×90 at 25 frames a second, black, with or without a bright word.
enum ShortClips {
    static let format = "video/x-raw,format=I420,width=160,height=90,framerate=25/1"

    /// A part of a clip: this many frames that show a word in the left half, the right half, both or none.
    struct Part {
        var frames: Int
        var left = false
        var right = false
    }

    /// The `textoverlay` for a word whose place a ``BlotReader`` finds.
    static func words(left: Bool, right: Bool) -> String {
        let common =
            "font-desc=\"Sans Bold 15\" shaded-background=false draw-shadow=false draw-outline=false valignment=center"
        return (left ? "! textoverlay text=WORD halignment=left \(common) " : "")
            + (right ? "! textoverlay text=WORD halignment=right \(common) " : "")
    }

    /// Renders the parts one after the other into a Matroska file of JPEG pictures, every one of them a key frame.
    static func make(_ parts: [Part]) async throws -> String {
        let path = NSTemporaryDirectory() + "framegrep-\(UUID().uuidString).mkv"
        let branches = parts.map {
            "videotestsrc pattern=black num-buffers=\($0.frames) ! \(format) \(words(left: $0.left, right: $0.right))! c."
        }
        try await play(
            "concat name=c ! jpegenc quality=95 ! matroskamux ! filesink location=\(path) "
                + branches.joined(separator: " "))
        return path
    }

    /// Creates a clip, passes the pipeline that reads it to `body`, and removes the clip.
    static func with<Result>(
        _ parts: [Part], _ body: (_ description: String) async throws -> Result
    ) async throws -> Result {
        let path = try await make(parts)
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try await body("filesrc location=\(path) ! matroskademux ! jpegdec ! appsink name=frames")
    }

    /// Creates a clip of 320×180 that shows the word on its left in some frames, and a running time on its right in all
    /// of them.
    static func withRunningTime<Result>(
        _ frames: Int, word: Range<Int>, _ body: (_ description: String) async throws -> Result
    ) async throws -> Result {
        let path = NSTemporaryDirectory() + "framegrep-\(UUID().uuidString).mkv"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let format = "video/x-raw,format=I420,width=320,height=180,framerate=25/1"
        let parts = [(word.lowerBound, false), (word.count, true), (frames - word.upperBound, false)].map {
            "videotestsrc pattern=black num-buffers=\($0) ! \(format) \(words(left: $1, right: false))! c."
        }
        try await play(
            "concat name=c ! timeoverlay halignment=right valignment=bottom font-desc=\"Sans 8\" "
                + "! jpegenc quality=95 ! matroskamux ! filesink location=\(path) " + parts.joined(separator: " "))
        return try await body("filesrc location=\(path) ! matroskademux ! jpegdec ! appsink name=frames")
    }

    /// Runs a pipeline to its end.
    static func play(_ description: String) async throws {
        try await Pipeline(parsing: description).playToItsEnd()
    }
}
