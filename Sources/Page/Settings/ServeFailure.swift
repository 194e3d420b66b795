import Errors

/// What a person is told where the server cannot go on.
public enum ServeFailure {
    public static func sentence(_ error: any Error) -> String { (error as? FramegrepError)?.message ?? "\(error)" }
}
