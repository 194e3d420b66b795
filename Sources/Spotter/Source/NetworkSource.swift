import GStreamerMedia
import Synchronization
import TextSpotting

/// A source reached over a network, which can be lost and comes back.
public final class NetworkSource: Sendable {
    private let uri: String
    private let limit: LossPolicy.Limit
    /// Whether it sends one picture after the other; nil until it has been asked.
    private let sendsPictures = Mutex<Bool?>(nil)

    /// - Parameters:
    ///   - uri: with its user name and password, if it has any.
    ///   - limit: how often it is tried again after it was lost.
    public init(_ uri: String, _ limit: LossPolicy.Limit) {
        self.uri = uri
        self.limit = limit
    }

    /// As a source of the live job.
    public var source: LiveSource { LiveSource(policy: .network(limit)) { try await self.open() } }

    /// What one opening takes. Asks an HTTP server, once, what it sends.
    ///
    /// - Throws: ``FramegrepError`` where the server does not answer.
    func open() async throws -> LiveSource.Opening {
        LiveSource.Opening(description: try await description())
    }

    private func description() async throws -> String {
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
