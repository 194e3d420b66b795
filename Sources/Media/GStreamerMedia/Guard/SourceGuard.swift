import CGStreamer
import Errors
import Glibc
import Synchronization
import TextSpotting

/// Controls what elements open, everywhere in the process.
///
/// GStreamer chooses the element that opens an address by rank among all that can: for the address that a user names,
/// for the segments of an HLS or DASH playlist, and for playlists inside playlists, which a demuxer loads by itself
/// outside any pipeline. When this is enforced, our elements come first: for files, HTTP, RTSP and the sockets that it
/// needs, the ordinary elements, which check the `SourcePolicy` before they open anything; for every other scheme, one
/// that refuses. A pipeline's policy reaches them as a context (`GstContext`), which bins pass to their elements and
/// such demuxers request. Redirections, and names that resolve to private addresses, are noticed when connections are
/// made (`ConnectionWatch`, `RTSPWatch`).
public enum SourceGuard {
    /// The schemes that `find` and `live` open by default.
    public static let ordinarySchemes: Set<String> = Set(["file", "http", "https"]).union(rtsp)
    /// Stands for addresses of private networks and of the machine itself among the allowed schemes.
    public static let privateAddresses = "private"

    static let rtsp: Set<String> = ["rtsp", "rtspu", "rtspt", "rtsph", "rtsps", "rtspsu", "rtspst", "rtspsh"]

    private struct State {
        /// Nil until the rules are enforced; before that, elements open anything.
        var allowed: Set<String>?
        var guarded: Set<String> = []
        var lastNumber: UInt = 0
        var policies: [UInt: Weak] = [:]
        /// The policies that lead to each HTTP address.
        var visitors: [String: Set<UInt>] = [:]
        /// Files that the program is about to replace, and whether a source led to them.
        var unread: [FileNumber: Bool] = [:]
        var hasLedToFiles = false
    }

    /// Identifies a file, whatever its name.
    private struct FileNumber: Hashable {
        let device: UInt
        let number: UInt
    }

    private struct Weak {
        weak var policy: SourcePolicy?
    }

    private static let state = Mutex(State())
    static let contextType = "framegrep.source-policy"

    /// Enforces the rules in every pipeline and probe that is made from now on.
    ///
    /// - Parameter allowed: additional schemes that may be opened and led to, and ``privateAddresses``.
    /// - Throws: `FramegrepError` (`pipelineFailed`) if GStreamer does not support it.
    public static func enforce(allowing allowed: Set<String>) throws {
        try MediaRuntime.initialize()
        let isFirst = state.withLock { state in
            defer { state.allowed = allowed }
            return state.allowed == nil
        }
        guard isFirst else { return }
        // These access the network in their own way, and only work in kinds of pipelines that are not used here.
        for name in ["hlsdemux2", "dashdemux2", "mssdemux2"] {
            guard let feature = gst_registry_lookup_feature(gst_registry_get(), name) else { continue }
            gst_plugin_feature_set_rank(feature, UInt32(GST_RANK_NONE.rawValue))
            gst_object_unref(UnsafeMutableRawPointer(feature))
        }
        try RefusedSource.register(exceptFor: allowed.subtracting(["file", "http", "https"]).subtracting(rtsp))
        try guardScheme("file")
        for scheme in allowed { try guardScheme(scheme) }
    }

    /// Checks that the scheme of an address is allowed.
    ///
    /// - Throws: `FramegrepError` (`sourceUnavailable`) that names the allowed schemes.
    public static func check(_ uri: SourceURI, allowing allowed: Set<String>) throws {
        // The user has connected standard input; its contents lead nowhere.
        guard !uri.isStandardInput, !ordinarySchemes.contains(uri.scheme), !allowed.contains(uri.scheme) else { return }
        throw FramegrepError(
            .sourceUnavailable,
            "'\(uri.redacted)' is not opened: by default only files, http, https and rtsp are. "
                + "If you trust it, add --allow \(uri.scheme), or allow = [\"\(uri.scheme)\"] in a service's file.")
    }

    // MARK: What is written

    /// From now on lets no source lead to this file, because the program is about to replace it.
    ///
    /// Use this for playlists whose targets are not known in advance.
    public static func keepUnread(device: UInt, number: UInt) {
        let file = FileNumber(device: device, number: number)
        state.withLock { if $0.unread[file] == nil { $0.unread[file] = false } }
    }

    /// Returns whether a source has led to this file since ``keepUnread(device:number:)``: it is then part of the input
    /// and must not be replaced.
    public static func hasLed(toDevice device: UInt, number: UInt) -> Bool {
        state.withLock { $0.unread[FileNumber(device: device, number: number)] ?? false }
    }

    /// Whether a source led to files that the user did not name.
    public static var hasLedToFiles: Bool { state.withLock { $0.hasLedToFiles } }

