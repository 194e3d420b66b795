import TextSpotting

/// The arguments of the command line.
enum Arguments {
    /// Without the program's name. They hold names of files, which are bytes: Swift's own list would replace those that are
    /// no UTF-8.
    static var given: [String] {
        (1..<max(1, Int(CommandLine.argc))).compactMap { index in
            CommandLine.unsafeArgv[index].map { FileName.text(ofCName: $0) }
        }
    }
}
