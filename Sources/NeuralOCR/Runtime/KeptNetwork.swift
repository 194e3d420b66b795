/// A compiled network in the form in which it can be kept; owns its bytes.
///
/// OpenVINO does not copy imported bytes: the weights of an imported network stay where they are in them, so they live as long as every
/// network made from them.
// The bytes are written once, before the object is shared.
final class KeptNetwork: @unchecked Sendable {
    let bytes: UnsafeRawBufferPointer

    /// - Parameter content: copied to where it does not move.
    init(_ content: [UInt8]) {
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: content.count, alignment: 64)
        room.copyBytes(from: content)
        bytes = UnsafeRawBufferPointer(room)
    }

    deinit { bytes.deallocate() }
}