    /// Returns the reason a file to which a source leads may not be opened, which is that the program writes it; nil if
    /// it may.
    static func refusal(ofFileAt uri: String) -> FramegrepError? {
        guard let path = uri.hasPrefix("file:") ? try? SourceURI(uri).path : nil else { return nil }
        if let folders = FileBounds.folders, !FileBounds.contain(path, folders) {
            return SourcePolicy.refused(
                "'\(path)' is not opened: a source leads to it, and it is in none of the folders that may be read.")
        }
        let file = FileStatus(of: path).map { FileNumber(device: $0.device, number: $0.number) }
        let isUnread = state.withLock { state in
            state.hasLedToFiles = true
            guard let file, state.unread[file] != nil else { return false }
            state.unread[file] = true
            return true
        }
        guard isUnread else { return nil }
        return SourcePolicy.refused(
            "'\(path)' is not opened: a source leads to it, but it would also be overwritten. Choose another file to write."
        )
    }

    static var isEnforced: Bool { state.withLock { $0.allowed != nil } }

    /// Returns the policy of a pipeline that opens `origins`; nil if nothing is enforced. It applies as long as there
    /// is a reference to it.
    static func policy(
        for origins: [String], report: @escaping @Sendable (FramegrepError) -> Void
    ) throws -> SourcePolicy? {
        guard isEnforced else { return nil }
        for origin in origins { try guardScheme(WrittenAddress(origin)?.scheme.lowercased() ?? "") }
        let policy: SourcePolicy? = state.withLock { state in
            guard let allowed = state.allowed else { return nil }
            state.lastNumber += 1
            let policy = SourcePolicy(number: state.lastNumber, origins: origins, allowed: allowed, report: report)
            state.policies = state.policies.filter { $0.value.policy != nil }
            let living = Set(state.policies.keys)
            state.visitors = state.visitors.compactMapValues { visitors in
                let left = visitors.intersection(living)
                return left.isEmpty ? nil : left
            }
            state.policies[policy.number] = Weak(policy: policy)
            return policy
        }
        if let policy { for origin in origins { expect(origin, by: policy) } }
        return policy
    }

    static func policy(_ number: UInt) -> SourcePolicy? { state.withLock { $0.policies[number]?.policy } }

    /// Notes that elements of a policy are about to request an address.
    static func expect(_ uri: String, by policy: SourcePolicy) {
        guard let address = ConnectionWatch.normalized(uri) else { return }
        state.withLock { _ = $0.visitors[address, default: []].insert(policy.number) }
    }

    /// Returns the policy under which an address is opened. If two policies request it, the one that names it as an
    /// origin counts, because it allows more.
    static func visitor(of address: String) -> SourcePolicy? {
        state.withLock { state in
            let policies = (state.visitors[address] ?? []).sorted().compactMap { state.policies[$0]?.policy }
            return policies.first { policy in
                policy.origins.contains { ConnectionWatch.normalized($0) == address }
            } ?? policies.last
        }
    }

    /// Passes a policy to an element and everything that is added to it.
    static func hand(_ policy: SourcePolicy, to element: UnsafeMutablePointer<GstElement>) {
        guard let context = fgst_number_context(contextType, policy.number) else { return }
        gst_element_set_context(element, context)
        gst_context_unref(context)
    }

    /// Gives our own elements priority over those that open such an address.
    private static func guardScheme(_ scheme: String) throws {
        let elements: [String]
        switch scheme {
        case "file": elements = ["filesrc"]
        case "http", "https": elements = ["souphttpsrc"]
        case let scheme where rtsp.contains(scheme): elements = ["rtspsrc", "udpsrc"]
        default: return
        }
        for name in elements {
            guard state.withLock({ $0.guarded.insert(name).inserted }) else { continue }
            // An element that is not installed cannot be guarded; the refusing element then handles the address.
            guard let type = GuardedSource.register(name) else { continue }
            if name == "souphttpsrc" { try ConnectionWatch.begin() }
            if name == "rtspsrc" { try RTSPWatch.begin(type) }
        }
    }
}

/// The folders to which sources that lead elsewhere (a playlist, for example) are restricted, if the program that
/// started this one has named some (`FRAMEGREP_ONLY_BELOW`, one per line). Files that a user or that program names are
/// opened wherever they are.
public enum FileBounds {
    /// Nil if all files may be opened.
    static let folders: [String]? = getenv("FRAMEGREP_ONLY_BELOW").map { String(cString: $0) }.flatMap { text in
        text.isEmpty ? nil : text.split(separator: "\n").map(String.init)
    }

    /// Restricts programs that are started from now on to these folders. Call it before there is a second thread.
    ///
    /// - Parameter folders: absolute paths without links, none with a line break in it. If it is empty, the named
    ///   sources lead nowhere.
    public static func hand(on folders: [String]) {
        setenv("FRAMEGREP_ONLY_BELOW", folders.isEmpty ? "\n" : folders.joined(separator: "\n"), 1)
    }

    /// Returns whether a file is below one of the folders, by its real path; false for a file that does not exist.
    ///
    /// - Parameter folders: absolute paths without links.
    public static func contain(_ path: String, _ folders: [String]) -> Bool {
        guard let real = realPath(path) else { return false }
        return folders.contains { FileName.isPath(real, inOrBelow: $0) }
    }

    /// Returns the path without links and `..`; nil if it does not exist.
    public static func realPath(_ path: String) -> String? {
        FileName.real(path)
    }
}
