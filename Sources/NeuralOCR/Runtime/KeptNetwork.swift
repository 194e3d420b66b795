/// A compiled network in the form in which it can be kept; owns its bytes.
///
/// OpenVINO takes no copy of what it imports: the weights of an imported network stay where they are in these bytes, so they live
/// as long as every network made from them.
// The bytes are written once, before anybody else has the object.
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
