import CGStreamer
public import TextSpotting

/// A piece of raw sound as it came out of a pipeline: interleaved samples, in memory of its own.
public struct SoundPiece: Sendable {
    public var bytes: [UInt8]
    /// When its first sample is heard, on the pipeline's clock; nil for sound without a timestamp.
    public var runningTime: StreamTime?

    public init(bytes: [UInt8], runningTime: StreamTime?) {
        self.bytes = bytes
        self.runningTime = runningTime
    }
}

/// The result of ``AppSink/pullSound(timeout:)``.
public enum SoundPull: Sendable {
    case piece(SoundPiece)
    case timedOut
    case endOfStream
}

extension AppSink {
    /// Sets the bounds of a sink for sound, whose format is the description's business; to be called before the pipeline is prepared.
    ///
    /// - Parameters:
    ///   - maxBuffers: how many pieces may wait here; the decoder waits when as many do.
    ///   - sync: they come at their time by the clock, instead of as fast as they are taken.
    public func configureForSound(maxBuffers: Int, sync: Bool) {
        var setting = PropertySetting(asElement)
        setting.set("max-buffers", to: String(max(1, maxBuffers)))
        setting.set("drop", to: "false")
        setting.set("sync", to: String(sync))
        // A track that never sends anything must not keep the picture from beginning.
        setting.set("async", to: "false")
        setting.set("enable-last-sample", to: "false")
        setting.set("emit-signals", to: "false")
    }

    /// Waits for the next piece of sound, on the calling thread.
    public func pullSound(timeout: Duration) -> SoundPull {
        switch pull(timeout: timeout) {
        case .timedOut: .timedOut
        case .endOfStream: .endOfStream
        case .sample(let sample): .piece(SoundPiece(bytes: sample.bytes, runningTime: sample.runningTime))
        }
    }
}

extension Sample {
    /// A copy of all its bytes; none where its memory cannot be read.
    fileprivate var bytes: [UInt8] {
        guard let buffer = gst_sample_get_buffer(pointer) else { return [] }
        var info = GstMapInfo()
        guard gst_buffer_map(buffer, &info, GST_MAP_READ) != 0 else { return [] }
        defer { gst_buffer_unmap(buffer, &info) }
        return Array(UnsafeBufferPointer(start: info.data, count: Int(info.size)))
    }
}

extension AppSource {
    /// Sends a piece of raw sound on.
    ///
    /// - Parameters:
    ///   - caps: its format, in the words of gst-launch.
    ///   - time: when its first sample is heard, on the pipeline's clock.
    ///   - duration: how long it lasts.
    public func push(sound bytes: [UInt8], caps: String, at time: StreamTime, lasting duration: StreamTime)
        -> PushResult
    {
        guard let caps = gst_caps_from_string(caps), let buffer = gst_buffer_new_memdup(bytes, gsize(bytes.count))
        else {
            return .failed
        }
        defer { gst_caps_unref(caps) }
        buffer.pointee.pts = GstClockTime(max(0, time.nanoseconds))
        buffer.pointee.duration = GstClockTime(max(0, duration.nanoseconds))
        return push(takingOwnershipOf: buffer, caps: caps)
    }
}
