import ArgumentParser
import Displays
import Engines
import Errors
import Foundation
import GStreamerMedia
import Spotter
import TextIndex
import TextMatching
import TextSpotting

/// Shows a moment that a search has found.
struct ShowCommand: AsyncParsableCommand, Talkative {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show the picture of a moment that was found, with boxes on the words.",
        usage: "framegrep show [<options>] <moment> [<pattern>]",
        discussion: """
            framegrep find EXIT
                prints lobby.mp4:00:00:12.367-00:00:15.100: ← EXIT 12
            framegrep show lobby.mp4:00:00:12.367 EXIT
                that picture in a window, with a box on EXIT
            framegrep show lobby.mp4:00:00:12.367 --save-frames .
                with boxes on all text, into a folder

            A moment is what 'find' prints before the line; you may also give the whole line, in quotes. The recording must be \
            in the index, and its file must be there. The text is printed too; q closes the window.
            """, helpNames: .long)

    @OptionGroup var index: IndexOptions

    @Option(
        help: ArgumentHelp("Write the picture into a folder instead of opening a window.", valueName: "folder"),
        completion: .directory)
    var saveFrames: String?

    @Flag(name: .shortAndLong, help: "Say what is done.")
    var verbose = false

    @Argument(help: ArgumentHelp("A moment, as 'find' prints it.", valueName: "moment"))
    var moment: String

    @Argument(help: ArgumentHelp("Box only these words.", valueName: "pattern"))
    var pattern: String?

    var isVerbose: Bool { verbose }

    func run() async throws {
        let store = try index.openForSearching()
        let name = try MomentName(moment) { (try? self.source(named: $0, in: store))?.isStill == true }
        let source = try source(named: name.source, in: store)
        guard let moment = try store.moment(of: source.id, at: name.time ?? .zero) else {
            let when = name.time.map {
                " at \(ClockTime.text($0)); it was read up to \(ClockTime.text(source.end))"
            }
            throw FramegrepError(.badArgument, "The index has nothing from \(redacted(name.source))\(when ?? "").")
        }
        let found = try sightings(in: moment)
        if saveFrames == nil, DisplayAvailability.current.isNone {
            throw FramegrepError(
                .badArgument, "There is no display to open a window on; --save-frames FOLDER writes the picture.")
        }
        let scratch = NSTemporaryDirectory() + "framegrep-show-\(UUID().uuidString)"
        let folder = try PictureFolder(saveFrames ?? scratch, by: "--save-frames", OutputPlan(of: self))
        defer { if saveFrames == nil { try? FileManager.default.removeItem(atPath: scratch) } }
        do { try await write(found, of: source, in: folder.path) } catch {
            folder.removeIfEmpty()
            throw error
        }
        let time = name.time == nil ? "" : ":\(ClockTime.text(moment.frame.start))"
        var last: Sighting?
        for sighting in found {
            defer { last = sighting }
            // A line is printed only once if the pattern occurs in it twice.
            if pattern != nil, let last, last.line == sighting.line,
                abs(last.peak.quad.center.y - sighting.peak.quad.center.y) < 0.5 * sighting.peak.quad.height
            {
                continue
            }
            try StandardOutput.print("\(redacted(name.source))\(time): \(Visible.text(sighting.line))")
        }
        if saveFrames == nil { try await StillWindow.show(pictureIn: scratch) }
    }

    /// Returns the recording that is meant; if the index has several readings, the most complete.
    private func source(named name: String, in store: TextIndex) throws -> IndexedSource {
        let real = (try? IndexedInputs.sourceName(of: name)) ?? nil
        let meant = [name, real].compactMap { $0.map(ExactName.init) }
        let known = try store.sources().filter { meant.contains(ExactName($0.name)) && $0.state != .failed }
        guard let source = known.max(by: { $0.end < $1.end }), source.state != .expired else {
            throw FramegrepError(
                .badArgument, "\(redacted(name)) is not in the index; 'framegrep index' with its name reads it.")
        }
        guard !source.isLive else {
            throw FramegrepError(
                .badArgument, "\(redacted(source.name)) was shown live: only its text was kept, and no picture.")
        }
        let reason: String
        switch source.lack {
        case .gone: reason = "is gone; the index knows only its text."
        case .unreachable: reason = "cannot be reached; the index knows only its text."
        case .changed: reason = "has changed since it was read; 'framegrep index' with its name reads it again."
        default: return source
        }
        throw FramegrepError(.sourceUnavailable, "\(redacted(source.name)) \(reason)")
    }

    /// Returns the boxes to draw: those of the pattern, or all lines.
    private func sightings(in moment: TextIndex.Moment) throws -> [Sighting] {
        func sighting(_ number: Int, text: String, line: String, quad: Quad, score: Double) -> Sighting {
            Sighting(
                id: number + 1, patternIndex: 0, pattern: pattern ?? "", text: text, line: line,
                start: moment.frame.start,
                end: moment.frame.end, score: score, peak: .init(time: moment.frame, quad: quad))
        }
        guard let pattern else {
            return moment.lines.enumerated().map {
                sighting($0, text: $1.text, line: $1.text, quad: $1.quad, score: $1.confidence)
            }
        }
        let matcher = try SearchMode(meaning: MeaningInstallation.source).matcher(for: [pattern])
        let found = matcher.matches(in: moment.lines).enumerated().map {
            sighting($0, text: $1.text, line: $1.line, quad: $1.quad, score: $1.score)
        }
        guard !found.isEmpty else {
            throw FramegrepError(
                .badArgument,
                "'\(pattern)' was not read there; without it all text is shown.")
        }
        return found
    }

    private func write(_ sightings: [Sighting], of source: IndexedSource, in folder: String) async throws {
        CrashRestart.blame(source.name, "There is no picture of it.")
        let opened = try await OpenedSource.open(try SourceURI(source.name), timeout: .seconds(20))
        var pictures = SightingPictures(folder: folder, source: source.name)
        pictures.areTogether = true
        let annotator = RecordingAnnotator(opened, recording: nil, pictures: pictures)
        guard !sightings.isEmpty else {
            throw FramegrepError(.badArgument, "There was no text at that moment, so there is nothing to show.")
        }
        let outcome = try await annotator.write(
            sightings, from: source.isStill ? nil : sightings[0].peak.time.start, until: sightings[0].end
        ) { _ in }
        if let failure = outcome.failure { throw failure }
        guard outcome.missingPictures == 0 else {
            throw FramegrepError(
                .sourceDamaged,
                "\(redacted(source.name)) does not bring the frame that was read; 'framegrep index' reads it again.")
        }
    }
}

