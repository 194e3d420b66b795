import ArgumentParser

/// Several sources at once, as a file says.
struct ServiceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Run the sources that a file names, each with its words, as a service; SIGHUP reads it again.",
            discussion: """
                The file is TOML; docs/SERVICE.md has its keys, most of which are the long names of the options here. Beside it there \
                may be --check, --format, -o, --stats, --timeout and -v; all else stands in the file.
                """, valueName: "file"),
        completion: .file())
    var config: FileArgument?

    @Flag(help: "With --config: say what is wrong with the file, or what it would do, and end.")
    var check = false

    func validate() throws {
        if check, config == nil { throw ValidationError("--check looks at the file of --config FILE; give both.") }
    }
}
