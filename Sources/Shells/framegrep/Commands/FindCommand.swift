import ArgumentParser
import Engines
import Errors
import Foundation
import GStreamerMedia
import Spotter
import TextIndex
import TextMatching
import TextSpotting

struct FindCommand: AsyncParsableCommand, Talkative {
    static let configuration = CommandConfiguration(
        commandName: "find",
        abstract: "Search recordings and stills: when was it on screen, and where?",
        discussion: """
            framegrep find EXIT lobby.mp4
            framegrep find -e 'GATE 12' -e DELAYED terminal.mkv --format jsonl
            framegrep find EXIT shots/*.png --save-frames found/
            framegrep find EXIT -r recordings --include '*.mp4'
            framegrep find EXIT                     everything in the index (see 'framegrep
                                                    index')
            framegrep find EXIT --since yesterday   what was recorded since then
            framegrep find -E 'GATE [0-9]+' terminal.mkv
            framegrep find --meaning 'way out' lobby.mp4            EXIT, Ausgang, 출구 ...
            framegrep find --all -e ERROR -e :time screen.mkv
            framegrep find --all-text slides.mp4                    every line that is read
            framegrep find --transcript talk.mp4                    the same in paragraphs
            framegrep find EXIT lobby.mp4 --print '{start} {text}'  a line of your own
            framegrep find EXIT lobby.mp4 --save-clips clips -B 2s
                a clip of each sighting, from two seconds before
            framegrep find EXIT lobby.mp4 --invert                  when was it not there?

            Prints a line for each sighting: the file, from when to when, and the line of text, with the match in color on a \
            terminal. Case, accents and white space are ignored (-s matches case and accents). docs/FIND.md has more.
            """)

    @OptionGroup var patterns: PatternOptions
    @OptionGroup var input: InputOptions
    @OptionGroup var reading: ReadingOptions
    @OptionGroup var output: FindOutputOptions
    @OptionGroup var limits: LimitOptions
    @OptionGroup var notices: NoticeOptions
    @OptionGroup var text: TextOptions
    @OptionGroup var index: IndexOptions
    @OptionGroup var trust: TrustOptions
    @OptionGroup var voice: VoiceOptions

    @Option(
        name: .customLong("from"), parsing: .unconditional,
        help: ArgumentHelp("Search from this time: 90, 1:30, 1m30s, 50%, -10s (from the end).", valueName: "time"))
    var from: TimeArgument?

    @Option(
        name: .customLong("to"), parsing: .unconditional,
        help: ArgumentHelp("Search up to this time.", valueName: "time"))
    var to: TimeArgument?

    @OptionGroup var wall: WallRangeOptions

    @Option(
        help: ArgumentHelp(
            "How long an input may send no picture before that is an error (default: 30s, and no limit before a pipe begins).",
            valueName: "time"))
    var patience: DurationArgument?

    @Flag(help: "Read every frame, changed or not: slow, for comparison.")
    var everyFrame = false

    @Flag(
        help:
            "Read key frames only: many times as fast, but text that is there for less than their interval may be missed."
    )
    var skim = false

    @Flag(help: "Read every input, even if the index has it.")
    var noIndex = false

    @Flag(help: "Add what is read to the index.")
    var remember = false

    @Flag(help: "Print the GStreamer pipeline that would run, and exit.")
    var printPipeline = false

    @Argument(
        help: ArgumentHelp("The pattern (unless -e or -f is given), then files or URIs.", valueName: "pattern> <input"),
        completion: .file())
    var arguments: [String] = []

    var isVerbose: Bool { reading.isVerbose }

    func validate() throws {
        if skim, everyFrame { throw ValidationError("--skim reads few frames and --every-frame all; give one.") }
        if let patience, patience.time < StreamTime(seconds: 1) {
            throw ValidationError("--patience must be at least 1s.")
        }
        if case .fromStart(let start) = from, case .fromStart(let end) = to, start >= end {
            throw ValidationError("--from must be before --to.")
        }
    }

