import Errors
import GStreamerMedia

/// The options that may stand beside `--config`: those about what is shown where, and how long. All else stands in the file, where each
/// source has its own.
enum ServiceCompanions {
    private static let flags: Set<String> = ["--check", "--stats", "--verbose", "-v"]
    private static let valued: Set<String> = ["--config", "--format", "--events", "--output", "-o", "--timeout"]

    /// - Throws: ``FramegrepError`` (`badArgument`) that names an argument that `--config` does not allow beside it.
    static func check(_ command: LiveRequest) throws(FramegrepError) {
        if let stranger = stranger(
            in: Arguments.given.filter { !$0.hasPrefix("--gst-") }.drop { $0 != "live" }.dropFirst())
        {
            throw FramegrepError(
                .badArgument,
                "'\(redacted(stranger))' cannot stand beside --config: what is searched, and for what, stands in the file. Beside it there may be --check, --format, -o, --stats, --timeout and -v."
            )
        }
        guard [.text, .csv, .jsonl].contains(command.options.output.format) else {
            throw FramegrepError(
                .badArgument,
                "--format \(command.options.output.format.rawValue) is about one source; with --config there are text, csv and jsonl."
            )
        }
    }

    /// The first argument that may not stand there.
    private static func stranger(in arguments: some Sequence<String>) -> String? {
        var isValue = false
        for argument in arguments {
            if isValue {
                isValue = false
                continue
            }
            let name = argument.hasPrefix("--") ? String(argument.prefix { $0 != "=" }) : argument
            if valued.contains(name) {
                isValue = name == argument
            } else if !flags.contains(name), !name.hasPrefix("-o") || name.hasPrefix("--") {
                return argument
            }
        }
        return nil
    }
}
