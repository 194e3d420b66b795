import Errors
import GStreamerMedia
import TextMatching
import TextSpotting

/// Handles the pipeline's messages: keys and clicks in the window, its closing, errors and the end.
struct WindowControl {
    /// Plays a recording; nil for any other source.
    let player: RecordingPlayer?
    /// Locates clicks; nil if only the pipeline knows where they are in the picture.
    let canvas: WindowCanvas?
    let pipeline: Pipeline
    /// The name of the source, for the title.
    let sourceName: String
    let session: LatestSession
    let window: WindowState
    let turns: CameraTurns
    let history: SearchHistory?
    /// Whether matches are hidden; typed text is not shown then either, because it could be what was hidden before.
    let hides: Bool
    /// The voice control; nil if there is no microphone.
    let voice: VoiceControl?
    let life: JobLife

    /// Returns when the job is over: stopped, failed, or every sink has played to its end.
    ///
    /// - Parameter expectsEnd: whether the end of the stream still has to pass through the window, or into files.
    func follow(expectsEnd: Bool) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await end(expectsEnd) }
            await obey(pipeline.bus)
            group.cancelAll()
        }
    }

    private func obey(_ bus: Bus) async {
        var prompt = SearchPrompt()
        voice?.begin(voiceActions)
        defer { voice?.end() }
        // A window that is too slow warns every second; reporting it once is enough.
        var warnings = Set<String>()
        for await message in bus.messages {
            switch message {
            case .error(let report):
                return life.end(.error, failure: report.error)
            case .windowClosed:
                return life.end(.quit)
            case .endOfStream:
                return life.end(.eos)
            case .navigation(.keyPress(let key)):
                act(on: prompt.press(key, recent: recent), offering: prompt.offered)
            case .pointer(.mouseButtonPress(button: 1, let x, let y)) where canvas == nil:
                pick(Point(x, y))
            case .navigation(.mouseButtonPress(button: 1, let x, let y)):
                click(Point(x, y))
            case .pointer(.mouseButtonPress(button: 3, let x, let y)) where canvas == nil:
                copyLine(at: Point(x, y))
            case .navigation(.mouseButtonPress(button: 3, let x, let y)):
                if let place = canvas?.place(ofClickAt: Point(x, y)) { copyLine(at: place) }
            case .warning(let warning):
                if warnings.count < 100, warnings.insert(warning.error.message).inserted {
                    session.report.warn(warning.error)
                }
            default:
                continue
            }
        }
    }

    private func act(on action: SearchPrompt.Action, offering offered: String?) {
        guard !hides || action.isForHiding else { return }
        switch action {
        case .none: return
        case .quit: life.end(.quit)
        case .close where voice?.isListening == true: voice?.cancel()
        case .close: if window.showsHelp { toggleHelp() } else { pipeline.setFullscreen(false) }
        case .voice(let command): voice?.obey(command, voiceActions)
        case .toggleFullscreen:
            if pipeline.setFullscreen(nil) == nil {
                session.notices.say("This window cannot cover the screen.", for: .seconds(2))
            }
        case .toggleFreeze: toggleFreeze()
        case .toggleAllText: if window.toggleAllText() { session.notices.say("all text is outlined", for: .seconds(2)) }
        case .toggleHelp: toggleHelp()
        case .snapshot: window.requestSnapshot()
        case .copy: copy(session.text.reading.flatMap { TextPicker.copied($0.lines) }, orSay: "no text was read yet")
        case .camera(let knob, let turn): turns.turn(knob, turn) { [player] in player?.pictureChanged() }
        case .play(let command): play(command)
        case .edit(let line): window.edit(line, offering: offered)
        case .search(let text): search(text)
        }
    }

    /// The actions that the user can request by voice.
    private var voiceActions: VoiceControl.Actions {
        VoiceControl.Actions(
            search: { text in search(text) },
            showAllText: { if !window.showsAllText { act(on: .toggleAllText, offering: nil) } },
            warn: { session.report.warn($0) })
    }

    /// The searches to offer: earlier ones, then those of the command line.
    private var recent: [String] {
        let earlier = history?.searches ?? []
        return earlier + session.words.texts.filter { !earlier.contains($0) }
    }

    private func toggleHelp() {
        window.toggleHelp(
            WindowKeys.help(
                readsClosely: player == nil && session.closely.isPossible, knobs: turns.knobs,
                // A still picture has no time to move through.
                isPlayer: player?.overlay != nil))
    }

    /// Sets the window's title to the searched words and the source.
    func showTitle() {
        pipeline.setWindowTitle(
            hides
                ? Self.title(hiding: session.words.matcher, in: sourceName)
                : Self.title(of: session.words.texts, in: sourceName))
    }

    /// Returns `hidden: pattern 1, :email · lobby.mp4 · framegrep`, without texts, because others can see titles too.
    static func title(hiding matcher: Matcher, in source: String) -> String {
        var names = matcher.namesWithoutText
        if let first = names.first { names[0] = "hidden: " + first }
        return title(of: names, in: source)
    }

    /// Returns `EXIT · lobby.mp4 · framegrep`.
    static func title(of words: [String], in source: String) -> String {
        let more = words.count > 3 ? ["+\(words.count - 3)"] : []
        let searched = (words.prefix(3).map { OverlayText.singleLine($0, limit: 30) } + more).joined(separator: ", ")
        let name = OverlayText.singleLine(source.split(separator: "/").last.map(String.init) ?? source, limit: 60)
        return [searched, name, "framegrep"].filter { !$0.isEmpty }.joined(separator: " · ")
    }

    /// Stops or resumes the picture; at a recording's end, starts it from its beginning.
    private func toggleFreeze() {
        if let player, player.isAtEnd {
            if session.source.isFrozen { _ = session.source.toggleFreeze() }
            return player.freeze(false)
        }
        let isFrozen = session.source.toggleFreeze()
        if !isFrozen { session.closely.cancel() }
        player?.freeze(isFrozen)
    }

    private func play(_ command: PlayerCommand) {
        guard let player, player.overlay != nil else {
            return session.notices.say("This source is not a recording, so you cannot go back in it.", for: .seconds(2))
        }
        if let notice = player.press(command) { session.notices.say(notice, for: .seconds(3)) }
    }

    /// Handles a click at a position in the window's own pixels: on the bar, or in the picture.
    private func click(_ point: Point) {
        if let time = canvas?.time(ofClickAt: point) { return play(.seek(time)) }
        if let place = canvas?.place(ofClickAt: point) { pick(place) }
    }

    /// Searches for the word at a position in the picture.
    private func pick(_ point: Point) {
        guard let reading = session.text.reading, let shown = window.shown else { return }
        let picker = TextPicker(reading: reading, frameHistory: session.frameHistory)
        guard let word = picker.word(at: point, in: shown) else {
            return session.notices.say("no word was read here", for: .seconds(2))
        }
        search(word)
    }

    /// Copies the line at a position in the picture to the clipboard.
    private func copyLine(at point: Point) {
        guard let reading = session.text.reading, let shown = window.shown else { return }
        copy(
            TextPicker(reading: reading, frameHistory: session.frameHistory).line(at: point, in: shown),
            orSay: "no line was read here")
    }

    private func copy(_ text: String?, orSay problem: String) {
        guard let text else { return session.notices.say(problem, for: .seconds(2)) }
        guard pipeline.copy(text) else { return session.notices.say("This window has no clipboard.", for: .seconds(2)) }
        let lines = text.split(separator: "\n").count
        session.notices.say(
            lines > 1 ? "copied \(lines) lines" : "copied: \(OverlayText.singleLine(text, limit: 60))", for: .seconds(2)
        )
    }

    private func search(_ text: String) {
        window.edit(nil, offering: nil)
        do {
            // The text may have been meant for another window, and text to hide must not be stored.
            if hides { return try session.words.add(text) }
            let before = session.words.texts
            session.words.replace(with: try session.words.matcher.manner.matcher(for: [text]))
            // The current search is offered too, but it need not be kept.
            for word in before { history?.remember(word) }
            history?.add(text)
        } catch let error as FramegrepError {
            session.notices.say(error.message, kind: .failure)
            session.report.warn(error)
        } catch {
            session.report.warn(FramegrepError(.badPattern, "'\(text)' cannot be searched for."))
        }
    }

    /// Ends the output: after the job was stopped, the recording has some time to be completed; then the bus is closed
    /// for good, and a file that is still incomplete is named.
    private func end(_ expectsEnd: Bool) async {
        await life.stopped()
        guard !Task.isCancelled else { return }
        pipeline.sendEndOfStream()
        let patience = expectsEnd ? Duration.seconds(10) : .milliseconds(200)
        guard (try? await Task.sleep(for: patience)) != nil else { return }
        if let path = pipeline.filePaths.written.first {
            life.end(
                .error,
                failure: FramegrepError(
                    .outputFailed,
                    "'\(path)' was not complete 10 seconds after the end and is cut off: it is written too slowly."))
        }
        pipeline.bus.finish()
    }
}