    func run() async throws {
        let inherited = SearchJournal.inherited
        let (pattern, named) = try split()
        if let hint = CommandHint(Arguments.given, pattern: pattern, inputs: named), !reading.isQuiet {
            StandardError.line("framegrep: \(hint.sentence)")
        }
        reading.enforceLimits()
        try StandardInput.check(inputs: named, lists: [input.listPath].compactMap(\.self), patternFiles: patterns.files)
        let texts = if let resumed = inherited?.resumed { resumed.patterns } else { try await texts(pattern) }
        try check(patterns: texts)
        let matcher = try patterns.manner.matcher(for: texts)
        let isEverything = named.isEmpty && !input.nameInputs
        if isEverything { try checkEverything() }
        let found = inherited?.resumed == nil && !isEverything ? try input.inputs(named: named) : FoundInputs()
        var inputs = inherited?.resumed?.inputs ?? withoutOutput(found.inputs)
        let (range, dates) = (try wall.range(now: Date()), FileDates())
        let indexed = (inherited == nil ? try indexed(inputs, isEverything: isEverything, matcher) : .none)
            .narrowed(to: range, dates)
        if isEverything, inherited == nil { inputs = indexed.names.map { SearchInput(name: $0) } }
        let names = inputs.map(\.name)
        try check(inputs: names)
        GrepOptions.tell(of: Arguments.given, pattern: pattern, output: output.path, isQuiet: reading.isQuiet)
        if printPipeline { return try await showPipelines(names) }
        try trust.enforce()
        let plan = try plan(goingOnWith: inherited, names.filter { indexed[$0]?.source.isLive != true })
        let journal = inherited ?? SearchJournal(inputs: inputs, patterns: texts)
        let interrupts = Interrupts()
        let outputs = try FindOutputs(output, plan: plan, journal: journal)
        journal?.arm()
        let job: SearchJob
        do { job = try await self.job(of: inputs, matcher, indexed, range, dates) } catch {
            await outputs.abandon()
            throw error
        }
        throw try await RecordingSearch(
            job: job, output: output, limits: limits, outputs: outputs, journal: journal,
            notices: SightingNotices(notices) { StandardError.line("framegrep: \($0.message)") },
            // A crash must tell in which input it was, so what follows one is done one by one.
            jobs: journal?.crash == nil ? input.jobs : 1, interrupts: interrupts, lacksInputs: found.unreadable > 0
        ).run(inputs)
    }

    /// The settings without the installed Tesseract languages, so that these do not affect what is remembered.
    private var readerSettings: ReaderSettings {
        var settings = reading.reader
        settings.readsAllText = text.isAsked && !remember
        settings.inputs = input.jobs * input.parts(threads: settings.threads).parts
        return settings
    }

    /// Returns the patterns, including a spoken one.
    private func texts(_ pattern: String?) async throws -> [String] {
        let texts = try patterns.texts(positional: pattern, mayBeNone: text.isAsked || voice.isAsked)
        guard voice.isAsked else { return texts }
        // Do not listen for a search that cannot be carried out.
        try OutputPlan.check(output.path, of: self)
        let question = VoiceQuestion(ear: voice.ear, isQuiet: reading.isQuiet)
        return texts + [try await question.ask(among: knownLines())]
    }

    /// Returns the lines of the index, if there is one.
    private func knownLines() -> @Sendable () -> [String] {
        guard !noIndex, let folder = try? index.folder(), let store = try? TextIndex.forSearching(folder) else {
            return { [] }
        }
        return { store.someLines() }
    }

    /// Returns the work that is the same for every input, with the reader while it is still being loaded.
    private func job(
        of inputs: [SearchInput], _ matcher: Matcher, _ indexed: IndexedInputs, _ range: WallRange, _ dates: FileDates
    ) async throws -> SearchJob {
        let isCovered = indexed.cover(inputs)
        let choice = ReaderChoice(readerSettings, matcher) { StandardError.line("framegrep: \($0)") }
        let reader = isCovered ? nil : try await choice.begin(sayingName: isVerbose)
        return SearchJob(
            settings: try settings(), time: SearchedTime(from: from, to: to), range: range, dates: dates,
            allowed: trust.allowed, isQuiet: reading.isQuiet, isVerbose: reading.isVerbose, reader: reader,
            matcher: matcher, indexed: indexed, memory: try memory(), skims: skim,
            patienceWithPipes: patience.map { .nanoseconds($0.time.nanoseconds) }, context: output.clips.context,
            joinsParagraphs: text.joinsLines, areSubtitles: text.subtitles, keepsStanding: text.allText,
            stillReader: isCovered ? nil : choice.stillReader,
            scripts: choice.noticesOtherScripts ? UnknownScripts() : nil,
            absences: output.inverts ? .init(maximum: output.stopsAtFirst ? 1 : limits.maximumCount) : nil)
    }

