/// Where the networks run, by OpenVINO's own names: `CPU`, `GPU`, `GPU.1`, `NPU`, `AUTO`, `AUTO:GPU,CPU`, `HETERO:GPU,CPU`.
///
/// Results are promised for the processor, where they are the same on every run. Other devices calculate with other precisions.
public struct NeuralDevice: Hashable, Sendable {
    /// In capitals.
    public let name: String

    public static let cpu = NeuralDevice(name: "CPU")

    private init(name: String) { self.name = name }

    /// - Parameter text: in capitals or small letters; nil for what cannot be a device's name.
    public init?(_ text: String) {
        let name = text.uppercased()
        let mayStand = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.:,_-")
        guard let first = name.first, first.isLetter, name.count <= 64, name.allSatisfy(mayStand.contains) else {
            return nil
        }
        self.name = name
    }

    /// Only what is compiled for the processor is exported and kept for the next run.
    var isCPU: Bool { self == .cpu }

    /// AUTO or HETERO, which choose among devices; nil for a device itself.
    var virtual: String? {
        let head = String(name.prefix { $0 != ":" })
        return ["AUTO", "HETERO"].contains(head) ? head : nil
    }

    /// The devices that it names; none for AUTO alone, which takes what is there.
    var parts: [String] {
        guard virtual != nil else { return [name] }
        return name.split(separator: ":", maxSplits: 1).dropFirst().flatMap {
            $0.split(separator: ",").map(String.init)
        }
    }
}

/// A device that the networks can run on here.
public struct FoundDevice: Hashable, Sendable {
    /// OpenVINO's name: `CPU`, `GPU.0`.
    public let name: String
    /// Its maker's: `Intel(R) Arc(TM) A770 Graphics`.
    public let fullName: String
}
