public import Errors
import Glibc

/// The sentence for the user if the server cannot go on.
public enum ServeFailure {
    public static func sentence(_ error: any Error) -> String { (error as? FramegrepError)?.message ?? "\(error)" }

    /// - Parameter reason: the system's error number; nil if the address is invalid.
    public static func unbound(_ address: String, port: Int, _ reason: Int32?) -> FramegrepError {
        let why = reason.map { String(cString: strerror($0)) } ?? "it is no address"
        return FramegrepError(
            .badArgument,
            "\(address) cannot be listened at with port \(port): \(why). --address is one of this machine's own addresses, --port a port that nothing else listens at."
        )
    }

    public static func unusable(certificate: String, key: String, _ reason: String) -> FramegrepError {
        FramegrepError(
            .badArgument,
            "\(certificate) and \(key) are no certificate and its key in PEM, or cannot be read: \(reason).")
    }
}