    /// Collects the files that are read, which must not be overwritten.
    ///
    /// - Parameter names: the inputs that are files, or may be.
    private func plan(goingOnWith journal: SearchJournal?, _ names: [String]) throws -> OutputPlan {
        var plan = try OutputPlan(of: self, goingOnWith: journal?.resumed?.outputs ?? [:])
        for name in names {
            if let path = try SourceURI(name).path { try plan.reads(recording: path, named: name) }
        }
        return plan
    }

    /// Looks up the inputs in the index.
    private func indexed(_ inputs: [SearchInput], isEverything: Bool, _ matcher: Matcher) throws -> IndexedInputs {
        let mayAnswer =
            !noIndex && !text.isAsked && !printPipeline
            && ReadingProfile.isRead(matcher.patterns, asBy: reading)
        guard isEverything || mayAnswer, let store = try storeToSearch(isEverything) else { return .none }
        let query = IndexedInputs.Query(
            index: store, matcher: matcher, minimumScore: reading.minScore, extent: try extent,
            keepsBoxes: output.needsBoxes)
        guard !isEverything else { return try .everything(query) }
        return try .covering(inputs, manner: ReadingProfile(reading, everyFrame: everyFrame), skims: skim, query)
    }

    /// The amount of information needed from the index: what is not printed need not be known.
    private var extent: SearchExtent {
        get throws {
            // Results are counted after they are cut to a part of the time.
            let range = try wall.range(now: Date())
            let isCut = from != nil || to != nil || range.isAsked
            guard !isCut, let maximum = try settings().maximumCount else { return .all }
            // Only the existence of results is visible.
            let isNamed = !output.writesFiles && notices.exec == nil && !notices.bell
            guard isNamed, output.stopsAtFirst || reading.isQuiet else { return .first(maximum) }
            return reading.isQuiet ? .anywhere : .any
        }
    }

    /// - Throws: ``FramegrepError`` (`indexDamaged`) if only the index is searched; otherwise damaged recordings are
    ///   read.
    private func storeToSearch(_ isEverything: Bool) throws -> TextIndex? {
        do { return try TextIndex.forSearching(try index.folder()) } catch let error as FramegrepError {
            if isEverything { throw error }
            if [.indexDamaged, .indexNewer, .indexUnreadable].contains(error.code) {
                StandardError.line("framegrep: \(error.message)")
            }
            return nil
        }
    }

    /// Returns the recorder that also stores the readings in the index.
    private func memory() throws -> SearchIndexRecorder? {
        guard remember else { return nil }
        let manner = ReadingProfile(reading, everyFrame: everyFrame)
        return SearchIndexRecorder(
            index: try TextIndex.forWriting(try index.folder(), meaning: MeaningInstallation.installed),
            manner: skim ? manner.skimmed : manner.text, stillManner: manner.stillText)
    }

    private func settings() throws -> FindSettings {
        var settings = FindSettings(try reading.plan())
        settings.reportsFindings = remember
        settings.parts = input.parts(threads: reading.reader.threads)
        if everyFrame { settings.gate.policy = .everyFrame }
        settings.maximumCount =
            output.stopsAtFirst || (reading.isQuiet && !output.writesFiles) ? 1 : limits.maximumCount
        // Knowing when nothing was there requires searching everything.
        if output.inverts { settings.maximumCount = nil }
        settings.ordersText = text.isAsked && !reading.isQuiet && !output.stopsAtFirst
        settings.keepsBoxes = output.needsBoxes
        settings.reportsAllText = text.isAsked
        settings.reportsEachChange = text.eachChange
        if let patience { settings.patience = .nanoseconds(patience.time.nanoseconds) }
        return settings
    }

    /// Prints the pipelines that would run: the search of each input, or the pass that writes the copy, which begins
    /// with the same elements.
    private func showPipelines(_ inputs: [String]) async throws {
        let container = try output.saveVideo.map { try RecordingContainer(ofFileNamed: $0) }
        for input in inputs {
            let uri = try SourceURI(input)
            guard let container, let path = output.saveVideo else {
                try StandardOutput.print(redacted(description: SourceDescription.shownSearch(uri)))
                continue
            }
            // The copy has a part for the sound if the recording has some.
            let format = (try? await MediaProbe.examine(uri))?.audioFormat
            let sound = try? format.map { try SoundTrack(of: uri.text, format: $0, into: container) }
            let recording = Recording(path: path, container: container, sound: sound)
            try StandardOutput.print(
                redacted(description: SourceDescription.annotation(uri.text, to: recording)))
        }
    }
}
