import Errors
import Foundation
import GStreamerMedia
import Spotter
import TextSpotting

/// The encoders that are wanted at the moment. Used by one thread.
struct ViewerEncoders {
    private var made: [FrameEncoder.Kind: (encoder: FrameEncoder, longestSide: Int)] = [:]
    /// Not there on this machine.
    private var missing: Set<FrameEncoder.Kind> = []
    private var last = StreamTime.zero

    private static let step = StreamTime(nanoseconds: 1_000_000)

    /// Lets go of all others.
    mutating func keep(_ kinds: Set<FrameEncoder.Kind>) { made = made.filter { kinds.contains($0.key) } }

    /// The frame in every wanted kind; as JPEG where the machine has no encoder of H.264.
    mutating func records(of frame: borrowing ViewedFrame, _ look: ViewerCommand.Look, asKey: Bool) -> [ViewerRecord] {
        guard let info = frame.sample.info, info.width > 0, info.height > 0 else { return [] }
        // A source that begins again begins at another time.
        last = max(frame.time, last + Self.step)
        let head = Self.head(frame, info)
        var kinds = look.kinds
        if kinds.contains(where: missing.contains) { kinds.insert(.jpeg) }
        var records: [ViewerRecord] = []
        for kind in kinds.sorted(by: { $0.rawValue < $1.rawValue }) where !missing.contains(kind) {
            let known = made[kind].flatMap {
                $0.encoder.info == info && $0.longestSide == look.longestSide ? $0.encoder : nil
            }
            guard let encoder = known ?? make(kind, info, look.longestSide) else { continue }
            guard let encoded = encoder.encode(frame.sample.retained(), at: last, asKey: asKey || known == nil) else {
                made[kind] = nil
                continue
            }
            records.append(
                ViewerRecord(kind == .h264 ? .h264 : .jpeg, isKey: encoded.isKey, head: head, body: encoded.bytes))
        }
        return records
    }

    private mutating func make(_ kind: FrameEncoder.Kind, _ info: VideoInfo, _ longestSide: Int) -> FrameEncoder? {
        made[kind] = nil
        do {
            let encoder = try FrameEncoder(kind, like: info, longestSide: longestSide)
            made[kind] = (encoder, longestSide)
            return encoder
        } catch {
            missing.insert(kind)
            if let error = error as? FramegrepError { StandardError.line("framegrep: \(error.message)") }
            return nil
        }
    }

    /// The header of a frame for a browser: its time, the size of the picture that its boxes refer to, and the boxes.
    private static func head(_ frame: borrowing ViewedFrame, _ info: VideoInfo) -> String {
        let aspect = info.pixelAspectRatio.value > 0 ? info.pixelAspectRatio.value : 1
        let age = (ContinuousClock.now - frame.arrival).components
        let seconds = Double(age.seconds) + Double(age.attoseconds) / 1e18
        var object = JSONObject()
        object.add("t", frame.time.seconds, decimals: 6)
        // When it came, as browsers count: in milliseconds since 1970.
        object.add("arrived", (Date().timeIntervalSince1970 - seconds) * 1000, decimals: 1)
        object.add("width", Int((Double(info.width) * aspect).rounded()))
        object.add("height", info.height)
        object.add("boxes", json: "[" + frame.boxes.map(box).joined(separator: ",") + "]")
        return object.text
    }

    private static func box(_ box: ViewedBox) -> String {
        var object = JSONObject()
        object.add("id", box.id)
        object.add("pattern", box.pattern)
        object.add("text", box.text)
        object.add("index", box.patternIndex)
        object.add("score", box.score, decimals: 3)
        object.add("age", box.age, decimals: 2)
        object.add("quad", json: JSONLinesFormatter.quad(box.quad))
        return object.text
    }
}
