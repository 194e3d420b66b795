/// The names under which the server may be called (`Host`).
///
/// A web site whose name leads to this machine's own address (DNS rebinding) is same-origin with what answers there, so that
/// no check of `Origin` keeps it out; but its name stands in `Host`, which no script can set.
public struct HostList: Sendable {
    private let hosts: Set<String>
    private let origins: Set<String>

    /// - Parameter port: at which the server listens.
    public init(port: Int) {
        let names = ["127.0.0.1", "localhost", "[::1]"]
        // A browser leaves the usual port out.
        hosts = Set(names.flatMap { port == 80 ? ["\($0):80", $0] : ["\($0):\(port)"] })
        origins = Set(hosts.map { "http://" + $0 })
    }

    func allows(host: String?) -> Bool { host.map { hosts.contains($0.lowercased()) } ?? false }

    func allows(origin: String?) -> Bool { origin.map { origins.contains($0.lowercased()) } ?? false }

    /// The two name the same server under the same name.
    func isSame(origin: String, host: String) -> Bool { origin.lowercased() == "http://" + host.lowercased() }
}
