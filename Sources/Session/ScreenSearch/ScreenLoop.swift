import Displays
import Errors
import Glibc
import OverlayDrawing
import Screens
import Spotter
import TextMatching
import TextSpotting
import Threads

typealias WordPromptKey = Displays.KeyPress

/// The thread of the screen job: captures the picture when it changes, requests readings, and keeps frames around
/// matches. The only user of the desktop and of its overlay.
final class ScreenLoop {
    /// The least time between captures, so that a window that is being drawn is complete when it is read.
    private static let takeInterval = Duration.milliseconds(40)
    private static let thickness = 2
    private static let chosenThickness = 5

    private let settings: ScreenSettings
    private let reader: any TextReader
    private let mailbox: ScreenMailbox
    private let report: @Sendable (ScreenEvent) -> Void
    private let overlay: DesktopOverlay
    private let desktop: Desktop
    private let rasterizer = OverlayRasterizer()
    private var keyboard: WindowKeyboard?
    private var matcher: Matcher
    private var findings: ScreenFindings
    private var prompt = WordPrompt()
    private var bar = ScreenBar()
    private var shownBar: ScreenBar?
    private var hasKeys = false
    private var isOver = false
    private var most = 0
    /// The matches that were last reported.
    private var told: [Match] = []

    /// The newest picture; nil before the first.
    private var current: DesktopPicture?
    private var lastTake: ContinuousClock.Instant?
    /// The time of the oldest change that has not been read; nil if there is none.
    private var changedSince: ContinuousClock.Instant?
    /// The tiles that changed since the last picture read was captured; nil if all of it must be read.
    private var unread: [Bool]?
    /// The picture being read, and the time since which the screen shows it; nil if none is.
    private var reading: (picture: Picture, since: ContinuousClock.Instant)?
    private var task: Task<Void, Never>?
    /// The text as far as it is known; nil if none is.
    private var known: TextTracker?
    private var budget = ReadingBudget()
    private let begun = ContinuousClock.now
    private var readings = 0

    init(
        _ settings: ScreenSettings, reader: any TextReader, matcher: Matcher, mailbox: ScreenMailbox,
        report: @escaping @Sendable (ScreenEvent) -> Void
    ) throws {
        self.settings = settings
        self.reader = reader
        self.matcher = matcher
        self.mailbox = mailbox
        self.report = report
        overlay = try DesktopOverlay()
        desktop = try Desktop(
            settings.part, format: reader.pictureFormat, leavingOut: overlay.windows, cut: settings.cut)
        findings = ScreenFindings(matcher, minimumScore: settings.reading.minimumScore)
        keyboard = WindowKeyboard(window: overlay.bar, display: nil) { [mailbox] in mailbox.post(.key($0)) }
        if matcher.patterns.isEmpty { prompt.open() }
    }

    /// Blocks until the job is over; returns the largest number of matches that were framed at once.
    func run() throws -> Int {
        defer {
            task?.cancel()
            keyboard?.close()
        }
        try takePicture()
        draw()
        overlay.focus()
        while !isOver {
            for message in mailbox.take() { try hear(message) }
            let news = overlay.news()
            if news.wasClicked { overlay.focus() }
            hasKeys = news.hasKeys
            if desktop.hasChanged(), untilTake <= .zero { try takePicture() }
            if desktop.windowsMoved() { overlay.raise() }
            budget.note(time: begun.duration(to: .now).inSeconds, used: ProcessWork.processorTime.inSeconds)
            beginReading()
            draw()
            if !isOver { rest() }
        }
        return most
    }

    // MARK: Pictures

    private var untilTake: Duration { lastTake.map { Self.takeInterval - (.now - $0) } ?? .zero }

    private func rest() {
        var time: Duration?
        func atMost(_ other: Duration) { time = min(time ?? other, other) }
        if desktop.hasChanged() { atMost(max(.zero, untilTake)) }
        if changedSince != nil, reading == nil { atMost(max(.milliseconds(1), untilReading)) }
        mailbox.wake.wait(for: [desktop.descriptor, overlay.descriptor], atMost: time)
    }

    private func takePicture() throws {
        lastTake = .now
        guard let now = try desktop.take() else {
            findings.forget()
            return
        }
        let isFirst = current == nil
        current = now
        if now.isOther {
            known = nil
            unread = nil
            task?.cancel()
            findings.forget()
        } else if now.changed.isEmpty {
            return
        } else if let before = unread {
            unread = zip(before, now.changed.flags).map { $0 || $1 }
        } else if known != nil || reading != nil {
            unread = now.changed.flags
        }
        if changedSince == nil { changedSince = isFirst ? begun : .now }
        findings.look(at: now.picture)
    }

