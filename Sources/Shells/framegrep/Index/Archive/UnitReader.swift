import Errors
import Foundation
import GStreamerMedia
import Spotter
import Synchronization
import TextIndex
import TextSpotting

/// Reads units of an archive, and writes their results.
struct UnitReader: Sendable {
    /// The folder of the results.
    let folder: String
    let allowed: Set<String>

    /// The longest continuation of a unit beyond its end, in seconds, to the reading that covers text shortly before
    /// its end.
    private static let longestTail = 30.0

    /// - Returns: damage in the recording.
    /// - Throws: ``FramegrepError`` if it cannot be read or written; `CancellationError` if it was interrupted. Nothing
    ///   of it is left then.
    func run(
        _ unit: ArchiveUnit, _ reader: any TextReader,
        _ progress: @escaping @Sendable (StreamTime, _ total: StreamTime?) -> Void
    ) async throws -> FramegrepError? {
        let given = try SourceURI(unit.input)
        try StorageCredentials.check(given)
        let uri = given.path == nil ? try SourceURI(StorageCredentials.address(unit.input)) : given
        try SourceGuard.check(uri, allowing: allowed)
        try checkFile(of: unit)
        CrashRestart.blame(redacted(unit.input), "Nothing of unit \(unit.unit) is written.")
        let opened = try await OpenedSource.open(uri, timeout: .seconds(20))
        defer { withExtendedLifetime(opened) {} }
        let writer = UnitWriter(from: unit.times.from, to: unit.times.to)
        let summary = try await read(opened, unit: unit, writer: writer, reader: reader, progress: progress)
        if !writer.isOver { try Task.checkCancellation() }
        // A file that was modified meanwhile is not what was planned.
        try checkFile(of: unit)
        // A recording may end before its stated end; then its last units are empty.
        let end = min(unit.times.to ?? summary.end, summary.end)
        let outcome = UnitResult.Outcome(
            end: end.seconds, duration: opened.info.duration?.seconds, isStill: opened.isStill,
            wallStart: opened.wallStart?.timeIntervalSince1970, problem: summary.damage?.message)
        var parts = writer.finish().filter { $0.frames.count > 0 || unit.piece == 0 }
        if unit.to == nil, let last = parts.indices.last { parts[last].to = max(parts[last].to, end) }
        try UnitResult.write(parts, of: unit, outcome, to: folder)
        return summary.damage
    }

    private func read(
        _ opened: OpenedSource, unit: ArchiveUnit, writer: UnitWriter, reader: any TextReader,
        progress: @escaping @Sendable (StreamTime, _ total: StreamTime?) -> Void
    ) async throws -> FindSummary {
        var settings = try unit.reading.settings()
        let (from, to) = unit.times
        settings.from = from > .zero ? from : nil
        settings.to = to.map {
            $0 + StreamTime(seconds: min(settings.gate.maximumAge.seconds, Self.longestTail) + 1)
        }
        let length = (to ?? opened.info.duration).map { $0 - from }
        return try await opened.readAll(
            settings, reader, description: SourceDescription.search(opened), take: writer.take
        ) { position, _ in progress(position - from, length) }
    }

    /// - Throws: ``FramegrepError`` (`sourceUnavailable`) if the file differs from the plan.
    private func checkFile(of unit: ArchiveUnit) throws {
        guard let fingerprint = unit.fingerprint else { return }
        let now = FileStamp.digest(ofFile: unit.input)
        guard now != fingerprint else { return }
        let reason = now == nil ? "cannot be read on this machine" : "has changed since the archive was planned"
        throw FramegrepError(
            .sourceUnavailable,
            "\(unit.input) \(reason), so unit \(unit.unit) is not read; put it there under that name, or plan again."
        )
    }
}

