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
        let libraries = folder + "/lib"
        guard let directory = opendir(libraries) else {
            throw FramegrepError.neuralUnavailable("There is no folder \(libraries).")
        }
        defer { closedir(directory) }
        var found: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.hasPrefix("libopenvino_c.so") { found.append(name) }
        }
        guard let name = found.max() else {
            throw FramegrepError.neuralUnavailable("There is no file \(libraries)/libopenvino_c.so.")
        }
        return "\(libraries)/\(name)"
    }
}
