import Errors
import Foundation
import GStreamerMedia
import Synchronization
import TextSpotting

/// What is said on standard error to a program that started this one (`FRAMEGREP_MESSAGES=jsonl`): errors with their codes, and how far
/// a search is, as JSON lines. Other sentences stay as they are.
enum MessageLines {
    static let areWanted = getenv("FRAMEGREP_MESSAGES").map { String(cString: $0) } == "jsonl"

    /// An error as it is said: to a person a sentence.
    static func text(_ error: FramegrepError) -> String {
        guard areWanted else { return "framegrep: \(error.message)" }
        var object = JSONObject(type: "error")
        object.add("code", error.code.rawValue)
        object.add("message", redacted(error.message))
        return object.text
    }
}

/// How far a search or an indexing is, as JSON lines on standard error, for a program that started this one. Thread-safe.
///
/// When that program has closed its end, this one ends as after SIGTERM: what was killed cannot end what it has started.
final class ProgressLines: Sendable {
    /// No more often.
    private static let pause = Duration.milliseconds(250)

    private let name: String
    private let last = Mutex<ContinuousClock.Instant?>(nil)

    /// - Parameter name: of what is read, without passwords.
    /// - Returns: nil unless the caller asked for them.
    init?(name: String) {
        guard MessageLines.areWanted else { return nil }
        self.name = name
    }

    /// - Parameters:
    ///   - position: up to where it is read.
    ///   - total: how long it is; nil if unknown.
    func update(_ position: StreamTime, of total: StreamTime?) {
        let isDue = last.withLock { last in
            let now = ContinuousClock.now
            if let last, now - last < Self.pause { return false }
            last = now
            return true
        }
        guard isDue else { return }
        var object = JSONObject(type: "progress")
        object.add("source", name)
        object.add("t", position.seconds, decimals: 3)
        if let total { object.add("duration", total.seconds, decimals: 3) }
        var line = object.text + "\n"
        let failure = line.withUTF8 { WholeWrite.write($0, to: StandardError.descriptor) }
        if failure == EPIPE { raise(SIGTERM) }
    }
}