/// Finds the word under the pointer.
struct TextPicker {
    let reading: LatestText.Reading
    let frameHistory: LiveFrameHistory

    /// The distance from a word within which a click still selects it, in its heights.
    private static let reach = 0.35

    /// Returns the word at `point` of the frame at `time`; nil if none was read.
    ///
    /// - Parameter point: in pixels of the frame as stored.
    func word(at point: Point, in time: StreamTime) -> String? {
        let words = reading.lines.flatMap(\.words)
        // Text far away from the pointer cannot have moved there in the time of a reading.
        let near = words.sorted { distance($0.quad, point) < distance($1.quad, point) }.prefix(CarriedText.limit / 3)
        let carried = CarriedText(near.map { ($0.text, $0.quad) }, readAt: reading.time, to: time, frameHistory).quads
        let hit = near.enumerated().compactMap { index, word in
            carried[index].map { (word: word, quad: $0) }
        }.filter { $0.quad.grown(by: $0.quad.height * Self.reach).contains(point) }
            .min { distance($0.quad, point) < distance($1.quad, point) }
        return hit.flatMap { Self.searchable($0.word.text) }
    }

    /// Returns the line at `point`, found like words in ``word(at:in:)``.
    func line(at point: Point, in time: StreamTime) -> String? {
        let lines = reading.lines.sorted { away($0.quad, point) < away($1.quad, point) }.prefix(CarriedText.limit / 3)
        let carried = CarriedText(lines.map { ($0.text, $0.quad) }, readAt: reading.time, to: time, frameHistory).quads
        let hit = lines.enumerated().compactMap { index, line in
            carried[index].map { (line: line, quad: $0) }
        }.filter { $0.quad.grown(by: $0.quad.height * Self.reach).contains(point) }
            .min { away($0.quad, point) < away($1.quad, point) }
        return hit.flatMap { Self.copied([$0.line]) }
    }

