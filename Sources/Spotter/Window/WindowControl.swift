import Errors
import GStreamerMedia
import TextMatching
import TextSpotting

/// Follows the pipeline's messages: keys and clicks in the window, its closing, errors and the end.
struct WindowControl {
    let words: SearchedWords
    let window: WindowState
    let notices: PictureNotices
    let text: LatestText
    let trail: LiveTrail
    let turns: CameraTurns
    let closely: CloseReading
    let source: SourceState
    let history: SearchHistory?
    let life: JobLife
    let report: LiveReport

    /// Returns when the job is over: stopped, failed, or every sink has played to its end.
    ///
    /// - Parameter expectsEnd: the end of the stream still has to run through the window or the recording.
    func follow(_ pipeline: Pipeline, expectsEnd: Bool) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await end(pipeline, expectsEnd) }
            await obey(pipeline.bus)
            group.cancelAll()
        }
    }

    private func obey(_ bus: Bus) async {
        var prompt = SearchPrompt()
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
            case .pointer(.mouseButtonPress(button: 1, let x, let y)):
                pick(Point(x, y))
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
        case .leave: if window.showsHelp { toggleHelp() } else { life.end(.quit) }
        case .toggleFreeze: if !source.toggleFreeze() { closely.cancel() }
        case .toggleAllText: if window.toggleAllText() { notices.say("all text is outlined", for: .seconds(2)) }
        case .toggleHelp: toggleHelp()
        case .snapshot: window.requestSnapshot()
        case .camera(let knob, let turn): turns.turn(knob, turn)
        case .edit(let text): window.edit(text, offering: offered)
        case .search(let text): search(text)
        }
    }

    /// The searches to be offered: those made before, then those of the command line.
    private var recent: [String] {
        let earlier = history?.searches ?? []
        return earlier + words.texts.filter { !earlier.contains($0) }
    }

    private func toggleHelp() {
        window.toggleHelp(WindowKeys.help(readsClosely: closely.isPossible, knobs: turns.knobs))
    }

    /// Searches the word at a place in the picture.
    private func pick(_ point: Point) {
        guard let reading = text.reading, let shown = window.shown else { return }
        let picker = TextPicker(reading: reading, trail: trail)
        guard let word = picker.word(at: point, in: shown) else {
            return notices.say("no word was read here", for: .seconds(2))
        }
        search(word)
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
    private func end(_ pipeline: Pipeline, _ expectsEnd: Bool) async {
        await life.stopped()
        guard !Task.isCancelled else { return }
        pipeline.sendEndOfStream()
        let patience = expectsEnd ? Duration.seconds(10) : .milliseconds(200)
        guard (try? await Task.sleep(for: patience)) != nil else { return }
        pipeline.bus.finish()
    }
}
