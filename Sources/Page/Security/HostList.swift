/// The names under which the server may be called (`Host`).
///
/// A web site whose name leads to this machine's own address (DNS rebinding) is same-origin with what answers there, so that
/// no check of `Origin` keeps it out; but its name stands in `Host`, which no script can set.
public struct HostList: Sendable {
    private let hosts: Set<String>
    private let origins: Set<String>
    private let scheme: String
    /// By TLS.
    let isEncrypted: Bool

    /// This machine's own, for itself.
    public static let ownNames = ["127.0.0.1", "localhost", "[::1]"]

    /// - Parameters:
    ///   - port: at which the server listens.
    ///   - names: addresses of version 6 in brackets.
    ///   - isEncrypted: by TLS.
    public init(port: Int, names: [String] = ownNames, isEncrypted: Bool = false) {
        let usual = isEncrypted ? 443 : 80
        let scheme = isEncrypted ? "https://" : "http://"
        self.scheme = scheme
        self.isEncrypted = isEncrypted
        // A browser leaves the usual port out.
        hosts = Set(
            names.map { $0.lowercased() }.flatMap { port == usual ? ["\($0):\(usual)", $0] : ["\($0):\(port)"] })
        origins = Set(hosts.map { scheme + $0 })
    }

    func allows(host: String?) -> Bool { host.map { hosts.contains($0.lowercased()) } ?? false }

    func allows(origin: String?) -> Bool { origin.map { origins.contains($0.lowercased()) } ?? false }

    /// The two name the same server under the same name.
    func isSame(origin: String, host: String) -> Bool { origin.lowercased() == scheme + host.lowercased() }
}
