import COpenVINO

/// How a network is to be run.
struct CompileOptions: Hashable, Sendable {
    /// How many threads one inference uses. OpenVINO adds numbers up in an order that depends on this, so results are the
    /// same for any number of inferences side by side only with 1.
    var threads: Int
    var device = NeuralDevice.cpu

    /// OpenVINO's names for the processor's options, and their values. AUTO and HETERO hand them on to the processor.
    var texts: [(key: String, value: String)] {
        [
            // Inferences side by side have a compiled network each (docs/decisions/compiled-networks.md).
            ("NUM_STREAMS", "1"),
            ("INFERENCE_NUM_THREADS", String(threads)),
            // Pinned threads of two programs would fight for the same cores.
            ("ENABLE_CPU_PINNING", "NO"),
            // Without this OpenVINO leaves half of a virtual machine's cores idle.
            ("ENABLE_HYPER_THREADING", "YES"),
            // 16-bit floating-point numbers (bfloat16) where the processor gains by them; OpenVINO calculates with 32 bits where it has
            // no instructions for them at all (docs/NEURAL.md).
            ("INFERENCE_PRECISION_HINT", fg_openvino_bfloat16_is_slow() == 1 ? "f32" : "bf16"),
        ]
    }
}
