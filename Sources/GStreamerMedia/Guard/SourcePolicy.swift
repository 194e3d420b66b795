import Errors
import Synchronization
import TextSpotting

/// Decides what the elements of one pipeline may open: sources that the user named, and those that they may lead to.
///
/// A list (HLS, DASH), a redirection and the like lead from one address to others. Sources from the network lead to HTTP only, and into a
/// private network only if they came from one; a file leads to files; a pipe leads nowhere, because its origin is unknown. The user allows
/// the rest by name. Thread-safe: elements ask on their streaming threads.
final class SourcePolicy: Sendable {
    /// By which elements find it; see ``SourceGuard``.
    let number: UInt
    /// The addresses that the user named.
    let origins: [String]
    private let allowed: Set<String>
    private let report: @Sendable (FramegrepError) -> Void
    private let state: Mutex<State>

    private struct State {
        /// The first address was inside of a private network; nil as long as nothing was connected to.
        var beganPrivately: Bool?
        var refusal: FramegrepError?
    }

    /// - Parameters:
    ///   - allowed: schemes that anything may lead to, and ``SourceGuard/privateAddresses``.
    ///   - report: told of the first refusal, on the thread of the element.
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

    /// Why an address may not be opened; nil if it may.
    func refusal(of uri: String) -> FramegrepError? {
        let scheme = Self.scheme(uri)
        if origins.contains(uri) || allowed.contains(scheme) { return nil }
        let rule: String
        switch kind {
        case .network:
            // Servers of RTSP send their pictures so, to where the element that asks for them listens.
            if Self.web.contains(scheme) || (scheme == "udp" && origins.contains(where: Self.isRTSP)) { return nil }
            rule = "what comes from the network may lead to http and https only"
        case .files:
            if scheme == "file" { return nil }
            rule = "a file may lead to other files only"
        case .unknown:
            rule = "what comes from there may lead nowhere"
        }
        return Self.refused(
            "\(name) leads to “\(redacted(uri))”, and \(rule). If you trust it, add --allow \(scheme).")
    }

    /// Why a connection may not be made; nil if it may.
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
            "\(name) leads to “\(redacted(uri))” at \(text), an address inside of a private network or this machine, and what "
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

    /// Where the user's addresses lie.
    private enum Kind { case network, files, unknown }

    private var kind: Kind {
        let schemes = origins.map(Self.scheme)
        if schemes.contains(where: Self.web.union(SourceGuard.rtsp).contains) { return .network }
        return !schemes.isEmpty && schemes.allSatisfy { $0 == "file" } ? .files : .unknown
    }

    private static let web: Set<String> = ["http", "https"]

    private static func isRTSP(_ uri: String) -> Bool { SourceGuard.rtsp.contains(scheme(uri)) }

    private var name: String { origins.first.map { "“\(redacted($0))”" } ?? "The source" }

    private static func scheme(_ uri: String) -> String { WrittenAddress(uri)?.scheme.lowercased() ?? "" }
}