    /// Returns the distance to a quad rather than to its middle, from which the end of a long line is far away.
    private func away(_ quad: Quad, _ point: Point) -> Double {
        let bounds = quad.bounds
        return max(0, bounds.minX - point.x, point.x - bounds.maxX) + abs(bounds.center.y - point.y)
    }

    /// Returns lines as copied to the clipboard, in reading order; nil if they are empty. They come from the picture,
    /// so they are sanitized: no invisible characters, no line breaks of their own, a limited length.
    static func copied(_ lines: [TextLine]) -> String? {
        let texts = lines.prefix(mostLines).map { OverlayText.singleLine($0.text, limit: longestLine) }
            .filter { !$0.isEmpty }
        return texts.isEmpty ? nil : texts.joined(separator: "\n")
    }

    private static let mostLines = 500
    private static let longestLine = 500

    private func distance(_ quad: Quad, _ point: Point) -> Double { (quad.center - point).length }

    /// Returns a word without the punctuation around it; nil if nothing else is left. The picture may come from an
    /// attacker, so the word is limited in length and has no invisible characters.
    static func searchable(_ text: String) -> String? {
        let safe = OverlayText.singleLine(text, limit: 80)
        let trimmed = safe.drop { !$0.isLetter && !$0.isNumber }
        let end = trimmed.lastIndex { $0.isLetter || $0.isNumber }
        return end.map { String(trimmed[...$0]) }
    }
}

