import CVideo4Linux
import Glibc
import TextSpotting

/// An open Video4Linux device: the owner of its file descriptor.
///
/// Asking and setting do not disturb a program that streams from the device, this one included. Thread-safe: the kernel
/// locks the device, and the descriptor never changes.
public final class CameraDevice: Sendable {
    /// `/dev/video0`.
    public let path: String
    let descriptor: Int32

    /// Opens a device for asking and setting.
    ///
    /// - Throws: ``CameraProblem`` that says why it cannot be opened.
    public init(opening path: String) throws(CameraProblem) {
        let opened = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard opened >= 0 else { throw CameraProblem(error: errno, path: path) }
        descriptor = opened
        self.path = path
    }

    deinit { close(descriptor) }

    /// Asks the driver something. The structure is read and written by the kernel during the call only.
    func ask<Value>(_ request: UInt, _ value: inout Value) -> Bool {
        withUnsafeMutablePointer(to: &value) { fv4l_control(descriptor, request, UnsafeMutableRawPointer($0)) == 0 }
    }

    /// The driver's description of the device; nil for a file that is not a Video4Linux device.
    public var identity: CameraIdentity? {
        var capability = v4l2_capability()
        guard ask(FV4L_QUERYCAP, &capability) else { return nil }
        let ofNode = capability.capabilities & UInt32(V4L2_CAP_DEVICE_CAPS) != 0
        let capabilities = ofNode ? capability.device_caps : capability.capabilities
        return CameraIdentity(
            name: cText(capability.card), driver: cText(capability.driver), bus: cText(capability.bus_info),
            captures: capabilities & UInt32(V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_VIDEO_CAPTURE_MPLANE) != 0)
    }

    /// Whether another program streams from the device now.
    ///
    /// Freeing buffers that this program never had is refused exactly if another program has some.
    var isStreamedFromElsewhere: Bool {
        var request = v4l2_requestbuffers()
        request.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
        request.memory = V4L2_MEMORY_MMAP.rawValue
        return fv4l_control(descriptor, FV4L_REQBUFS, &request) == EBUSY
    }
}

/// A driver's description of a device.
public struct CameraIdentity: Sendable, Hashable {
    /// As the maker called it.
    public var name: String
    public var driver: String
    /// Where it is plugged in; the same when it comes back there.
    public var bus: String
    /// Whether this node gives pictures: a camera has other nodes too.
    public var captures: Bool
}

/// The text in a C array of characters, which may be full and is not to be trusted.
func cText<Tuple>(_ characters: Tuple) -> String {
    withUnsafeBytes(of: characters) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
}