    // MARK: Reading

    /// The time until the next reading may begin.
    private var untilReading: Duration {
        // A drawing made in several steps is read once it has been still for a moment.
        let settle = readings == 0 ? .zero : Self.takeInterval - (lastTake.map { .now - $0 } ?? .zero)
        return max(settle, .seconds(budget.pause))
    }

    private func beginReading() {
        guard let current, let since = changedSince, reading == nil, untilReading <= .zero else { return }
        let picture = current.picture
        reading = (picture, since)
        let changed = known == nil ? nil : unread.map { TileMask(grid: current.changed.grid, flags: $0) }
        (changedSince, unread) = (nil, [Bool](repeating: false, count: current.changed.grid.count))
        readings += 1
        let time = FrameTime(
            index: readings, start: StreamTime(seconds: begun.duration(to: .now).inSeconds), duration: .zero)
        let before = known ?? TextTracker(settings: Self.tracking)
        task = Task(executorPreference: BatchThreads.shared) { [reader, mailbox] in
            do {
                let tracker = try await reader.read(
                    picture, at: time, after: PreviousReading(changed: changed) { before },
                    seeing: { mailbox.post(.line($0)) })
                mailbox.post(.read(.success(tracker)))
            } catch {
                mailbox.post(.read(.failure(error)))
            }
        }
    }

    /// Unchanged pixels still show the same text, however long ago they were read, and changed pixels show another text
    /// at once.
    private static var tracking: TextTracker.Settings {
        var settings = TextTracker.Settings()
        settings.maximumAge = StreamTime(seconds: 1e6)
        settings.settledAge = StreamTime(seconds: 1e6)
        settings.memory = .zero
        settings.votes = false
        return settings
    }

    private func hear(_ message: ScreenMailbox.Message) throws {
        switch message {
        case .stop: isOver = true
        case .key(let key): press(key)
        case .search(let matcher): search(for: matcher)
        case .line(let line):
            guard let reading, let current else { return }
            findings.see(line, in: reading.picture, now: current.picture)
            tell(since: reading.since)
        case .read(let result):
            guard let (picture, since) = reading else { return }
            reading = nil
            switch result {
            case .failure(let error) where !(error is CancellationError): throw error
            case .failure: known = nil
            case .success(let tracker):
                // The picture was of another part; a new one has arrived meanwhile.
                guard let current, current.picture.width == picture.width, current.picture.height == picture.height
                else { return }
                known = tracker
                findings.take(tracker.lines, of: picture, now: current.picture)
                tell(since: since)
            }
        }
    }

    private func tell(since: ContinuousClock.Instant) {
        draw()
        let matches = shownMatches
        guard matches != told else { return }
        told = matches
        report(.framed(matches, after: .now - since))
    }

    private var shownMatches: [Match] {
        guard let origin = current?.origin else { return [] }
        return findings.visible.map { $0.moved(by: origin) }
    }

    // MARK: Keys

    private func search(for matcher: Matcher) {
        self.matcher = matcher
        findings.search(for: matcher, in: current?.picture)
        bar.notice = nil
    }

    private func press(_ key: WordPromptKey) {
        bar.notice = nil
        switch prompt.press(key, recent: settings.history?.searches ?? []) {
        case .edited: return
        case .search(let text):
            do {
                search(for: try matcher.manner.matcher(for: [text]))
                settings.history?.add(text)
            } catch {
                bar.notice = (error as? FramegrepError)?.message ?? "This cannot be searched for."
            }
        case .command(let name): obey(name)
        }
    }

    private func obey(_ key: String) {
        switch key {
        case "Escape", "q", "Q": isOver = true
        case "n": findings.choose(1)
        case "N": findings.choose(-1)
        case "Return", "KP_Enter":
            guard let match = findings.chosenMatch ?? findings.choose(1), let origin = current?.origin else {
                return bar.notice = "nothing is found"
            }
            overlay.point(at: match.quad.moved(by: origin).bounds.center)
        case "c", "C":
            guard let match = findings.chosenMatch ?? findings.visible.first else {
                return bar.notice = "nothing is found"
            }
            keyboard?.copy(match.line)
            bar.notice = "copied: \(match.line)"
        default: return
        }
    }

    // MARK: Drawing