extension Quad {
    /// Returns whether a point lies inside, in whichever order the corners are.
    fileprivate func contains(_ point: Point) -> Bool {
        let signs = corners.indices.map { index in
            let (a, b) = (corners[index], corners[(index + 1) % 4])
            return (b.x - a.x) * (point.y - a.y) - (b.y - a.y) * (point.x - a.x)
        }
        return signs.allSatisfy { $0 >= 0 } || signs.allSatisfy { $0 <= 0 }
    }
}

/// Text of one reading, followed through the pictures to a later frame.
///
/// A value, used by one thread at a time.
struct CarriedText {
    /// The largest number of texts that are followed, because each costs time.
    static let limit = 60

    private var follower: BoxFollower
    private var last: Int
    /// The geometry of the pictures that it is followed through; nil if there are none.
    private let geometry: FrameGeometry?

    /// - Parameters:
    ///   - texts: each with its quad in pixels of the frame as stored; results refer to them by index.
    ///   - time: the time of the frame that was read.
    ///   - end: the frame to follow it to.
    init(
        _ texts: [(text: String, quad: Quad)], readAt time: FrameTime, to end: StreamTime,
        _ frameHistory: LiveFrameHistory
    ) {
        let (frames, geometry) = frameHistory.frames(from: time.start, through: end)
        self.geometry = geometry
        var settings = BoxFollower.Settings()
        settings.limit = Self.limit
        settings.maximumAge = LiveFrameHistory.memory
        follower = BoxFollower(settings: settings, scale: geometry?.scale ?? 1)
        last = frames.last?.time.index ?? time.index
        for frame in frames { follower.advance(to: frame) }
        let matches = texts.prefix(Self.limit).enumerated().map { index, text in
            let match = Match(
                patternIndex: 0, pattern: "", text: text.text, line: text.text,
                quad: geometry?.part(text.quad) ?? text.quad, score: 1,
                characterRange: 0..<text.text.count)
            return (id: index, match: match)
        }
        follower.renew(with: matches, readAt: time)
    }

    /// The quads at the last frame, keyed by the index of their text, without lost ones.
    var quads: [Int: Quad] {
        Dictionary(follower.boxes.map { ($0.id, geometry?.frame($0.quad) ?? $0.quad) }, uniquingKeysWith: { $1 })
    }

    /// Follows the text to a later frame.
    mutating func advance(to end: StreamTime, _ frameHistory: LiveFrameHistory) {
        let (frames, geometry) = frameHistory.frames(after: last, upTo: end)
        guard geometry == self.geometry else { return }
        for frame in frames {
            follower.advance(to: frame)
            last = frame.time.index
        }
    }
}

/// The outlines of all text that is read, on a running picture. Used only by the display thread.
struct OtherText {
    private var carried: (text: CarriedText, readAt: FrameTime, count: Int)?

    /// Returns the places of the text of the latest reading in the frame at `time`.
    mutating func quads(of reading: LatestText.Reading?, at time: StreamTime, _ frameHistory: LiveFrameHistory)
        -> [Quad]
    {
        guard let reading else {
            carried = nil
            return []
        }
        if carried?.readAt == reading.time, carried?.count == reading.lines.count {
            carried?.text.advance(to: time, frameHistory)
        } else {
            let text = CarriedText(
                reading.lines.map { ($0.text, $0.quad) }, readAt: reading.time, to: time, frameHistory)
            carried = (text, reading.time, reading.lines.count)
        }
        return carried.map { Array($0.text.quads.values) } ?? []
    }
}
