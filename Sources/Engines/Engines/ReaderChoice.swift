import Errors
import NeuralOCR
import TesseractOCR
public import TextMatching
public import TextSpotting
public import Threads

/// Creates the reader that the settings ask for.
public struct ReaderChoice: Sendable {
    public enum Use: Sendable { case recordings, live }

    private let options: ReaderSettings
    private let matcher: Matcher
    private let rightOfWay: RightOfWay?
    private let engineHandle: EngineHandle?
    private let isDoubtful: (@Sendable (TextLine) -> Bool)?
    private let warn: @Sendable (String) -> Void
    /// The engines it loads itself, if no others share them.
    private let ownEngines = OwnEngines()

    /// - Parameters:
    ///   - matcher: the search, which determines which letters are needed and which lines to read twice.
    ///   - picture: the running picture that is read, which has priority; nil for recordings.
    ///   - engineHandle: provides shared engines, which yield to the displays of all their users; nil for a separate
    ///     engine.
    ///   - isDoubtful: returns which lines of a recording are worth a second look by the larger networks, in addition
    ///     to those that may contain a match; nil for no others.
    ///   - warn: called with a sentence if a weaker engine than the best one reads.
    public init(
        _ options: ReaderSettings, _ matcher: Matcher, givingWayTo picture: RightOfWay? = nil,
        from engineHandle: EngineHandle? = nil, isDoubtful: (@Sendable (TextLine) -> Bool)? = nil,
        warn: @escaping @Sendable (String) -> Void
    ) {
        self.options = options
        self.isDoubtful = isDoubtful
        self.matcher = matcher
        rightOfWay = picture ?? engineHandle?.rightOfWay
        self.engineHandle = engineHandle
        self.warn = warn
    }

    /// The words that are searched letter by letter; expressions and kinds of content have none.
    private var words: [String] { matcher.patterns.filter(\.isText).map(\.text) }

    /// Checks whether the options can be satisfied, before anything is read.
    ///
    /// - Throws: ``FramegrepError`` (`engineUnavailable`, `badArgument`) naming the missing part and how to get it.
    public func check() throws {
        try AddressSpace.check()
        if options.level == .accurate {
            guard options.engine != .tesseract else {
                throw FramegrepError(
                    .badArgument,
                    "--level accurate uses the larger networks, but --engine tesseract uses none; leave one of them out."
                )
            }
            let installation = NeuralEngine.installation()
            guard installation.hasLevel(.accurate) else {
                throw FramegrepError(
                    .engineUnavailable,
                    "--level accurate is not available: \(installation.problem ?? "its networks are not there. Run 'framegrep setup'.")"
                )
            }
        }
        if options.device != .cpu {
            guard options.engine != .tesseract else {
                throw FramegrepError(
                    .badArgument,
                    "--compute says where the networks run, but --engine tesseract uses none; leave one of them out.")
            }
        }
        if options.engine != .tesseract { try NeuralEngine.check(options.device) }
        if options.engine == .neural, let problem = problemOfNetworks {
            throw FramegrepError(.engineUnavailable, problem)
        }
        guard let wanted = options.language else { return }
        let mayBeUnneeded = options.engine != .tesseract && NeuralEngine.installation().problem == nil
        try TesseractEngine.check(languages: wanted) { name in
            // Languages that the networks read need no Tesseract data, but must exist.
            mayBeUnneeded && WritingSystems.isRead(withoutTesseract: name)
        }
    }

    /// - Throws: ``FramegrepError`` (`engineUnavailable`) naming the missing part and how to get it.
    public func load(use: Use) async throws -> any TextReader {
        let reader = try await usualReader(use)
        return options.readsForHiding
            ? (reader as? DetectingReader).map { thorough($0.withoutDisplays, isAgain: false) } ?? reader : reader
    }

    private func usualReader(_ use: Use) async throws -> any TextReader {
        try check()
        switch options.engine {
        case .tesseract: return try tesseract(use)
        case .neural: return try await reader(of: try await neural(level, use), use)
        case .auto:
            if let problem = problemOfNetworks { return try weaker(use, because: problem) }
            let engine: NeuralEngine
            do { engine = try await neural(level, use) } catch let error as FramegrepError
                where level == .fast && options.device == .cpu
            {
                return try weaker(use, because: error.message)
            }
            return try await reader(of: engine, use)
        }
    }

