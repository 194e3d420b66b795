import GStreamerMedia

extension Pipeline {
    /// Prepares it, and returns the sink at which the frames of a recording come as they lie in the decoder's memory.
    ///
    /// - Throws: the errors of `GStreamerMedia/Pipeline/prepare(timeout:)`.
    func preparedSink(maxBuffers: Int = 4, within patience: Duration) async throws -> AppSink {
        let sink = try appSink(named: Self.framesName)
        try sink.configure(maxBuffers: maxBuffers, drop: false, sync: false)
        sink.takeFramesAsTheyLie()
        _ = try await prepare(timeout: patience)
        return sink
    }
}
