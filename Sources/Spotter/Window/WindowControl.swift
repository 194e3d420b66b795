import Errors
import GStreamerMedia
import TextMatching
import TextSpotting

/// Follows the pipeline's messages: keys and clicks in the window, its closing, errors and the end.
struct WindowControl {
    /// Plays a recording; nil for any other source.
    let player: RecordingPlayer?
    /// Where clicks are looked up; nil if only the pipeline knows where they are in the picture.
    let canvas: WindowCanvas?
    let pipeline: Pipeline
    /// For the title.
    let sourceName: String
    let words: SearchedWords
    let window: WindowState
    let notices: PictureNotices
    let text: LatestText
    let frameHistory: LiveFrameHistory
    let turns: CameraTurns
    let closely: CloseReading
    let source: SourceState
    let history: SearchHistory?
    /// Nil where nobody can be listened to.
    let voice: VoiceControl?
    let life: JobLife
    let report: LiveReport

    /// Returns when the job is over: stopped, failed, or every sink has played to its end.
    ///
    /// - Parameter expectsEnd: the end of the stream still has to run through the window or the recording.
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
        // A window that is too slow warns every second; once says it.
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
                if warnings.count < 100, warnings.insert(warning.error.message).inserted { report.warn(warning.error) }
            default:
                continue
            }
        }
    }

    private func act(on action: SearchPrompt.Action, offering offered: String?) {
        switch action {
        case .none: return
        case .quit: life.end(.quit)
        case .close where voice?.isListening == true: voice?.cancel()
        case .close: if window.showsHelp { toggleHelp() } else { pipeline.setFullscreen(false) }
        case .voice(let command): voice?.obey(command, voiceActions)
        case .toggleFullscreen:
            if pipeline.setFullscreen(nil) == nil {
                notices.say("This window cannot cover the screen.", for: .seconds(2))
            }
        case .toggleFreeze: toggleFreeze()
        case .toggleAllText: if window.toggleAllText() { notices.say("all text is outlined", for: .seconds(2)) }
        case .toggleHelp: toggleHelp()
        case .snapshot: window.requestSnapshot()
        case .copy: copy(text.reading.flatMap { TextPicker.copied($0.lines) }, orSay: "no text was read yet")
        case .camera(let knob, let turn): turns.turn(knob, turn) { [player] in player?.pictureChanged() }
        case .play(let command): play(command)
        case .edit(let line): window.edit(line, offering: offered)
        case .search(let text): search(text)
        }
    }

    /// What a person can do by saying it.
    private var voiceActions: VoiceControl.Actions {
        VoiceControl.Actions(
            search: { text in search(text) },
            showAllText: { if !window.showsAllText { act(on: .toggleAllText, offering: nil) } },
            warn: { report.warn($0) })
    }

    /// The searches to be offered: those made before, then those of the command line.
    private var recent: [String] {
        let earlier = history?.searches ?? []
        return earlier + words.texts.filter { !earlier.contains($0) }
    }

    private func toggleHelp() {
        window.toggleHelp(
            WindowKeys.help(
                readsClosely: player == nil && closely.isPossible, knobs: turns.knobs,
                // A still picture has no time in which to go anywhere.
                isPlayer: player?.overlay != nil))
    }

    /// Sets the window's title to the searched words and the source.
    func showTitle() {
        pipeline.setWindowTitle(Self.title(of: words.texts, in: sourceName))
    }

    /// `EXIT · lobby.mp4 · framegrep`.
    static func title(of words: [String], in source: String) -> String {
        let more = words.count > 3 ? ["+\(words.count - 3)"] : []
        let searched = (words.prefix(3).map { OverlayText.singleLine($0, limit: 30) } + more).joined(separator: ", ")
        let name = OverlayText.singleLine(source.split(separator: "/").last.map(String.init) ?? source, limit: 60)
        return [searched, name, "framegrep"].filter { !$0.isEmpty }.joined(separator: " · ")
    }

    /// Stops the picture, or lets it go on; at a recording's end from its beginning.
    private func toggleFreeze() {
        if let player, player.isAtEnd {
            if source.isFrozen { _ = source.toggleFreeze() }
            return player.freeze(false)
        }
        let isFrozen = source.toggleFreeze()
        if !isFrozen { closely.cancel() }
        player?.freeze(isFrozen)
    }

    private func play(_ command: PlayerCommand) {
        guard let player, player.overlay != nil else {
            return notices.say("This source is no recording: one cannot go back in it.", for: .seconds(2))
        }
        if let notice = player.press(command) { notices.say(notice, for: .seconds(3)) }
    }

    /// A click at a place in the window's own pixels: on the bar, or in the picture.
    private func click(_ point: Point) {
        if let time = canvas?.time(ofClickAt: point) { return play(.seek(time)) }
        if let place = canvas?.place(ofClickAt: point) { pick(place) }
    }

    /// Searches the word at a place in the picture.
    private func pick(_ point: Point) {
        guard let reading = text.reading, let shown = window.shown else { return }
        let picker = TextPicker(reading: reading, frameHistory: frameHistory)
        guard let word = picker.word(at: point, in: shown) else {
            return notices.say("no word was read here", for: .seconds(2))
        }
        search(word)
    }

    /// Puts the line at a place in the picture on the clipboard.
    private func copyLine(at point: Point) {
        guard let reading = text.reading, let shown = window.shown else { return }
        copy(
            TextPicker(reading: reading, frameHistory: frameHistory).line(at: point, in: shown),
            orSay: "no line was read here")
    }

    private func copy(_ text: String?, orSay problem: String) {
        guard let text else { return notices.say(problem, for: .seconds(2)) }
        guard pipeline.copy(text) else { return notices.say("This window has no clipboard.", for: .seconds(2)) }
        let lines = text.split(separator: "\n").count
        notices.say(
            lines > 1 ? "copied \(lines) lines" : "copied: \(OverlayText.singleLine(text, limit: 60))", for: .seconds(2)
        )
    }

    private func search(_ text: String) {
        window.edit(nil, offering: nil)
        do {
            let before = words.texts
            words.replace(with: try words.matcher.manner.matcher(for: [text]))
            // What was searched for until now is offered too, but it need not be kept.
            for word in before { history?.remember(word) }
            history?.add(text)
        } catch let error as FramegrepError {
            notices.say(error.message, kind: .failure)
            report.warn(error)
        } catch {
            report.warn(FramegrepError(.badPattern, "'\(text)' cannot be searched for."))
        }
    }

    /// After the job was stopped, the recording has a while to be completed; then the bus is closed for good.
    private func end(_ expectsEnd: Bool) async {
        await life.stopped()
        guard !Task.isCancelled else { return }
        pipeline.sendEndOfStream()
        let patience = expectsEnd ? Duration.seconds(10) : .milliseconds(200)
        guard (try? await Task.sleep(for: patience)) != nil else { return }
        pipeline.bus.finish()
    }
}