    /// Starts to load the reader for recordings, without waiting: a second's work that can be done while the first
    /// frames are decoded.
    ///
    /// - Parameter loaded: called once, when the reader is known.
    /// - Throws: errors that are known at once; later ones are thrown by the first reading.
    public func begin(loaded: @escaping @Sendable (any TextReader) -> Void) async throws -> any TextReader {
        try check()
        guard options.engine != .tesseract, problemOfNetworks == nil else {
            let reader = try await load(use: .recordings)
            loaded(reader)
            return reader
        }
        return StartingReader(pictureFormat: .rgb, concurrency: networks(level, .recordings).concurrency) {
            let reader = try await load(use: .recordings)
            loaded(reader)
            return reader
        }
    }

    /// Starts to load the readers of a redaction, without waiting, as ``begin(loaded:)`` does: one for the search, and
    /// one for another look at what is left. Both also read lines upside down and mirrored if they make no sense as
    /// they are. The second one also searches for faint text and text at the edges, and has doubtful lines read by the
    /// larger networks and by Tesseract. If Tesseract reads alone, both are Tesseract.
    ///
    /// - Throws: errors that are known at once; later ones are thrown by the first reading.
    public func beginForHiding(
        loaded: @escaping @Sendable (any TextReader) -> Void
    ) async throws -> (search: any TextReader, again: any TextReader) {
        try check()
        guard options.engine != .tesseract, problemOfNetworks == nil else {
            let reader = try await load(use: .recordings)
            loaded(reader)
            return (reader, reader)
        }
        let loading = Task {
            let reader = try await load(use: .recordings)
            loaded(reader)
            return reader
        }
        func starting(_ isAgain: Bool) -> StartingReader {
            StartingReader(pictureFormat: .rgb, concurrency: networks(level, .recordings).concurrency) {
                let reader = try await loading.value
                return (reader as? DetectingReader).map { thorough($0.withoutDisplays, isAgain: isAgain) } ?? reader
            }
        }
        return (starting(false), starting(true))
    }

    private func thorough(_ pair: DetectingReader, isAgain: Bool) -> DetectingReader {
        let others = isAgain ? otherRecognizers(besides: pair.recognizer) : []
        let recognizer = ThoroughRecognizer(pair.recognizer, others: others) { [matcher] line in
            matcher.findings(in: line, from: Self.leastScoreForHiding)
        }
        return DetectingReader(
            name: pair.name, detector: isAgain ? ThoroughDetector(pair.detector) : pair.detector,
            recognizer: recognizer, concurrency: pair.concurrency)
    }

    private static let leastScoreForHiding = 0.2

    /// Returns the larger networks, and Tesseract, unless they are the usual readers.
    private func otherRecognizers(besides usual: any LineRecognizer) -> [any LineRecognizer] {
        var others: [any LineRecognizer] = []
        if level != .accurate, NeuralEngine.installation().hasLevel(.accurate) {
            others.append(
                LazyRecognizer(pictureFormat: usual.pictureFormat) {
                    try await neural(level, .recordings).recognizer(at: .accurate, isOccasional: true)
                })
        }
        guard !(usual is TesseractLineRecognizer) else { return others }
        return others + [
            LazyRecognizer(pictureFormat: usual.pictureFormat) {
                TesseractLineRecognizer(try tesseract(.recordings), pictureFormat: usual.pictureFormat)
            }
        ]
    }

    /// The reason the networks do not read; nil if they can.
    private var problemOfNetworks: String? { NeuralEngine.installation().problem ?? AddressSpace.problemOfNetworks }

    /// Creates the reader for a live picture that stands still: the accurate networks, or Tesseract on an enlarged
    /// picture; nil if reading cannot be any closer.
    public var closeReader: (@Sendable () async throws -> any TextReader)? {
        let isNeural = options.engine != .tesseract && problemOfNetworks == nil
        guard isNeural else {
            return { EnlargingReader(try tesseract(.live)) }
        }
        guard options.level == .fast, NeuralEngine.installation().hasLevel(.accurate) else { return nil }
        return { try await reader(of: try await neural(.accurate, .live), .live) }
    }

    /// The reader for still pictures, which are read more thoroughly; loaded when a picture is first announced. Nil if
    /// stills are read like frames.
    public var stillReader: (any TextReader)? {
        guard options.readsStillsClosely, options.engine != .tesseract, problemOfNetworks == nil else { return nil }
        return StartingReader(pictureFormat: .rgb, concurrency: 1, startsWhenNeeded: true) {
            try await closeStillReader()
        }
    }

