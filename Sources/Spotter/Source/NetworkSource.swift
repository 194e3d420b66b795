import GStreamerMedia
import Synchronization
import TextSpotting

/// A source reached over a network, which can be lost and comes back.
public final class NetworkSource: Sendable {
    private let uri: String
    private let limit: LossPolicy.Limit
    /// Whether it sends one picture after the other; nil until it has been asked.
    private let sendsPictures = Mutex<Bool?>(nil)
    private let withSound = Mutex(false)

    /// - Parameters:
    ///   - uri: with its user name and password, if it has any.
    ///   - limit: how often it is tried again after it was lost.
    public init(_ uri: String, _ limit: LossPolicy.Limit) {
        self.uri = uri
        self.limit = limit
    }

    /// As a source of the live job.
    public var source: LiveSource {
        var source = LiveSource(policy: .network(limit)) { try await self.open() }
        source.hasSound = withSound.withLock { $0 }
        return source
    }

    /// Brings the sound too, where there is some: asks the server.
    public func bringSound() async {
        guard let given = try? SourceURI(uri) else { return }
        if uri.lowercased().hasPrefix("http") {
            let known = sendsPictures.withLock { $0 }
            guard let sends = if let known { known } else { try? await asked() } else { return }
            sendsPictures.withLock { $0 = sends }
            guard !sends else { return }
        }
        let info = try? await MediaProbe.examine(given, timeout: .seconds(10))
        withSound.withLock { $0 = info?.audioFormat != nil }
    }

    /// Prepares one opening. Asks an HTTP server, once, for the type of its answer.
    ///
    /// - Throws: ``FramegrepError`` if the server does not answer.
    func open() async throws -> LiveSource.Opening {
        LiveSource.Opening(description: try await description())
    }

    private func description() async throws -> String {
        if withSound.withLock({ $0 }) { return SourceDescription.liveSource(try SourceURI(uri), .uri, sound: true) }
        guard uri.lowercased().hasPrefix("http") else { return SourceDescription.liveSource(uri) }
        let known = sendsPictures.withLock { $0 }
        let sends = if let known { known } else { try await asked() }
        sendsPictures.withLock { $0 = sends }
        return sends ? SourceDescription.pictures(uri) : SourceDescription.liveSource(uri)
    }

    /// Whether the server sends pictures without end (`multipart/x-mixed-replace`): GStreamer's `uridecodebin` would wait
    /// for their end before it shows the first.
    private func asked() async throws -> Bool {
        let pipeline = try Pipeline(parsing: SourceDescription.kind(uri))
        do {
            _ = try await pipeline.prepare(timeout: .seconds(15))
            let caps = pipeline.propertyString("caps", ofElementNamed: SourceDescription.kindName) ?? ""
            await pipeline.stop()
            return caps.contains("multipart/x-mixed-replace")
        } catch {
            await pipeline.stop()
            throw error
        }
    }
}