    private func draw() {
        let matches = shownMatches
        most = max(most, matches.count)
        let chosen = findings.chosenMatch.flatMap { match in current.map { match.moved(by: $0.origin) } }
        overlay.show(
            matches.map { match in
                DesktopFrame(
                    place: match.quad.bounds, color: .pattern(match.patternIndex),
                    thickness: match == chosen ? Self.chosenThickness : Self.thickness)
            })
        bar.words = matcher.patterns.map(\.text)
        (bar.typed, bar.cursor) = (prompt.text, prompt.cursor)
        (bar.found, bar.chosen) = (matches.count, findings.chosenNumber)
        bar.isReading = known == nil
        bar.hasKeys = hasKeys
        guard bar != shownBar else { return }
        shownBar = bar
        let size = desktop.size
        let width = min(size.width, ScreenBar.width)
        overlay.showBar(
            x: (size.width - width) / 2, y: max(0, size.height - ScreenBar.height - 8), width: ScreenBar.width,
            height: ScreenBar.height, bgra: bar.pixels(rasterizer))
    }
}

/// The text of the bar over the desktop, and its pixels.
struct ScreenBar: Sendable, Hashable {
    var words: [String] = []
    /// The word being typed, and the position of the cursor; nil if none is.
    var typed: String?
    var cursor = 0
    var found = 0
    /// The number of the chosen match.
    var chosen: Int?
    /// Whether the first reading is still in progress.
    var isReading = true
    /// Whether the bar receives key presses.
    var hasKeys = false
    /// A notice that replaces everything else.
    var notice: String?

    static let width = 680
    static let height = 32
    private static let background = OverlayColor(hex: 0x0B1014)
    private static let faint = OverlayColor(hex: 0xB8C4CC)

    /// The text on the bar, in reading order.
    var runs: [OverlayLabel.Run] {
        if let typed {
            let place = typed.index(typed.startIndex, offsetBy: min(max(0, cursor), typed.count))
            let text = OverlayText.singleLine(typed[..<place] + "▏" + typed[place...], limit: 60)
            return [.init("/ ", color: Self.faint), .init(text, color: .white, isBold: true)]
        }
        if let notice { return [.init(OverlayText.singleLine(notice, limit: 90), color: .white)] }
        var runs: [OverlayLabel.Run] = []
        for (index, word) in words.prefix(3).enumerated() {
            runs.append(.init(OverlayText.singleLine(word, limit: 30) + "  ", color: .pattern(index), isBold: true))
        }
        if words.count > 3 { runs.append(.init("+\(words.count - 3)  ", color: .white)) }
        if !words.isEmpty { runs.append(.init(count + "  ", color: .white)) }
        let keys = hasKeys ? "/ word  n N next  ⏎ go there  c copy  Esc end" : "click here for keys"
        return runs + [.init("· \(keys)", color: Self.faint)]
    }

    private var count: String {
        if isReading, found == 0 { return "reading …" }
        return chosen.map { "\($0) of \(found)" } ?? (found == 0 ? "not there" : "\(found) found")
    }

    /// Returns its pixels: blue, green, red and a fourth byte, rows from the top.
    func pixels(_ rasterizer: OverlayRasterizer) -> [UInt8] {
        let (width, height) = (Self.width, Self.height)
        let slot = Rect(x: 0, y: 0, width: Double(width), height: Double(height))
        let label = OverlayLabel(
            runs: runs, slot: slot, preferredX: 0, fontSize: 15, background: Self.background, cornerRadius: 0,
            opacity: 1)
        let fill = OverlayPrimitive.fill(Quad(slot), color: Self.background)
        let patches = (try? rasterizer.rasterize([fill, .label(label)], width: width, height: height)) ?? []
        let canvas = (try? Drawing(width: width, height: height)).map(Canvas.init(takingOwnershipOf:))
        try? canvas?.draw(patches)
        return canvas?.bgra ?? [UInt8](repeating: 0, count: width * height * 4)
    }
}

/// Limits the processor time of reading in the long run: a screen on which something always moves is read less often,
/// not at a higher cost. Times in, a pause out.
struct ReadingBudget: Sendable {
    /// The share of one processor.
    let share: Double
    /// The largest credit that accumulates while nothing is read, in seconds of processor time, so that a new page is
    /// read at once.
    let most: Double
    private(set) var left: Double
    private var last: (time: Double, used: Double)?

    init(share: Double = 0.4, most: Double = 3) {
        (self.share, self.most, left) = (share, most, most)
    }

    /// - Parameters:
    ///   - time: the current time, in seconds from an arbitrary origin.
    ///   - used: the processor time that the program has used so far, in seconds.
    mutating func note(time: Double, used: Double) {
        if let last { left = min(most, left + share * (time - last.time) - (used - last.used)) }
        last = (time, used)
    }

    /// The number of seconds in which nothing should be read.
    var pause: Double { left >= 0 ? 0 : -left / share }

}