/// A moment as results print it: `lobby.mp4:00:00:12.367-00:00:15.100: ← EXIT 12`, or only the beginning of that; for a
/// still `shot.png: EXIT 12`.
struct MomentName: Hashable {
    /// The recording as the user named it.
    let source: String
    /// The time; nil for a still.
    let time: StreamTime?

    /// - Parameter isStill: whether the index has a still of this name.
    /// - Throws: ``FramegrepError`` (`badArgument`) if the text is not a moment.
    init(_ text: String, isStill: (String) -> Bool) throws {
        // The longest name counts, because it may contain a colon and a space too.
        let names = [text] + text.ranges(of: ": ").reversed().map { String(text[..<$0.lowerBound]) }
        if let still = names.first(where: isStill) {
            (source, time) = (still, nil)
            return
        }
        // Use the last time that does not follow a dash: a file may be called 12:00:00.mp4.
        guard let found = text.firstMatch(of: /^(.+?):(\d+:\d\d:\d\d(?:\.\d+)?)(?:-\d+:\d\d:\d\d(?:\.\d+)?)?(?:: .*)?$/)
        else {
            guard text.firstMatch(of: /:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/) == nil else {
                throw FramegrepError(
                    .badArgument, "'\(text)' was shown live: only its text was kept, no picture.")
            }
            throw FramegrepError(
                .badArgument,
                "'\(text)' is not a moment; give one as 'framegrep find' prints it, such as 'lobby.mp4:00:00:12.367', or a still."
            )
        }
        guard let time = DurationArgument(argument: String(found.2))?.time else {
            throw FramegrepError(.badArgument, "\(found.2) is not a time; write it as 00:00:12.367.")
        }
        source = String(found.1)
        self.time = time
    }
}

/// A window with one picture, until it is closed.
enum StillWindow {
    private static let closingKeys: Set<String> = ["q", "Q", "Escape"]

    /// - Parameter folder: the folder that contains the picture (PNG).
    ///
    /// - Throws: ``FramegrepError`` if no window can be opened; ``Interruption``.
    static func show(pictureIn folder: String) async throws {
        guard let name = try? FileManager.default.contentsOfDirectory(atPath: folder).first else { return }
        let path = (folder + "/" + name).replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        let pipeline = try Pipeline(
            parsing: "filesrc location=\"\(path)\" ! pngdec ! imagefreeze ! videoconvertscale ! autovideosink")
        let work = Task {
            _ = try await pipeline.prepare()
            try await pipeline.play()
            for await message in pipeline.bus.messages {
                switch message {
                case .error(let report): throw report.error
                case .windowClosed, .endOfStream: return
                case .navigation(let event): if closes(event) { return }
                default: continue
                }
            }
        }
        let interrupts = Interrupts { _ in work.cancel() }
        let result = await work.result
        await pipeline.stop()
        if let signal = interrupts.signal { throw Interruption(signal: signal) }
        try result.get()
    }

    private static func closes(_ event: NavigationEvent) -> Bool {
        guard case .keyPress(let key) = event else { return false }
        return closingKeys.contains(key.name)
    }
}
