import Foundation
import NeuralOCR
public import TextSpotting

/// Decides which lines of an input are reported although the networks may not know their script: a line that clearly is in one is left out at once, and of
/// less clear ones one may be a bad reading, several are not. Among many known lines it takes more to be clear.
///
/// The evidence for such a script is added up over the lines of the input (a cumulative sum, E. S. Page, "Continuous inspection schemes", 1954), and lines
/// that are read well count a little against it. Lines that are doubted wait until that is decided. A value fed in the order of lines.
public struct ScriptScreen: Sendable {
    private struct Waiting {
        let line: Sighting
        let evidence: ScriptEvidence
        let since: ContinuousClock.Instant
        /// It is in such a script, whatever else there is.
        let isClear: Bool

        var isDoubted: Bool { evidence.strength >= ScriptScreen.doubt }
        /// It is in such a script, or nothing that could be read.
        var isUnreadable: Bool { isClear || isDoubted && line.score < NeuralLineRecognizer.leastConfidence }
    }

    private var waiting: [Waiting] = []
    private var sum = 0.0
    private var isSure = false
    /// How many lines were known, and how many clearly in such a script.
    private var counts = (known: 0, clear: 0)
    private let patience: Duration?
    /// How many lines were left out, by what they look like.
    public private(set) var leftOut: [OtherScript: Int] = [:]

    /// From here on a line is doubted.
    static let doubt = 0.3
    /// From here on it is left out, in an input of which nothing else is known.
    public static let sure = 1.0
    /// The more lines are known, the more is wanted: so much for each time that they are e times as many.
    private static let caution = 0.75
    /// No more known lines count.
    private static let mostKnown = 400
    /// A line adds as much as its evidence exceeds this.
    private static let telling = 1.0
    /// The amount that each line subtracts.
    private static let decay = 0.02
    /// From this sum on such a script is there.
    private static let enough = 2.2
    /// The sum grows no further where the lines of a running picture are screened: some two hundred known lines later such a script is there no more.
    private static let greatest = 4.2
    /// No more lines wait.
    private static let most = 40

    /// - Parameter patience: of a running picture, which may go on for days: a doubted line waits no longer, and no other line waits for it. Nil for
    ///   an input with an end, whose lines keep their order.
    public init(patience: Duration? = nil) { self.patience = patience }

    /// Whether a line has to wait for others, as far as it was read.
    public static func doubts(_ line: Sighting) -> Bool {
        ScriptEvidence(line.otherScripts, of: line.line).strength >= doubt
    }

    /// Takes a line; returns those that can be told now, in order.
    public mutating func take(_ line: Sighting, now: ContinuousClock.Instant = .now) -> [Sighting] {
        let evidence = ScriptEvidence(line.otherScripts, of: line.line)
        let extra = Self.caution * log(1 + Double(counts.known) / Double(1 + 2 * counts.clear))
        let isClear = evidence.strength >= Self.sure + extra
        if isClear { counts.clear += 1 }
        if evidence.strength < 0 { counts.known = min(Self.mostKnown, counts.known + 1) }
        sum = max(0, sum + max(0, evidence.strength - Self.telling - extra) - Self.decay)
        if patience != nil { sum = min(sum, Self.greatest) }
        if sum >= Self.enough { isSure = true }
        if patience != nil, sum == 0 { isSure = false }
        waiting.append(Waiting(line: line, evidence: evidence, since: now, isClear: isClear))
        if isSure { return release() }
        guard patience == nil else { return waited(until: now) }
        if waiting.count == 1, !waiting[0].isDoubted || waiting[0].isUnreadable { return release() }
        return waiting.count > Self.most ? release(1) : []
    }

    /// Those lines of a running picture that need not wait any longer.
    public mutating func waited(until now: ContinuousClock.Instant) -> [Sighting] {
        guard let patience else { return [] }
        let ready = waiting.filter { !$0.isDoubted || $0.isUnreadable || now - $0.since >= patience }
        waiting.removeAll { !$0.isDoubted || $0.isUnreadable || now - $0.since >= patience }
        for line in ready where line.isUnreadable { leftOut[line.evidence.script, default: 0] += 1 }
        return ready.filter { !$0.isUnreadable }.map(\.line)
    }

    /// No more will come.
    public mutating func finish() -> [Sighting] { release() }

    private mutating func release(_ count: Int? = nil) -> [Sighting] {
        // Those that wait behind one that is told need not wait either, up to the next one.
        var told: [Sighting] = []
        var left = count ?? waiting.count
        while let first = waiting.first, left > 0 || !first.isDoubted || first.isUnreadable {
            waiting.removeFirst()
            left -= 1
            if isSure && first.isDoubted || first.isUnreadable {
                leftOut[first.evidence.script, default: 0] += 1
            } else {
                told.append(first.line)
            }
        }
        return told
    }
}