    private func closeStillReader() async throws -> any TextReader {
        let engine = try await neural(level, .recordings)
        var first = try await reader(of: engine, .recordings)
        let best = NeuralEngine.installation().hasLevel(.accurate) ? NeuralLevel.accurate : level
        let isBest = engine.settings.level == best
        var (quick, careful): (any LineRecognizer, any LineRecognizer) = (engine.recognizer, engine.recognizer)
        if !isBest { careful = try await engine.recognizer(at: best) }
        let readsWithTesseract = (first as? DetectingReader)?.recognizer is TesseractLineRecognizer
        if readsWithTesseract, let pair = first as? DetectingReader {
            (quick, careful) = (pair.recognizer, pair.recognizer)
        }
        let scripts = readsWithTesseract ? nil : otherScripts(engine, larger: isBest ? nil : careful)
        if scripts != nil, matcher.patterns.isEmpty {
            // Each line once, when all are read.
            first = engine.reader
            (quick, careful) = (OtherScriptReading.unsure(quick), OtherScriptReading.unsure(careful))
        }
        let reader = StillReader(
            name: "\(first.name), stills closely", first: first,
            detector: isBest ? engine.detector : try await engine.detector(at: best),
            quickDetector: engine.detector, quick: quick, careful: careful, concurrency: 1)
        return scripts?.after(reader) ?? reader
    }

    /// Returns the detection of lines in scripts that the networks do not know, if all text is wanted; it reads them if
    /// nothing is searched for.
    private func otherScripts(
        _ engine: NeuralEngine, larger: (any LineRecognizer)?, isRunning: Bool = false
    ) -> OtherScriptReading? {
        guard noticesOtherScripts else { return nil }
        return OtherScriptReading(
            of: engine, larger: larger, isRunning: isRunning, readsAgain: matcher.patterns.isEmpty,
            threads: options.threads ?? Processors.usable, givingWayTo: rightOfWay)
    }

    /// Whether lines in scripts that the networks do not know are searched for: all text is wanted, the networks read
    /// it, and no languages were named.
    public var noticesOtherScripts: Bool {
        options.readsAllText && options.engine != .tesseract && problemOfNetworks == nil && options.language == nil
            && languages.isEmpty
    }

    /// Falls back from the networks to Tesseract, which is always reported: it finds less, and the user did not ask for
    /// it.
    private func weaker(_ use: Use, because reason: String) throws -> any TextReader {
        let reader = try tesseract(use)
        warn("Tesseract reads, which finds less than the networks would. \(reason)")
        return reader
    }

    private var level: NeuralLevel { options.level == .fast ? .fast : .accurate }

    /// The requested languages, or else those that the searched words are written in.
    private var languages: [String] {
        options.language?.split(separator: "+").map(String.init)
            // A question about meaning may be answered by text in any language.
            ?? matcher.patterns.filter { $0.question == nil }.flatMap { WritingSystems.languages(for: $0.text) }
    }

    /// - Parameter unread: the languages it is needed for, if the networks read the others; nil for all.
    private func tesseract(_ use: Use, for unread: [String]? = nil) throws -> TesseractEngine {
        let needed = unread ?? languages
        let derived = needed.isEmpty ? nil : (needed + ["eng"]).joined(separator: "+")
        return try TesseractEngine.load(
            TesseractSettings(
                // A live picture is read by one instance: a second one would read an older frame.
                languages: unread == nil ? options.language ?? derived : derived,
                threads: use == .live ? 1 : options.threads ?? Processors.usable, userWords: words),
            givingWayTo: rightOfWay)
    }

    /// Returns the neural pair if it knows the needed letters, or one of the better level; if neither does, the neural
    /// detector with Tesseract reading its lines.
    private func reader(of engine: NeuralEngine, _ use: Use) async throws -> any TextReader {
        let letters = languages.compactMap(WritingSystems.letter)
        if letters.allSatisfy(engine.canRead) { return cascade(engine, use) }
        var best = engine
        if engine.settings.level == .fast, NeuralEngine.installation().hasLevel(.accurate) {
            best = try await neural(.accurate, use)
            if letters.allSatisfy(best.canRead) { return best.reader.withDisplays }
        }
        let unread = languages.filter { WritingSystems.letter(of: $0).map { !best.canRead($0) } ?? false }
        let read = languages.filter { WritingSystems.letter(of: $0).map(best.canRead) ?? false }
        if options.language == nil, !read.isEmpty {
            let tesseract = try tesseract(use, for: unread)
            return DetectingReader(
                name: "\(best.reader.name), and \(tesseract.name) for what it does not know", detector: best.detector,
                recognizer: SharedScriptsRecognizer(
                    networks: best.recognizer,
                    tesseract: TesseractLineRecognizer(tesseract, pictureFormat: best.detector.pictureFormat),
                    scripts: WritingSystems.blocks(of: unread), known: WritingSystems.blocks(of: read)),
                concurrency: best.reader.concurrency)
        }
        let tesseract = try tesseract(use)
        return DetectingReader(
            name: "PP-OCRv6 finding lines, \(tesseract.name) reading them", detector: engine.detector,
            recognizer: TesseractLineRecognizer(tesseract, pictureFormat: engine.detector.pictureFormat),
            concurrency: engine.reader.concurrency)
    }

