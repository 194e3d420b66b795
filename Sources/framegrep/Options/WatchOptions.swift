import ArgumentParser

/// How `serve` watches cameras: options of `live` that are handed on to the job of each.
struct WatchOptions: ParsableArguments {
    @Flag(help: "Put what is read of the cameras into the index, so that it can be searched at once.")
    var remember = false

    @Option(help: "Which engine reads: auto, tesseract or neural.")
    var engine: String?

    @Option(help: "How carefully it reads: fast or accurate.")
    var level: String?

    @Option(help: ArgumentHelp("Languages, as Tesseract calls them.", valueName: "eng+kor"))
    var language: String?

    @Option(help: ArgumentHelp("The part of the picture to read.", valueName: "x,y,w,h"))
    var region: String?

    @Option(help: ArgumentHelp("Picture size to ask cameras for.", valueName: "WxH"))
    var size: String?

    @Option(help: ArgumentHelp("Frames a second to ask cameras for.", valueName: "rate"))
    var fps: String?

    @Option(help: ArgumentHelp("How many threads may read, for each camera.", valueName: "count"))
    var threads: String?

    @Option(
        help: ArgumentHelp(
            "tracked: the picture is shown at once; exact: a third of a second later, with boxes read on that very frame."
        ))
    var overlay: String?

    @Option(help: ArgumentHelp("Matches that are less sure than this are no matches.", valueName: "score"))
    var minScore: String?

    @Option(
        help: ArgumentHelp("Open addresses of this kind too: a scheme such as udp, or private.", valueName: "kind"))
    var allow: [String] = []

    @Option(
        help: ArgumentHelp(
            "Read what to watch from a file that only its owner can read (chmod 600), one a line, so that passwords in addresses are not seen by other users.",
            valueName: "file"), completion: .file())
    var sourcesFrom: FileArgument?

    /// As `live` takes them.
    var handedOn: [String] {
        let values = [
            ("engine", engine), ("level", level), ("language", language), ("region", region), ("size", size),
            ("fps", fps), ("threads", threads), ("overlay", overlay), ("min-score", minScore),
        ]
        return values.compactMap { name, value in value.map { "--\(name)=\($0)" } } + allow.map { "--allow=\($0)" }
    }
}
