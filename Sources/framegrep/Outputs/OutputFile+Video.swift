import Errors
import Foundation
import GStreamerMedia
import TextSpotting

extension OutputFile {
    /// The writing of a video failed: what there is of it stays where it plays, unless it can be made again and would
    /// replace a whole one.
    ///
    /// - Parameter canBeRepeated: its source is still there.
    /// - Returns: the failure, with a sentence on what there is now.
    func failed(_ failure: FramegrepError, canBeRepeated: Bool) async -> FramegrepError {
        guard let written else { return failure }
        // The name of a file that was to replace another is one that the user has never heard of.
        let message = naming(failure.message)
        let fate: String
        if !(canBeRepeated && isReplacing), await Self.plays(written) {
            leave()
            fate = isReplacing ? " What was written is in \(written)." : " What was written of it plays."
        } else if discard() {
            fate = isReplacing ? " \(name) is as it was before." : " It was removed."
        } else {
            fate = ""
        }
        return FramegrepError(failure.code, message + fate)
    }

    /// Whether there are pictures in a file; how many is not known of one that has no index.
    private static func plays(_ path: String) async -> Bool {
        guard FileIdentity(ofFileAt: path) != nil else { return false }
        // A cancelled task would not wait for the answer.
        let probing = Task { try? await MediaProbe.examine(uri: path, timeout: .seconds(2)) }
        return await probing.value != nil
    }
}
