import Errors
package import GStreamerMedia

extension Pipeline {
    /// Plays a pipeline to its end and stops it; returns once everything is written.
    ///
    /// - Throws: ``FramegrepError``: the first error of its elements.
    package func playToItsEnd() async throws {
        _ = try await prepare()
        try await play()
        try await waitForItsEnd()
    }

    /// Waits until a playing pipeline has come to its end, and stops it.
    ///
    /// - Throws: ``FramegrepError``: the first error of its elements.
    package func waitForItsEnd() async throws {
        var failure: FramegrepError?
        messages: for await message in bus.messages {
            switch message {
            case .endOfStream: break messages
            case .error(let report):
                failure = report.error
                break messages
            default: continue
            }
        }
        await stop()
        if let failure { throw failure }
    }
}
