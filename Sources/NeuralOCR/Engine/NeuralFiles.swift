import Errors
import Glibc
import TextSpotting

/// Where the parts of the neural engine stand in its folder; `scripts/setup-neural` lays them out so.
struct NeuralFiles: Hashable, Sendable {
    let folder: String

    func detector(_ level: NeuralLevel) -> String { "\(folder)/models/\(level.folder)/det.onnx" }
    func recognizer(_ level: NeuralLevel) -> String { "\(folder)/models/\(level.folder)/rec.onnx" }
    func dictionary(_ level: NeuralLevel) -> String { "\(folder)/models/\(level.folder)/dictionary.txt" }

    /// The files of a level that are not there.
    func missing(for level: NeuralLevel) -> [String] {
        [detector(level), recognizer(level), dictionary(level)].filter { access($0, R_OK) != 0 }
    }

    /// OpenVINO's C library, whose file name ends in its version.
    func library() throws -> String {
        let found = FolderNames.of(libraries)
        guard !found.isEmpty else { throw FramegrepError.neuralUnavailable("There is no folder \(libraries).") }
        guard let name = found.filter({ $0.hasPrefix("libopenvino_c.so") }).max() else {
            throw FramegrepError.neuralUnavailable("There is no file \(libraries)/libopenvino_c.so.")
        }
        return "\(libraries)/\(name)"
    }

    /// Whether what compiled networks are imported with is there; earlier versions of `scripts/setup-neural` left it out.
    var canImport: Bool { FolderNames.of(libraries).contains { $0.hasPrefix("libopenvino_ir_frontend.so") } }

    private var libraries: String { folder + "/lib" }
}
