import CVision
import Errors
import TextSpotting

/// Turns a refusal of OpenCV's into an error that names the step.
///
/// OpenCV refuses only what breaks its own limits (a picture of zero size, no memory left); the pictures and sizes that
/// reach this module are checked before.
func checked(_ step: String, _ status: Int32) throws {
    guard status == 0 else {
        throw FramegrepError(
            .engineUnavailable, "OpenCV could not \(step); the picture may be too large for the free memory.")
    }
}

extension Picture {
    /// Lends the picture to C; the view is valid only inside `body`.
    func withCPicture<Result>(_ body: (fg_picture_t) throws -> Result) rethrows -> Result {
        try bytes.withUnsafeBufferPointer { bytes in
            try body(
                fg_picture_t(
                    bytes: bytes.baseAddress, width: Int32(width), height: Int32(height),
                    channels: Int32(format.bytesPerPixel)))
        }
    }
}
