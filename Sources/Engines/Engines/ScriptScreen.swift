import Foundation
import NeuralOCR
public import TextSpotting

/// Decides which lines of an input are reported although the networks may not know their script. A line that is clearly
/// in such a script is left out at once; of less clear ones a single one may be a bad reading, several are not. The
/// more known lines there are, the clearer the evidence must be.
///
/// The evidence for such a script is added up over the lines of the input (a cumulative sum, E. S. Page, "Continuous
/// inspection schemes", 1954), and lines that are read well count a little against it. Doubted lines wait until that is
/// decided. A value that takes lines in order.
public struct ScriptScreen: Sendable {
    private struct Waiting {
        let line: Sighting
        let evidence: ScriptEvidence
        let since: ContinuousClock.Instant
        /// Whether it is certainly in such a script.
        let isClear: Bool

        var isDoubted: Bool { evidence.strength >= ScriptScreen.doubt }
        /// Whether it is in such a script, or could not be read.
        var isUnreadable: Bool { isClear || isDoubted && line.score < NeuralLineRecognizer.leastConfidence }
    }

    private var waiting: [Waiting] = []
    private var sum = 0.0
    private var isSure = false
    /// The number of known lines, and of lines clearly in such a script.
    private var counts = (known: 0, clear: 0)
    private let patience: Duration?
    /// The number of lines left out, by the script they resemble.
    public private(set) var leftOut: [OtherScript: Int] = [:]

    /// The evidence from which a line is doubted.
    static let doubt = 0.3
    /// The evidence at which a line is left out if no other line of the input is known.
    public static let sure = 1.0
    /// The additional evidence required each time the number of known lines grows by a factor of e.
    private static let caution = 0.75
    /// The largest number of known lines that counts.
    private static let mostKnown = 400
    /// A line adds the amount by which its evidence exceeds this.
    private static let telling = 1.0
    /// The amount that each line subtracts.
    private static let decay = 0.02
    /// The sum from which such a script is assumed to be present.
    private static let enough = 2.2
    /// The largest sum for a running picture: after some two hundred known lines the script is no longer assumed to be
    /// present.
    private static let greatest = 4.2
    /// The largest number of waiting lines.
    private static let most = 40
    /// The confidence from which one or two letters count as a line.
    private static let leastOfFragments = 0.8

    /// - Parameter patience: the longest wait of a doubted line of a running picture, which may run for days; other
    ///   lines do not wait for it. Nil for an input with an end, whose lines keep their order.
    public init(patience: Duration? = nil) { self.patience = patience }

    /// Returns whether a line must wait for others, given its reading.
    public static func doubts(_ line: Sighting) -> Bool {
        ScriptEvidence(line.otherScripts, of: line.line).strength >= doubt
    }

    /// Takes a line; returns those that can be reported now, in order.
    public mutating func take(_ line: Sighting, now: ContinuousClock.Instant = .now) -> [Sighting] {
        let evidence = ScriptEvidence(line.otherScripts, of: line.line)
        if evidence.strength >= Self.sure, Self.isFragment(line) {
            leftOut[evidence.script, default: 0] += 1
            return []
        }
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

    /// Returns the lines of a running picture that need not wait any longer.
    public mutating func waited(until now: ContinuousClock.Instant) -> [Sighting] {
        guard let patience else { return [] }
        let ready = waiting.filter { !$0.isDoubted || $0.isUnreadable || now - $0.since >= patience }
        waiting.removeAll { !$0.isDoubted || $0.isUnreadable || now - $0.since >= patience }
        for line in ready where line.isUnreadable { leftOut[line.evidence.script, default: 0] += 1 }
        return ready.filter { !$0.isUnreadable }.map(\.line)
    }

    /// Returns the remaining lines, because no more follow.
    public mutating func finish() -> [Sighting] { release() }

    /// Returns whether one or two letters were read, and doubtful ones. Such a line says nothing about others, because
    /// icons are read like that too.
    private static func isFragment(_ line: Sighting) -> Bool {
        line.line.count(where: { $0.isLetter || $0.isNumber }) <= 2 && line.score < leastOfFragments
    }

    private mutating func release(_ count: Int? = nil) -> [Sighting] {
        // Lines waiting behind a reported one need not wait either, up to the next doubted one.
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
