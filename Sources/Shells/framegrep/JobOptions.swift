import ArgumentParser
import Errors
import Spotter
import TextMatching

/// The options that `live` and `run` share: everything except the source of the pictures.
struct JobOptions: ParsableArguments {
    @OptionGroup var patterns: PatternOptions
    @OptionGroup var laterPatterns: LivePatternOptions
    @OptionGroup var reading: ReadingOptions
    @OptionGroup var output: LiveOutputOptions
    @OptionGroup var hiding: LiveHidingOptions
    @OptionGroup var limits: LimitOptions
    @OptionGroup var text: TextOptions
    @OptionGroup var window: WindowOptions
    @OptionGroup var notices: NoticeOptions
    @OptionGroup var targets: NoticeTargetOptions
    @OptionGroup var remembering: RememberOptions

    /// Creates the matcher of the patterns.
    ///
    /// - Parameters:
    ///   - patterns: these options, with a pattern given without one.
    ///   - example: the command with a pattern.
    /// - Throws: ``FramegrepError`` for invalid patterns, and for none if some are needed.
    func matcher(
        of patterns: PatternOptions, example: String = "framegrep live EXIT lobby.mp4"
    ) throws -> Matcher {
        try text.checkTranscript(areTherePatterns: false, isLive: true)
        let mayBeNone = laterPatterns.areAwaited || output.printPipeline || text.isAsked
        let matcher = try patterns.matcher(positional: nil, mayBeNone: mayBeNone, example: example)
        if matcher.patterns.isEmpty, !laterPatterns.areAwaited, !output.printPipeline {
            try output.checkWithoutPatterns(notices, targets, patterns)
        }
        return matcher
    }

    /// - Throws: ``FramegrepError`` for options that would show what must be hidden, or nothing at all.
    func checkHiding(inOwnPipeline isOwnPipeline: Bool) throws(FramegrepError) {
        guard hiding.redact else { return }
        let revealing = [
            ("--save-frames", output.saveFrames != nil), ("--boxes", output.boxes),
            ("--all-text", text.isAsked),
            ("--overlay tracked", output.overlay == .tracked), ("--remember", remembering.remember),
            ("--all", patterns.all),
        ]
        if let (option, _) = revealing.first(where: \.1) {
            throw FramegrepError(
                .badArgument,
                "--redact hides what is found, and \(option) would keep it or show frames that were not read; leave one of them out."
            )
        }
        guard isOwnPipeline || !output.headless || output.record != nil || hiding.to != nil || output.printPipeline
        else {
            throw FramegrepError(
                .badArgument,
                "--redact with --headless shows the picture nowhere; add --record FILE or --to v4l2:/dev/video9, or leave --headless out."
            )
        }
    }

    /// - Parameter voice: the options of voice search; nil if the command has none.
    ///
    /// - Throws: ``FramegrepError`` for options that would have no effect.
    func checkDependents(_ voice: VoiceOptions? = nil) throws(FramegrepError) {
        let isLate = hiding.redact || output.timing != .tracked
        let others = [
            DependentOption(
                "--boxes", isGiven: output.boxes, about: "--format jsonl", isAsked: output.format == .jsonl),
            DependentOption(
                "--overlay-delay", isGiven: output.chosenDelay != nil, about: "--overlay exact and --redact",
                isAsked: isLate),
            DependentOption(
                "--snapshots", isGiven: window.snapshots != nil, about: "the window", isAsked: !output.headless),
            DependentOption(
                "--voice-model", isGiven: voice?.model != nil, about: "--voice and the window",
                isAsked: voice?.isAsked == true || !output.headless),
        ]
        try DependentOption.check(notices.dependents + targets.dependents + others)
    }

    /// Returns whether lines of text are searched for, because no pattern is given and none can arrive.
    func looksForLines(_ matcher: Matcher) -> Bool {
        text.isAsked && matcher.patterns.isEmpty && !laterPatterns.areAwaited
    }

    /// The number of sightings after which to stop; nil for all. One is enough if only the exit status is needed.
    var maximumCount: Int? {
        let servesOthers =
            output.record != nil || hiding.redact || output.saveFrames != nil || notices.exec != nil || notices.bell
            || targets.isAsked
        return reading.isQuiet && !servesOthers ? 1 : limits.maximumCount
    }
}
