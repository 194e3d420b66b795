public import Errors

/// What a person is told where the server cannot go on.
public enum ServeFailure {
    public static func sentence(_ error: any Error) -> String { (error as? FramegrepError)?.message ?? "\(error)" }

    public static func unusable(certificate: String, key: String, _ reason: String) -> FramegrepError {
        FramegrepError(
            .badArgument,
            "\(certificate) and \(key) are no certificate and its key in PEM, or cannot be read: \(reason).")
    }
}