/// Credentials for servers with recordings, taken only from the environment, so that neither a plan nor a command line
/// contains them.
enum StorageCredentials {
    /// Checks that the web server for the user name and password is named.
    ///
    /// - Throws: ``FramegrepError`` (`badArgument`) for inputs on several servers if the environment names none: any of
    ///   them could ask for the password.
    static func checkServers(
        of inputs: some Sequence<String>, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(FramegrepError) {
        guard filled(environment["FRAMEGREP_HTTP_USER"]) != nil, filled(environment["FRAMEGREP_HTTP_HOST"]) == nil
        else {
            return
        }
        var first: String?
        for server in inputs.lazy.compactMap(Self.server(of:)) {
            guard let known = first, known != server else {
                first = server
                continue
            }
            throw FramegrepError(
                .badArgument,
                "FRAMEGREP_HTTP_USER and FRAMEGREP_HTTP_PASSWORD are set, and the recordings are on several servers (\(redacted(known)), \(redacted(server))), each of which could ask for them; set FRAMEGREP_HTTP_HOST to the one that they are for."
            )
        }
    }

    /// Returns the address to open for an input, which must never be shown: for an object of a store
    /// (`s3://BUCKET/KEY`) a signed address, for one on a web server an address with user name and password. Unchanged
    /// if the environment has no credentials for it.
    ///
    /// - Throws: ``FramegrepError`` (`badArgument`) for an object if the environment has no keys.
    static func address(
        _ input: String, environment: [String: String] = ProcessInfo.processInfo.environment, now: Date = Date()
    ) throws -> String {
        if input.lowercased().hasPrefix(store) {
            return try object(String(input.dropFirst(store.count)), environment, now)
        }
        let only = filled(environment["FRAMEGREP_HTTP_HOST"])?.lowercased()
        guard let user = filled(environment["FRAMEGREP_HTTP_USER"]), only == nil || only == Self.server(of: input),
            let scheme = webSchemes.first(where: { input.lowercased().hasPrefix($0) })
        else { return input }
        let password = environment["FRAMEGREP_HTTP_PASSWORD"] ?? ""
        func escaped(_ text: String) -> String {
            text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        }
        return input.prefix(scheme.count) + "\(escaped(user)):\(escaped(password))@" + input.dropFirst(scheme.count)
    }

    private static let webSchemes = ["http://", "https://"]

    /// Returns the web server of an input as written: `host` or `host:port`; nil if it is not on one.
    private static func server(of input: String) -> String? {
        let input = input.lowercased()
        guard let scheme = webSchemes.first(where: { input.hasPrefix($0) }) else { return nil }
        return String(input.dropFirst(scheme.count).prefix { !"/?#".contains($0) })
    }

    /// Returns the value of a variable; nil if it is empty.
    private static func filled(_ value: String?) -> String? { value.flatMap { $0.isEmpty ? nil : $0 } }

    private static let store = "s3://"
    /// The validity of a signed address: a unit is read within this time, and a longer one would only add risk.
    private static let hours = 12

    private static func object(_ name: String, _ environment: [String: String], _ now: Date) throws -> String {
        let parts = name.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
            throw FramegrepError(
                .badArgument, "\(store)\(name) is not the name of an object in a store; write \(store)BUCKET/KEY.")
        }
        func variable(_ name: String) -> String? { filled(environment[name]) }
        guard let accessKey = variable("AWS_ACCESS_KEY_ID"), let secretKey = variable("AWS_SECRET_ACCESS_KEY") else {
            throw FramegrepError(
                .badArgument,
                "\(store)\(name) cannot be requested: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set in the environment."
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

    /// - Throws: ``FramegrepError`` (`badArgument`) for an address that contains a secret, because a plan would keep
    ///   it.
    static func check(_ uri: SourceURI) throws {
        guard uri.path == nil, uri.redacted != uri.given else { return }
        throw FramegrepError(
            .badArgument,
            "\(uri.redacted) is given with a password or a signature, which a plan must not keep; name it without, and set FRAMEGREP_HTTP_USER and FRAMEGREP_HTTP_PASSWORD where it is read, or name it as s3://BUCKET/KEY."
        )
    }
}

/// Turns the findings of one unit into parts. Thread-safe.
///
/// A unit continues to the first reading at or after the next one's beginning, and the next one begins with a reading
/// there: text that appeared shortly before the border and was read after it belongs to the former, and two records of
/// one line are joined in a search, like those of two parts of a recording.
final class UnitWriter: Sendable {
    private struct State {
        var recorder: LineRecorder
        var parts: [RecordedPart] = []
        var isOver = false
    }

    private let end: StreamTime?
    private let state: Mutex<State>

    /// - Parameter to: the beginning of the next unit; nil for the last one.
    init(from: StreamTime, to: StreamTime?) {
        end = to
        state = Mutex(State(recorder: LineRecorder(from: from)))
    }

    /// Whether everything that belongs to the unit was read.
    var isOver: Bool { state.withLock { $0.isOver } }

    /// - Returns: false if the unit needs no more.
    func take(_ finding: FrameResult) -> Bool {
        state.withLock { state in
            guard !state.isOver else { return false }
            state.recorder.add(finding)
            if state.recorder.isFull { state.parts.append(state.recorder.takePart()) }
            if let end, finding.time.start >= end { state.isOver = true }
            return !state.isOver
        }
    }

    /// Returns everything that was read, in order.
    func finish() -> [RecordedPart] {
        state.withLock { state in
            // An existing unit has a part, so that the catalog knows about its stretch.
            let isBegun = state.recorder.end > state.recorder.from || state.parts.isEmpty
            return state.parts + (isBegun ? [state.recorder.takePart()] : [])
        }
    }
}
