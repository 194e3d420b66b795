import COpenVINO

/// How a network is to be run.
struct CompileOptions: Hashable, Sendable {
    /// How many inferences run side by side.
    var streams: Int
    /// How many threads each of them uses. OpenVINO adds numbers up in an order that depends on this, so results are the
    /// same for any number of inferences only with 1.
    var threadsPerStream: Int

    /// Lends OpenVINO's properties; they are valid only inside `body`.
    func withProperties<Result>(_ body: (UnsafeBufferPointer<ov_property_t>) -> Result) -> Result {
        let texts = [
            ("NUM_STREAMS", String(streams)),
            ("INFERENCE_NUM_THREADS", String(streams * threadsPerStream)),
            // Pinned threads of two programs would fight for the same cores.
            ("ENABLE_CPU_PINNING", "NO"),
            // Without this OpenVINO leaves half of a virtual machine's cores idle.
            ("ENABLE_HYPER_THREADING", "YES"),
            // Where the processor multiplies 16-bit floating-point numbers (bfloat16) itself, which takes two thirds of the
            // time and found the same (docs/NEURAL.md); elsewhere OpenVINO calculates with 32 bits.
            ("INFERENCE_PRECISION_HINT", "bf16"),
        ]
        return lending(texts[...], [], body)
    }

    private func lending<Result>(
        _ texts: ArraySlice<(String, String)>, _ properties: [ov_property_t],
        _ body: (UnsafeBufferPointer<ov_property_t>) -> Result
    ) -> Result {
        guard let (key, value) = texts.first else { return properties.withUnsafeBufferPointer(body) }
        return key.withCString { key in
            value.withCString { value in
                lending(texts.dropFirst(), properties + [ov_property_t(key: key, value: value)], body)
            }
        }
    }
}
