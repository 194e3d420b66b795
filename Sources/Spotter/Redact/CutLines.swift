import Foundation
public import GStreamerMedia
import Synchronization
public import TextMatching
public import TextSpotting

/// Lines that are no matches as they were read and may be all the same: those that the edge of the picture cuts off, held against the
/// patterns as if they went on, and those in which a mark was lost without which an address is none.
struct CutLines: Sendable {
    let matcher: Matcher

    /// So much of a text must be there, and never less than four letters.
    private static let part = 1.0 / 3

    /// Which patterns a line may be the beginning or the end of.
    ///
    /// - Parameter picture: the line is in pixels of it.
    func patterns(in line: TextLine, of picture: Rect) -> [Int] {
        let damaged = matcher.patterns.indices.filter { isDamaged(line, ofKind: $0) }
        let (box, edge) = (line.quad.bounds, 4.0)
        let isCut =
            box.minX < picture.minX + edge || box.maxX > picture.maxX - edge || box.minY < picture.minY + edge
            || box.maxY > picture.maxY - edge
        guard isCut else { return damaged }
        // Which end that is depends on how the line lies: both are tried.
        return matcher.patterns.indices.filter { index in
            let pattern = matcher.patterns[index]
            if damaged.contains(index) { return true }
            if pattern.isContentKind { return isPart(line, ofKind: index) }
            return pattern.isText && Self.isPart(line.text, of: pattern.text)
        }
    }

    private static func isPart(_ line: String, of pattern: String) -> Bool {
        let (line, whole) = (letters(line), letters(pattern))
        let least = max(4, Int((Double(whole.count) * part).rounded(.up)))
        guard least < whole.count else { return false }
        return (least..<whole.count).contains { line.hasSuffix(whole.prefix($0)) || line.hasPrefix(whole.suffix($0)) }
    }

