import Errors
import Foundation
import GStreamerMedia

/// Credentials for servers with recordings: from the environment alone, so that neither a plan nor a command line has them.
enum StorageCredentials {
    /// Returns the address to open for an input, never to be shown: for an object of a store (`s3://BUCKET/KEY`) a signed address, for one
    /// on a web server an address with user name and password. Unchanged if the environment has no credentials.
    ///
    /// - Throws: ``FramegrepError`` (`badArgument`) for an object if the environment has no keys.
    static func address(
        _ input: String, environment: [String: String] = ProcessInfo.processInfo.environment, now: Date = Date()
    ) throws -> String {
        if input.lowercased().hasPrefix(store) {
            return try object(String(input.dropFirst(store.count)), environment, now)
        }
        guard let user = environment["FRAMEGREP_HTTP_USER"], !user.isEmpty,
            let scheme = ["http://", "https://"].first(where: { input.lowercased().hasPrefix($0) })
        else { return input }
        let password = environment["FRAMEGREP_HTTP_PASSWORD"] ?? ""
        func escaped(_ text: String) -> String {
            text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        }
        return input.prefix(scheme.count) + "\(escaped(user)):\(escaped(password))@" + input.dropFirst(scheme.count)
    }

    private static let store = "s3://"
    /// A unit is read within that time; an address that opens an object for longer is a risk for nothing.
    private static let hours = 12

    private static func object(_ name: String, _ environment: [String: String], _ now: Date) throws -> String {
        let parts = name.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
            throw FramegrepError(
                .badArgument, "\(store)\(name) names no object of a store; write \(store)BUCKET/KEY.")
        }
        func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        guard let accessKey = variable("AWS_ACCESS_KEY_ID"), let secretKey = variable("AWS_SECRET_ACCESS_KEY") else {
            throw FramegrepError(
                .badArgument,
                "\(store)\(name) cannot be asked for: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set in the environment."
            )
        }
        let region = variable("AWS_REGION") ?? variable("AWS_DEFAULT_REGION") ?? "us-east-1"
        let address = PresignedAddress(
            bucket: parts[0], key: parts[1], region: region,
            endpoint: variable("AWS_ENDPOINT_URL_S3") ?? variable("AWS_ENDPOINT_URL"))
        let account = PresignedAddress.Account(
            accessKey: accessKey, secretKey: secretKey, sessionToken: variable("AWS_SESSION_TOKEN"), region: region)
        return address.signed(by: account, at: Int(now.timeIntervalSince1970), for: hours * 3600)
    }

    /// - Throws: ``FramegrepError`` (`badArgument`) for an address that has a secret in it: a plan would keep it.
    static func check(_ uri: SourceURI) throws {
        guard uri.path == nil, uri.redacted != uri.given else { return }
        throw FramegrepError(
            .badArgument,
            "\(uri.redacted) is given with a password or a signature, which a plan must not keep; name it without, and set FRAMEGREP_HTTP_USER and FRAMEGREP_HTTP_PASSWORD where it is read, or name it as s3://BUCKET/KEY."
        )
    }
}
