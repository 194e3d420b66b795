import Glibc

/// The files by which speech is understood: a runtime, and a model of one language.
public struct SpeechFiles: Sendable, Hashable {
    /// `libonnxruntime.so.1`, under the name that it was installed as.
    public let runtime: String
    public let encoder: String
    public let decoder: String
    public let tokenizer: String

    /// - Parameters:
    ///   - folder: what `framegrep setup --voice` made.
    ///   - model: another folder with a model's three files; nil for the English model that comes along.
    public init(folder: String, model: String?) {
        runtime = folder + "/libonnxruntime.so.1"
        let place = model ?? folder + "/en"
        func file(_ name: String) -> String {
            [".ort", ".onnx"].map { "\(place)/\(name)\($0)" }.first { access($0, R_OK) == 0 } ?? "\(place)/\(name).ort"
        }
        encoder = file("encoder_model")
        decoder = file("decoder_model_merged")
        tokenizer = place + "/tokenizer.bin"
    }

    /// A file that is missing; nil where all are there.
    public var missing: String? {
        [runtime, encoder, decoder, tokenizer].first { access($0, R_OK) != 0 }
    }
}
