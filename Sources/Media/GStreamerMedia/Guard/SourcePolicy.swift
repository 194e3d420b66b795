import Errors
import Synchronization

/// Decides what the elements of one pipeline may open: sources that the user named, and those that they may lead to.
///
/// A playlist (HLS, DASH) or a redirection leads from one address to others. Sources from the network lead to HTTP
/// only, and into a private network only if they came from one; a file leads to files; a pipe leads nowhere, because
/// its origin is unknown. The user allows the rest by name. Thread-safe: elements use it on their streaming threads.
final class SourcePolicy: Sendable {
    /// Elements find the policy by this number; see ``SourceGuard``.
    let number: UInt
    /// The addresses that the user named.
    let origins: [String]
    private let allowed: Set<String>
    private let report: @Sendable (FramegrepError) -> Void
    private let state: Mutex<State>

    private struct State {
        /// Whether the first address was inside a private network; nil before the first connection.
        var beganPrivately: Bool?
        var refusal: FramegrepError?
    }

    /// - Parameters:
    ///   - allowed: schemes that anything may lead to, and ``SourceGuard/privateAddresses``.
    ///   - report: called for the first refusal, on the thread of the element.
    init(
        number: UInt, origins: [String], allowed: Set<String>, report: @escaping @Sendable (FramegrepError) -> Void
    ) {
        self.number = number
        self.origins = origins
        self.allowed = allowed
        self.report = report
        state = Mutex(State())
    }

    /// The first refusal; nil if nothing was refused.
    var refusal: FramegrepError? { state.withLock { $0.refusal } }

    /// Returns the reason an address may not be opened; nil if it may.
    func refusal(of uri: String) -> FramegrepError? {
        let scheme = Self.scheme(uri)
        if origins.contains(uri) || allowed.contains(scheme) { return nil }
        let rule: String
        switch kind {
        case .network:
            // RTSP servers send their pictures in this way, to the port at which the requesting element listens.
            if Self.web.contains(scheme) || (scheme == "udp" && origins.contains(where: Self.isRTSP)) { return nil }
            rule = "what comes from the network may lead to http and https only"
        case .files:
            if scheme == "file" { return nil }
            rule = "a file may lead to other files only"
        case .unknown:
            rule = "such a source may lead nowhere"
        }
        return Self.refused(
            "\(name) leads to '\(redacted(uri))', and \(rule). If you trust it, add --allow \(scheme).")
    }

    /// Returns the reason a connection may not be made; nil if it may.
    ///
    /// - Parameters:
    ///   - address: 4 or 16 bytes.
    ///   - uri: the requested address.
    func refusal(ofConnectionTo address: [UInt8], named text: String, for uri: String) -> FramegrepError? {
        let isPrivate = AddressRange.isPrivate(address)
        let began = state.withLock { state in
            if state.beganPrivately == nil, kind == .network { state.beganPrivately = isPrivate }
            return state.beganPrivately ?? false
        }
        guard isPrivate, !began, !allowed.contains(SourceGuard.privateAddresses) else { return nil }
        return Self.refused(
            "\(name) leads to '\(redacted(uri))' at \(text), an address inside of a private network or this machine, and what "
                + "is outside may not lead inside. If you trust it, add --allow \(SourceGuard.privateAddresses).")
    }

    /// Keeps a refusal, and reports the first.
    func refuse(_ refusal: FramegrepError) {
        let isFirst = state.withLock { state in
            defer { state.refusal = state.refusal ?? refusal }
            return state.refusal == nil
        }
        if isFirst { report(refusal) }
    }

    static func refused(_ sentence: String) -> FramegrepError { FramegrepError(.sourceUnavailable, sentence) }

    /// The networks of the user's addresses.
    private enum Kind { case network, files, unknown }

    private var kind: Kind {
        let schemes = origins.map(Self.scheme)
        if schemes.contains(where: Self.web.union(SourceGuard.rtsp).contains) { return .network }
        return !schemes.isEmpty && schemes.allSatisfy { $0 == "file" } ? .files : .unknown
    }

    private static let web: Set<String> = ["http", "https"]

    private static func isRTSP(_ uri: String) -> Bool { SourceGuard.rtsp.contains(scheme(uri)) }

    private var name: String { origins.first.map { "'\(redacted($0))'" } ?? "The source" }

    private static func scheme(_ uri: String) -> String { WrittenAddress(uri)?.scheme.lowercased() ?? "" }
}

/// Decides whether a network address is public, or inside a machine or a private network.
///
/// Sources: IANA's registries of special-purpose addresses (RFC 6890, RFC 8190), as of 2024.
enum AddressRange {
    /// - Parameter address: 4 or 16 bytes in network byte order.
    /// - Returns: true for loopback, link-local, private, shared, multicast and reserved addresses, even if they are
    ///   wrapped in IPv6, and for invalid addresses.
    static func isPrivate(_ address: [UInt8]) -> Bool {
        switch address.count {
        case 4: privateIPv4.contains { $0.contains(address) }
        case 16:
            if let wrapped = wrappedIPv4(address) { isPrivate(wrapped) } else { !isGlobalIPv6(address) }
        default: true
        }
    }

    private struct Block {
        let prefix: [UInt8]
        let bits: Int

        init(_ prefix: UInt8..., bits: Int) {
            self.prefix = prefix
            self.bits = bits
        }

        func contains(_ address: [UInt8]) -> Bool {
            for index in 0..<((bits + 7) / 8) {
                let mask = UInt8(truncatingIfNeeded: 0xFF00 >> min(8, bits - index * 8))
                let wanted = index < prefix.count ? prefix[index] : 0
                if address[index] & mask != wanted & mask { return false }
            }
            return true
        }
    }

    private static let privateIPv4 = [
        Block(0, bits: 8), Block(10, bits: 8), Block(100, 64, bits: 10), Block(127, bits: 8), Block(169, 254, bits: 16),
        Block(172, 16, bits: 12), Block(192, 0, 0, bits: 24), Block(192, 168, bits: 16), Block(198, 18, bits: 15),
        Block(224, bits: 4), Block(240, bits: 4),
    ]

    /// All public addresses (2000::/3), except those for special purposes (2001::/23).
    private static func isGlobalIPv6(_ address: [UInt8]) -> Bool {
        Block(0x20, bits: 3).contains(address) && !Block(0x20, 0x01, 0x00, bits: 23).contains(address)
    }

    /// `::ffff:a.b.c.d`, the translation prefix `64:ff9b::/96`, and 6to4 (`2002:a.b.c.d::/48`).
    private static func wrappedIPv4(_ address: [UInt8]) -> [UInt8]? {
        if address[0..<10].allSatisfy({ $0 == 0 }), address[10] == 0xFF, address[11] == 0xFF {
            return Array(address[12...])
        }
        if address[0..<12].elementsEqual([0, 0x64, 0xFF, 0x9B] + [UInt8](repeating: 0, count: 8)) {
            return Array(address[12...])
        }
        if address[0] == 0x20, address[1] == 0x02 { return Array(address[2..<6]) }
        return nil
    }
}