    /// Returns the fast pair, with Tesseract for lines in scripts that it does not know, or with the accurate
    /// recognizer for lines that may contain a misread match, and for letters that stand alone if all text is wanted.
    ///
    /// The latter is not used for a running picture, where the next frame is a better second look and memory matters.
    private func cascade(_ engine: NeuralEngine, _ use: Use) -> any TextReader {
        let larger = larger(than: engine)
        let scripts = otherScripts(engine, larger: larger, isRunning: use == .live)
        var recognizer: any LineRecognizer = engine.recognizer
        if matcher.patterns.isEmpty, let scripts { recognizer = scripts.after(recognizer) }
        if use == .recordings, let larger { recognizer = cascaded(recognizer, larger) }
        if !matcher.patterns.isEmpty, let scripts { recognizer = scripts.after(recognizer) }
        return DetectingReader(
            name: engine.reader.name, detector: detector(engine, use), recognizer: recognizer,
            concurrency: engine.reader.concurrency
        ).withDisplays
    }

    /// Returns the fast detector, in recordings with the accurate one for pictures that show little and small text.
    private func detector(_ engine: NeuralEngine, _ use: Use) -> any TextDetector {
        guard use == .recordings, hasLarger(than: engine) else { return engine.detector }
        return CascadeDetector(
            quick: engine.detector,
            careful: LazyDetector(pictureFormat: engine.detector.pictureFormat) {
                try await engine.detector(at: .accurate)
            },
            failed: { warn("Doubtful places are not searched a second time, so less is found. \($0.message)") },
            isSmall: { [side = engine.settings.detectionSide] region, picture in
                let size = DetectionSize(forWidth: picture.width, height: picture.height, side: side)
                let height = min(region.quad.width, region.quad.height)
                return height * Double(size.width) < Self.smallLine * Double(picture.width)
            })
    }

    /// The height below which the fast detector misses parts of lines, in pixels of the size that it searches.
    private static let smallLine = 12.0

    /// Whether the fast networks read and the accurate ones are installed, for another look at what is doubtful.
    private func hasLarger(than engine: NeuralEngine) -> Bool {
        engine.settings.level == .fast && NeuralEngine.installation().hasLevel(.accurate)
    }

    /// Returns the accurate recognizer, which is loaded once for all that need it; nil if there is none.
    private func larger(than engine: NeuralEngine) -> LazyRecognizer? {
        guard hasLarger(than: engine) else { return nil }
        return LazyRecognizer(pictureFormat: engine.recognizer.pictureFormat) {
            try await engine.recognizer(at: .accurate, isOccasional: true)
        }
    }

    private func cascaded(_ quick: any LineRecognizer, _ careful: LazyRecognizer) -> any LineRecognizer {
        let near = NearMatches(matcher)
        return CascadeRecognizer(
            quick: quick, careful: careful, prepare: careful.prepare,
            failed: { warn("Doubtful lines are not read a second time, so less is found. \($0.message)") },
            isDoubtful: { [isDoubtful, readsAllText = options.readsAllText] line in
                near.isDoubtful(line) || isDoubtful?(line) ?? false || readsAllText && LoneLetter.isDoubtful(line)
            },
            isComparable: { [isDoubtful, readsAllText = options.readsAllText] quick, careful in
                if readsAllText, LoneLetter.isDoubtful(quick), !near.isDoubtful(quick) {
                    return LoneLetter.agree(quick, careful)
                }
                // Dropping a letter makes a reading more confident, and wrong.
                return isDoubtful == nil || quick.text.count == careful.text.count
            })
    }

    private func networks(_ level: NeuralLevel, _ use: Use) -> NeuralEngine.Settings {
        var settings = NeuralEngine.Settings()
        settings.level = level
        settings.device = options.device
        settings.mode = use == .live ? .latency : .throughput
        settings.threads = options.threads(ofNetworks: settings.mode)
        return settings
    }

    private func neural(_ level: NeuralLevel, _ use: Use) async throws -> NeuralEngine {
        let settings = networks(level, use)
        guard let engineHandle else {
            return try await ownEngines.engine(settings) {
                try await NeuralEngine.load(settings: settings, givingWayTo: rightOfWay, waiting: false)
            }
        }
        return try await engineHandle.neural(settings)
    }
}
