import ArgumentParser
import Engines
import Errors
import Foundation
import ScreenSearch
import Screens
import Spotter
import TextMatching
import TextSpotting

struct ScreenCommand: AsyncParsableCommand, Talkative {
    static let configuration = CommandConfiguration(
        commandName: "screen",
        abstract: "Find a word on your own screen, and frame it there.",
        discussion: """
            framegrep screen EXIT                 frames; clicks go through them
            framegrep screen EXIT --window Mail   one window, by its title or number
            framegrep screen EXIT --once          prints where it is, and ends
            framegrep screen --all-text | xclip   all text on the screen

            Keys, while the bar at the bottom has the keyboard (click it to give it back): / another word, n and N next and \
            previous, Enter moves the pointer there, c copies the line, Escape ends. On Wayland the desktop asks what may be \
            seen, and the frames are on a picture of it in a window. docs/SCREEN.md has more. Exit status: 0 it was found, \
            1 it was not, 2 an error.
            """,
        helpNames: .long)

    @OptionGroup var patterns: PatternOptions
    @OptionGroup var reading: ReadingOptions
    @OptionGroup var limits: LimitOptions

    @Flag(help: "Print where it is now (x,y and size in pixels, then the line), and exit.")
    var once = false

    @Flag(help: "Print all text on the screen, and exit; needs no pattern.")
    var allText = false

    @Option(help: ArgumentHelp("Only this monitor; the primary one is number 1.", valueName: "number"))
    var monitor: Int?

    @Option(
        help: ArgumentHelp("Only this window: a part of its title, or its number.", valueName: "title|number"))
    var window: String?

    @Flag(help: "Neither offer nor keep the searches typed on the bar.")
    var noHistory = false

    @Argument(help: ArgumentHelp("The pattern, unless -e or -f is given.", valueName: "pattern"))
    var pattern: String?

    var isVerbose: Bool { reading.isVerbose }

    func validate() throws {
        guard monitor == nil || window == nil else {
            throw ValidationError("--monitor and --window name what to look at, and not the same; give one of them.")
        }
        guard !once || !allText else {
            throw ValidationError("--once prints matches, and --all-text everything; give one of them.")
        }
        guard window?.isEmpty != true else { throw ValidationError("--window needs a part of a title.") }
    }

    func run() async throws {
        let matcher = try patterns.matcher(positional: pattern, mayBeNone: !once)
        let way = try Desktop.way()
        try checkLimits(isInWindow: way == .portal)
        if way == .portal, !once, !allText { throw try await showInWindow(matcher) }
        let settings = try settings()
        let interrupts = once || allText ? nil : Interrupts()
        var wanted = reading.reader
        wanted.readsAllText = allText
        let choice = ReaderChoice(wanted, matcher) { StandardError.line("framegrep: \($0)") }
        let reader = try await choice.load(use: .live)
        if isVerbose { StandardError.line("framegrep: reading with \(reader.name)", as: .info) }
        if once || allText {
            let shared = way == .portal ? ScreenSource.shared(settings.part) : nil
            let lines = try await ScreenSpotter.readOnce(settings, of: shared, reader: reader)
            throw allText
                ? try printAll(choice.noticesOtherScripts ? UnknownScripts() : nil, lines)
                : try print(matcher, lines)
        }
        throw try await show(matcher, settings, reader: reader, interrupts: interrupts)
    }

    /// - Throws: ``FramegrepError`` for limits that have no effect here.
    private func checkLimits(isInWindow: Bool) throws(FramegrepError) {
        if once || allText {
            guard limits.timeout == nil else {
                throw FramegrepError(
                    .badArgument,
                    "--timeout ends a search that goes on, and --once and --all-text look only once; leave it out.")
            }
        } else if !isInWindow, limits.maximumCount != nil || reading.isQuiet {
            let option = reading.isQuiet ? "-q" : "-m"
            throw FramegrepError(
                .badArgument,
                "\(option) is about what is printed, and frames over the desktop print nothing and stay until they are ended; add --once, or leave it out."
            )
        }
    }

