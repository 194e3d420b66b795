import Errors
import Foundation
import GStreamerMedia

/// Who a web server with recordings is told that we are: from the environment alone, so that neither a plan nor a command line has it.
enum StorageCredentials {
    /// The address with user name and password in it, for whoever opens it and never to be shown; as it is where the environment names nobody.
    static func address(_ input: String) -> String {
        let environment = ProcessInfo.processInfo.environment
        guard let user = environment["FRAMEGREP_HTTP_USER"], !user.isEmpty,
            let scheme = ["http://", "https://"].first(where: { input.lowercased().hasPrefix($0) })
        else { return input }
        let password = environment["FRAMEGREP_HTTP_PASSWORD"] ?? ""
        func escaped(_ text: String) -> String {
            text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        }
        return input.prefix(scheme.count) + "\(escaped(user)):\(escaped(password))@" + input.dropFirst(scheme.count)
    }

    /// - Throws: ``FramegrepError`` (`badArgument`) for an address that has a secret in it: a plan would keep it.
    static func check(_ uri: SourceURI) throws {
        guard uri.path == nil, uri.redacted != uri.given else { return }
        throw FramegrepError(
            .badArgument,
            "\(uri.redacted) is given with a password or a signature, which a plan must not keep; name it without, and set FRAMEGREP_HTTP_USER and FRAMEGREP_HTTP_PASSWORD where it is read."
        )
    }
}
