/// Which program this is, for `--version` and for whoever is told over the network.
enum ProgramVersion {
    static let text = "0.1.0"
}