    private static func letters(_ text: String) -> String {
        text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil).filter {
            $0.isLetter || $0.isNumber
        }
    }

    // MARK: Kinds

    /// An address that lacks a slash or a colon, or has a gap at its @.
    private func isDamaged(_ line: TextLine, ofKind index: Int) -> Bool {
        let text = line.text
        let repaired: String
        switch matcher.patterns[index].text {
        case ":url": repaired = text.replacing(#/(https?|ftp) ?[:;.]? ?/{1,2} ?/#.ignoresCase()) { "\($0.output.1)://" }
        case ":email" where text.contains("@"): repaired = text.replacing(#/ ?@ ?/#, with: "@")
        default: return false
        }
        guard repaired != text else { return false }
        let words = repaired.split(separator: " ").map {
            TextWord(text: String($0), quad: line.quad, confidence: line.confidence)
        }
        guard !words.isEmpty else { return false }
        return matcher.matches(in: [TextLine(quad: line.quad, words: words, confidence: line.confidence)]).contains {
            $0.patternIndex == index && $0.score >= HidingSearch.minimumScore
        }
    }

    private func isPart(_ line: TextLine, ofKind index: Int) -> Bool {
        let (text, digits) = (line.text, line.text.count(where: \.isNumber))
        let (before, after): ([String], [String])
        switch matcher.patterns[index].text {
        case ":email" where text.contains("@"): (before, after) = (["a"], [".com", "x.com", "om"])
        case ":ip" where digits >= 4 && text.contains("."):
            (before, after) = (["1.", "1.1.", "1"], [".1", ".1.1", "1.1", "1"])
        case ":phone" where digits >= 5:
            (before, after) = (["+1 212 ", "+1 2", "+1 212 5", "+"], (1...7).map { String("5550123".prefix($0)) })
        case ":plate" where text.count >= 4, ":code" where text.count >= 4, ":money" where digits >= 2:
            (before, after) = ([], ["1", "23"])
        default: return false
        }
        return before.contains { finds(index, in: line, before: $0, after: "") }
            || after.contains { finds(index, in: line, before: "", after: $0) }
    }

    private func finds(_ index: Int, in line: TextLine, before: String, after: String) -> Bool {
        guard let first = line.words.first, let last = line.words.last else { return false }
        var words = line.words.map { TextWord(text: $0.text, quad: $0.quad, confidence: $0.confidence) }
        words[words.count - 1] = TextWord(
            text: words[words.count - 1].text + after, quad: last.quad, confidence: last.confidence)
        words[0] = TextWord(text: before + words[0].text, quad: first.quad, confidence: first.confidence)
        let longer = TextLine(quad: line.quad, words: words, confidence: line.confidence)
        let length = longer.text.count
        return matcher.matches(in: [longer]).contains { match in
            match.patternIndex == index && match.score >= HidingSearch.minimumScore
                && (before.isEmpty
                    ? match.characterRange.upperBound > length - after.count
                    : match.characterRange.lowerBound < before.count)
        }
    }
}

/// Searches a recording or a still for what is to be hidden in it, and its redacted copy for what is left.
public struct HidingSearch: Sendable {
    /// The outcome of a search.
    public struct Outcome: Sendable {
        /// The things to hide, in the order of their beginnings.
        public var things: [HiddenThing]
        public var summary: FindSummary
    }

    private let settings: FindSettings
    private let reader: any TextReader
    private let matcher: Matcher
    private let planning: HidingPlanner.Settings

    /// A match as doubtful as this is hidden: a near miss costs a bar, a miss costs a secret.
    public static let minimumScore = 0.2

    /// A copy is read where it changes, this often; around what begins, ends or moves quickly, in each frame.
    private static let closeInterval = StreamTime(seconds: 0.1)
    /// What moves as a whole is read this often: a page that is scrolled through shows a line for less than half a second.
    private static let motionInterval = StreamTime(seconds: 0.2)

    /// - Parameters:
    ///   - settings: how it is searched; what hiding needs besides is set here.
    ///   - onlyWords: of kinds of content too, no more of a line is hidden than what was read as theirs.
    public init(_ settings: FindSettings, reader: any TextReader, matcher: Matcher, onlyWords: Bool) {
        var settings = settings
        settings.keepsBoxes = true
        settings.keepsFades = true
        settings.reportsFindings = true
        self.settings = settings
        self.reader = reader
        self.matcher = matcher
        planning = HidingPlanner.Settings(hiding: matcher, onlyWords: onlyWords)
    }

    /// Searches a source.
    ///
    /// - Parameters:
    ///   - known: what is hidden in it already, where it is a copy; what is read within that is passed over.
    ///   - report: told how far it is, and of warnings.
    /// - Throws: as ``FileSpotter/search(_:)`` does.
    public func run(
        _ source: OpenedSource, besides known: HidingPlan? = nil,
        _ report: @escaping @Sendable (FindEvent) -> Void
    ) async throws -> Outcome {
        guard !matcher.patterns.isEmpty else { return Outcome(things: [], summary: FindSummary()) }
        var settings = settings
        // What flashed up between two readings is what is left: there is less to be read now.
        settings.gate.motionInterval = Self.motionInterval
        let isCopy = known != nil
        if let known {
            settings.gate.minimumInterval = Self.closeInterval
            settings.gate.motionInterval = Self.closeInterval
            settings.gate.closeTimes = known.restlessTimes
        }
        let known = known ?? HidingPlan()
        settings.reportsAllText = source.isStill
        let look = try await look(at: source, as: SourceDescription.search(source), settings, report)
        var things = look.things(besides: known)
        if !isCopy, !source.isStill { things += try await closeThings(of: source, beside: things, settings, report) }
        // As a search does, which would find it in the copy.
        if source.isStill, look.lines.isEmpty || StillTurn.isWorthTrying(look.lines) {
            for turn in StillTurn.allCases {
                let held = try await self.look(at: source, as: turn.search(source), settings, report)
                things += held.things(besides: known, heldAs: turn)
            }
        }
        return Outcome(things: things, summary: look.summary)
    }

    /// What each frame shows while things move quickly: in the copy only parts of them may be left beside bars that are wrong.
    private func closeThings(
        of source: OpenedSource, beside things: [HiddenThing], _ settings: FindSettings,
        _ report: @escaping @Sendable (FindEvent) -> Void
    ) async throws -> [HiddenThing] {
        let found = HidingPlan(things)
        var result: [HiddenThing] = []
        for time in found.quickTimes {
            var settings = settings
            let begin = max(settings.from ?? .zero, time.lowerBound)
            let end = min(settings.to ?? time.upperBound, time.upperBound)
            guard begin < end else { continue }
            settings.from = begin > .zero ? begin : nil
            settings.to = end
            settings.gate.closeTimes = [time]
            let look = try await look(at: source, as: SourceDescription.search(source), settings) { event in
                if case .progress = event { report(event) }
            }
            result += look.things(besides: found)
        }
        return result
    }

    /// What was seen of a source, held one way.
    private struct Look: Sendable {
        var planner: HidingPlanner
        /// Of a still, all of its text.
        var lines: [Sighting] = []
        /// Of the picture as it was held.
        var size = (width: 0.0, height: 0.0)
        var summary = FindSummary()

        mutating func take(_ event: FindEvent) {
            planner.take(event)
            switch event {
            case .text(let line): lines.append(line)
            case .finding(let finding):
                let geometry = finding.geometry
                size = (Double(geometry.width) * geometry.pixelAspect, Double(geometry.height))
            default: break
            }
        }

        /// - Parameters:
        ///   - known: what lies in it is left out.
        ///   - turn: how a still was held; only lines that make sense that way count, and places are those of the upright picture.
        func things(besides known: HidingPlan, heldAs turn: StillTurn? = nil) -> [HiddenThing] {
            func shown(_ quad: Quad) -> Quad { turn?.displayed(quad, size.width, size.height) ?? quad }
            let sensible = turn.map { _ in StillTurn.sensibleLines(lines) }
            let things = planner.things { sighting in
                guard sensible?.contains(sighting.line) ?? true else { return false }
                return known.isEmpty || !sighting.boxes.allSatisfy { known.hides(shown($0.quad), in: $0.time) }
            }
            return things.map { thing in
                var thing = thing
                for index in thing.places.indices { thing.places[index].quad = shown(thing.places[index].quad) }
                return thing
            }
        }
    }

    private func look(
        at source: OpenedSource, as description: String, _ settings: FindSettings,
        _ report: @escaping @Sendable (FindEvent) -> Void
    ) async throws -> Look {
        let look = Mutex(Look(planner: HidingPlanner(planning, matcher: matcher)))
        let spotter = FileSpotter(
            description: description, sourceName: source.uri.redacted, settings: settings, reader: reader,
            matcher: matcher)
        let summary = try await spotter.search { event in
            switch event {
            case .progress, .warning: report(event)
            default: look.withLock { $0.take(event) }
            }
        }
        return look.withLock { look in
            look.summary = summary
            return look
        }
    }
}

extension HidingPlanner.Settings {
    /// - Parameter onlyWords: as in ``HidingSearch``.
    init(hiding matcher: Matcher, onlyWords: Bool) {
        reasons = matcher.patterns.enumerated().map { index, pattern in
            pattern.isContentKind ? pattern.text : "pattern \(index + 1)"
        }
        wholeLines = onlyWords ? [] : Set(matcher.patterns.indices.filter { matcher.patterns[$0].isContentKind })
    }
}
