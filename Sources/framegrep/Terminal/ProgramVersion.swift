/// The program's name and version, for `--version` and for receivers over the network.
enum ProgramVersion {
    static let text = "0.1.0"
}
