import ArgumentParser
import Errors
import TextMatching

/// The options that `live` and `run` share: all that is asked of a job but where its pictures come from.
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

    /// Makes the matcher of the patterns.
    ///
    /// - Parameter patterns: these options, with a pattern given without one.
    /// - Throws: ``FramegrepError`` for patterns that cannot be searched for, and for none if some are needed.
    func matcher(of patterns: PatternOptions) throws -> Matcher {
        try text.checkTranscript(areTherePatterns: false, isLive: true)
        let mayBeNone = laterPatterns.areAwaited || output.printPipeline || text.isAsked
        let matcher = try patterns.matcher(positional: nil, mayBeNone: mayBeNone)
        if matcher.patterns.isEmpty, !laterPatterns.areAwaited, !output.printPipeline {
            try output.checkWithoutPatterns(notices, targets, patterns)
        }
        return matcher
    }

    /// Whether lines of text are searched for, because no pattern is given and none can come.
    func looksForLines(_ matcher: Matcher) -> Bool {
        text.isAsked && matcher.patterns.isEmpty && !laterPatterns.areAwaited
    }

    /// How many sightings are wanted; nil for all. Where only the exit status is asked for, one tells it.
    var maximumCount: Int? {
        let servesOthers =
            output.record != nil || hiding.redact || output.saveFrames != nil || notices.exec != nil || notices.bell
            || targets.isAsked
        return reading.isQuiet && !servesOthers ? 1 : limits.maximumCount
    }
}