    private func settings() throws -> ScreenSettings {
        var settings = ScreenSettings()
        if let monitor { settings.part = .monitor(monitor) }
        if let window { settings.part = .window(window) }
        settings.reading = try reading.plan()
        settings.history = SearchHistory(
            path: noHistory ? nil : SearchHistory.defaultPath(in: ProcessInfo.processInfo.environment))
        return settings
    }

    /// Prints all text that is on the screen now.
    ///
    /// - Parameter scripts: counts lines that the networks cannot have read; nil if such lines are not detected.
    private func printAll(_ scripts: UnknownScripts?, _ lines: [TextLine]) throws -> ExitStatus {
        let known = scripts?.known(among: lines) ?? lines
        guard !reading.isQuiet else { return known.isEmpty ? .notFound : .found }
        for line in known.prefix(limits.maximumCount ?? .max) {
            try StandardOutput.print(Visible.text(line.text))
        }
        for sentence in scripts?.sentences ?? [] { StandardError.line("framegrep: \(sentence)") }
        return known.isEmpty ? .notFound : .found
    }

    /// Prints the places of the patterns on the screen now.
    private func print(_ matcher: Matcher, _ lines: [TextLine]) throws -> ExitStatus {
        let found = matcher.matches(in: lines).filter { $0.score >= reading.minScore }
        if !reading.isQuiet {
            for match in found.prefix(limits.maximumCount ?? .max) {
                try StandardOutput.print("\(Self.place(match.quad.bounds)): \(Visible.text(match.line))")
            }
        }
        return found.isEmpty ? .notFound : .found
    }

    /// Places frames over the desktop until the user ends it.
    private func show(
        _ matcher: Matcher, _ settings: ScreenSettings, reader: any TextReader, interrupts: Interrupts?
    ) async throws -> ExitStatus {
        let spotter = try ScreenSpotter(settings, reader: reader, matcher: matcher)
        interrupts?.then { _ in spotter.stop() }
        let deadline = Deadline(limits.timeout?.time) { spotter.stop() }
        defer { deadline.cancel() }
        let most = try await spotter.run { [isVerbose] event in
            switch event {
            case .warning(let error): StandardError.line(MessageLines.text(error), as: .warning)
            case .framed(let matches, let time):
                guard isVerbose else { return }
                let list = matches.map { "\(Self.place($0.quad.bounds)) \($0.text)" }.joined(separator: "; ")
                let milliseconds = Int(time / .milliseconds(1))
                StandardError.line("framegrep: after \(milliseconds) ms: \(list)", as: .info)
            }
        }
        if let signal = interrupts?.signal { throw Interruption(signal: signal) }
        return most > 0 ? .found : .notFound
    }

    /// Shows a Wayland desktop with its boxes in a window, as `live` does.
    private func showInWindow(_ matcher: Matcher) async throws -> ExitStatus {
        StandardError.line(
            "framegrep: this desktop lets no program draw over others' windows; the boxes are on a picture of it, in a window of framegrep's own (share a window or another monitor than the one that shows it, or it is read too)",
            as: .info)
        var live = try LiveRequest.parse([])
        live.options.patterns = patterns
        if let pattern, !patterns.areGivenByOption { live.options.patterns.patterns.append(pattern) }
        live.options.reading = reading
        live.options.limits = limits
        // As on other desktops, only boxes are shown, and no text is kept.
        live.options.output.path = "/dev/null"
        live.options.window.noHistory = noHistory
        let name = window == nil ? "screen:\(monitor.map(String.init) ?? "")" : "screen:window"
        return try await live.job(live.options.patterns, matcher, source: name).run()
    }

    /// Returns `812,404 96x18`.
    private static func place(_ rect: Rect) -> String {
        let (x, y) = (Int(rect.minX.rounded()), Int(rect.minY.rounded()))
        return "\(x),\(y) \(Int(rect.width.rounded()))x\(Int(rect.height.rounded()))"
    }
}
