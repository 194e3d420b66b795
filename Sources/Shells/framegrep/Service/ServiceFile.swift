import Errors
import GStreamerMedia
import Spotter
import TOML

/// The contents of a file of `live --config`: checked completely before anything is started.
struct ServiceFile: Sendable {
    /// The sources in the order of the file.
    let sources: [SourcePlan]
    /// The settings of the whole program, as options of `live`.
    let program: [String]
    /// The same settings, parsed.
    let limits: LiveRequest
    /// The file of the results; nil for standard output.
    let results: OutputFile?

    /// The largest size of a file; a larger one was not written by hand.
    private static let longest = 1 << 20

    /// - Parameter results: the name of the file of the results, which no source may read; nil for standard output.
    ///
    /// - Throws: ``FramegrepError`` (`badArgument`) with a sentence, and the line, for each error.
    init(path: String, writing results: String?) throws {
        var reading = ServiceReading(path: path)
        let table: TOMLTable
        do {
            table = try TOMLDocument.read(try Self.text(of: path))
        } catch let error as TOMLError {
            throw FramegrepError(.badArgument, "\(path):\(error.line): \(error.message)")
        }
        (program, limits) = reading.program(table)
        var sources = reading.sources(table)
        try reading.check()
        var plan = try Self.plan(path, sources)
        self.results = try results.flatMap { try plan.writes($0, by: "-o") }
        reading.checkFiles(sources, plan)
        try reading.check()
        for index in sources.indices { sources[index].outputs = plan }
        self.sources = sources
    }

    /// Returns the plan of everything that is read because of the file.
    private static func plan(_ path: String, _ sources: [SourcePlan]) throws -> OutputPlan {
        var plan = try OutputPlan(of: sources.map(\.command))
        try plan.reads(path, named: path)
        for source in sources {
            if let file = source.addressFile { try plan.reads(file, named: file) }
            if let address = source.address, let path = try? SourceURI(address).path {
                try plan.reads(recording: path, named: redacted(address))
            }
        }
        return plan
    }

    private static func text(of path: String) throws -> String {
        do {
            return try TextFile.text(of: path, limit: longest)
        } catch .unreadable(let reason) {
            throw FramegrepError(.badArgument, "The file \(path) of --config cannot be read: \(reason).")
        } catch .tooLong {
            throw FramegrepError(.badArgument, "The file \(path) of --config has more than 1 MiB.")
        } catch .noText(let line) {
            throw FramegrepError(.badArgument, "\(path):\(line): This line is not UTF-8 text; save the file as UTF-8.")
        }
    }
}
