import ArgumentParser

struct LiveCommand: AsyncParsableCommand, Talkative {
    static let configuration = CommandConfiguration(
        commandName: "live",
        abstract: "Light up a word in a running picture: a camera, a stream, or a file at its own speed.",
        discussion: """
            framegrep live EXIT                        the first camera, in a window
            framegrep live EXIT /dev/video2
            framegrep live EXIT --device c920 --size 1920x1080 --zoom 2
            framegrep live EXIT rtsp://camera/stream --record seen.mp4
            framegrep live EXIT lobby.mp4 --headless --format jsonl
            framegrep live READY -q --headless --timeout 5m    wait until it is seen: 0; 1
                                                               after five minutes
            framegrep live -f words.txt                edit the file, and the search
                                                       changes at once
            other-program | framegrep live --patterns-from - /dev/video0
            framegrep live --all-text /dev/video0      every line that is read, once
            framegrep live EXIT rtsp://camera/stream --remember    'framegrep find WORD'
                                                                   says later when it was
                                                                   seen
            framegrep live EXIT --overlay exact        a third of a second late, each box
                                                       on its own frame
            framegrep live --config cameras.toml       as a service: several sources, each
                                                       with its words (docs/SERVICE.md)

            In the window, h shows the keys.
            """,
        helpNames: .long)

    @OptionGroup var request: LiveRequest
    @OptionGroup var service: ServiceOptions

    var isVerbose: Bool { request.options.reading.isVerbose }

    func run() async throws {
        if service.config != nil { throw try await Service.run(service, request) }
        try await request.run()
    }
}
