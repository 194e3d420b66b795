import COpenVINO
import Errors
import Synchronization
import TextSpotting

/// The OpenVINO library, opened at run time from a file; once open it stays open until the process ends.
// C function pointers, set before the object is shared and never changed; the library's functions are thread-safe.
final class OpenVINORuntime: @unchecked Sendable {
    /// OpenVINO's major version, whose C interface `COpenVINO` declares.
    static let supportedMajorVersion = "2026."

    let functions: fg_openvino_t
    /// As the library names itself: `2026.4.1-22982-…`.
    let version: String

    private static let opened = Mutex<[String: OpenVINORuntime]>([:])

    /// The library at `path`, opened when it is first asked for.
    static func shared(at path: String) throws -> OpenVINORuntime {
        try opened.withLock { opened in
            if let runtime = opened[path] { return runtime }
            let runtime = try OpenVINORuntime(opening: path)
            opened[path] = runtime
            return runtime
        }
    }

    /// Opens the library at `path` and checks its version.
    /// - Throws: a ``FramegrepError`` naming the file when it is missing, damaged, or of another major version.
    init(opening path: String) throws {
        var table = fg_openvino_t()
        let refusal = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1024) { message -> String? in
            let status = fg_openvino_open(path, &table, message.baseAddress, message.count)
            return status == 0 ? nil : message.baseAddress.map { String(cString: $0) } ?? "unknown reason"
        }
        if let refusal {
            throw FramegrepError.neuralUnavailable("The OpenVINO library \(path) cannot be opened: \(refusal).")
        }
        functions = table
        var version = ov_version_t()
        guard functions.get_openvino_version(&version) == ovOK, let number = version.build_number else {
            throw FramegrepError.neuralUnavailable("The OpenVINO library \(path) does not tell its version.")
        }
        self.version = String(cString: number)
        functions.version_free(&version)
        guard self.version.hasPrefix(Self.supportedMajorVersion) else {
            throw FramegrepError.neuralUnavailable(
                "The OpenVINO library \(path) is version \(self.version), and only \(Self.supportedMajorVersion)x fits."
            )
        }
        // The library would print its warnings to standard output otherwise.
        functions.util_set_log_callback(nil)
    }

    /// Throws the library's message about its last failure if `status` is one.
    func check(_ status: ov_status_t, _ what: @autoclosure () -> String) throws {
        guard status != ovOK else { return }
        throw FramegrepError.neuralUnavailable("\(what()): \(lastMessage()).")
    }

    /// The first line of the library's last error message.
    private func lastMessage() -> String {
        guard let text = functions.get_last_err_msg() else { return "OpenVINO gives no reason" }
        defer { functions.free_text(text) }
        let lines = String(cString: text).split(separator: "\n").map { $0.trimmingSpaces }
        let telling = lines.filter { !$0.isEmpty && !$0.hasPrefix("Exception from") && !$0.hasPrefix("Check '") }
        let reason = telling.first ?? lines.first ?? "OpenVINO gives no reason"
        return reason.hasSuffix(".") ? String(reason.dropLast()) : reason
    }
}

/// The status of success.
let ovOK = ov_status_t(OV_STATUS_OK)

extension FramegrepError {
    /// An ``Code/engineUnavailable`` error whose sentence ends with what mends most of them.
    static func neuralUnavailable(_ sentence: String) -> FramegrepError {
        FramegrepError(
            .engineUnavailable,
            sentence + " Run 'framegrep setup' to install it, or 'sudo framegrep setup --system' for everybody.")
    }
}

extension Substring {
    fileprivate var trimmingSpaces: String {
        String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
    }
}
