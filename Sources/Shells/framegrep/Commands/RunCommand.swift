import ArgumentParser
import Errors
import Foundation
import GStreamerMedia
import Spotter
import TextSpotting

struct RunCommand: AsyncParsableCommand, Talkative {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Search in a GStreamer pipeline of your own.",
        discussion: """
            framegrep run pipelines/camera.launch device=/dev/video2 --find EXIT
            framegrep run 'videotestsrc num-buffers=90 ! textoverlay text=EXIT
                ! appsink name=frames' --find EXIT

            The description is gst-launch text with two agreed names: 'appsink name=frames' gets the frames to search, and \
            'appsrc name=overlay', if there is one, gives them back with boxes. In a file, lines that begin with # are comments, \
            and name=value fills ${name:-default}. docs/PIPELINES.md has more.
            """,
        helpNames: .long)

    @OptionGroup var options: JobOptions

    @Option(
        name: .customLong("find"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp("The pattern; the same as -e.", valueName: "pattern"))
    var find: [String] = []

    @Argument(
        help: ArgumentHelp("A file with a description, or the description itself.", valueName: "pipeline"),
        completion: .file(extensions: ["launch"]))
    var pipeline: String

    @Argument(help: ArgumentHelp("Values for the description's placeholders.", valueName: "name=value"))
    var values: [String] = []

    var isVerbose: Bool { options.reading.isVerbose }

    func validate() throws {
        guard options.output.record == nil else {
            throw ValidationError(
                "run takes no --record: what its pipeline writes is said in the pipeline, behind 'appsrc name=overlay', "
                    + "as in pipelines/record.launch; or take 'framegrep live --record'.")
        }
    }

    func run() async throws {
        var patterns = options.patterns
        patterns.patterns += find
        options.reading.enforceLimits()
        guard options.hiding.to == nil else {
            throw FramegrepError(
                .badArgument,
                "run takes no --to: the pipeline says where its frames go, after 'appsrc name=overlay'.")
        }
        try options.checkHiding(inOwnPipeline: true)
        try options.checkDependents()
        try StandardInput.check(
            inputs: [], patternFiles: patterns.files, patternsCome: options.laterPatterns.areAwaited)
        if !patterns.areGivenByOption, let word = values.first(where: { !$0.contains("=") }) {
            throw FramegrepError(
                .badPattern,
                "run takes its pattern by an option: --find '\(word)'. Arguments after the pipeline fill its placeholders."
            )
        }
        let matcher = try options.matcher(of: patterns, example: "framegrep run pipelines/camera.launch --find EXIT")
        let description = try template().filled(with: try filling())
        if options.output.printPipeline { return try StandardOutput.print(redacted(description: description)) }
        var plan = try OutputPlan(of: self)
        if let file { try plan.reads(file, named: pipeline) }
        // Files that the pipeline itself reads and writes are protected too.
        let paths = try Pipeline(parsing: description).filePaths
        for path in paths.read { try plan.reads(recording: path, named: path) }
        for path in paths.written { try plan.pipelineWrites(path) }
        let name = sourceName(inDescription: description) ?? "the pipeline"
        let outputs = try LiveOutputs(options.output, options.window, options.targets, plan: plan)
        let memory = try outputs.keeping { try options.remembering.memory(ofSource: name, options.reading) }
        let search = LiveSearch(
            options: options, outputs: outputs, matcher: matcher,
            patterns: patterns, memory: memory)
        let kept: [any EventSink] = memory.map { [$0] } ?? []
        throw try await kept.finishing { try await search.run(description, sourceName: name) }
    }

    /// Returns the description: the text of the file if there is one, here or among those that come with the program.
    private func template() throws -> PipelineTemplate {
        if let path = file {
            do { return PipelineTemplate(try TextFile.text(of: path, limit: 1 << 20)) } catch {
                throw FramegrepError(
                    .badPipeline, "The pipeline file \(path) cannot be read as UTF-8 text of at most 1 MiB.")
            }
        }
        guard pipeline.contains("!") || !pipeline.hasSuffix(".launch") else {
            let folder = ProgramLocation.pipelines.map { "; framegrep's own are in \($0)" } ?? ""
            throw FramegrepError(.badPipeline, "There is no pipeline file \(pipeline)\(folder).")
        }
        return PipelineTemplate(pipeline)
    }

    /// The file that contains the description; nil if it is on the command line.
    private var file: String? { [pipeline, installedPipeline].compactMap(\.self).first(where: Self.isFile) }

    /// The path of `camera.launch` or `pipelines/camera.launch`, from any current folder.
    private var installedPipeline: String? {
        let parts = pipeline.split(separator: "/", omittingEmptySubsequences: false)
        guard let name = parts.last, name.hasSuffix(".launch"), parts.count == 1 || parts.dropLast() == ["pipelines"]
        else { return nil }
        return ProgramLocation.pipelines.map { "\($0)/\(name)" }
    }

    private static func isFile(_ path: String) -> Bool { FileStatus(of: path).map { !$0.isFolder } ?? false }

    private func filling() throws -> [String: String] {
        var result: [String: String] = [:]
        for value in values {
            guard let mark = value.firstIndex(of: "="), mark != value.startIndex else {
                throw FramegrepError(
                    .badArgument,
                    "'\(redacted(value))' is not of the form name=value, which fills a placeholder of the pipeline.")
            }
            result[String(value[..<mark])] = String(value[value.index(after: mark)...])
        }
        return result
    }
}
