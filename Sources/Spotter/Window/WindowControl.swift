import Errors
import GStreamerMedia
import TextMatching
import TextSpotting

/// Follows the pipeline's messages: keys and clicks in the window, its closing, errors and the end.
struct WindowControl {
    let session: LiveSession
    let words: SearchedWords

    /// Returns when the job is over: stopped, failed, or every sink has played to its end.
    ///
    /// - Parameter expectsEnd: the end of the stream still has to run through the window or the recording.
    func follow(_ pipeline: Pipeline, expectsEnd: Bool) async {
        var prompt = SearchPrompt()
        // A window that is too slow warns every second; once says it.
        var warnings = Set<String>()
        // Whoever stops the job cannot wake the bus, so it is looked at from time to time.
        let watchdog = Task { await stopWhenOver(pipeline, expectsEnd) }
        defer { watchdog.cancel() }
        for await message in pipeline.bus.messages {
            switch message {
            case .error(let report):
                return session.end(.error, failure: report.error)
            case .windowClosed:
                return session.end(.quit)
            case .endOfStream:
                return session.end(.eos)
            case .navigation(.keyPress(let key)):
                act(on: prompt.press(key, recent: recent), offering: prompt.offered)
            case .pointer(.mouseButtonPress(button: 1, let x, let y)):
                pick(Point(x, y))
            case .warning(let report):
                if warnings.count < 100, warnings.insert(report.error.message).inserted { session.warn(report.error) }
            default:
                continue
            }
        }
    }

    private func act(on action: SearchPrompt.Action, offering offered: String?) {
        let window = session.window
        switch action {
        case .none: return
        case .quit: session.end(.quit)
        case .leave: if window.showsHelp { toggleHelp() } else { session.end(.quit) }
        case .toggleFreeze: session.toggleFreeze()
        case .toggleAllText: if window.toggleAllText() { window.say("all text is outlined", for: .seconds(2)) }
        case .toggleHelp: toggleHelp()
        case .snapshot: window.requestSnapshot()
        case .camera(let knob, let turn): session.turn(knob, turn)
        case .edit(let text): window.edit(text, offering: offered)
        case .search(let text): search(text)
        }
    }

    /// The searches to be offered: those made before, then those of the command line.
    private var recent: [String] {
        let earlier = session.settings.history?.searches ?? []
        return earlier + words.texts.filter { !earlier.contains($0) }
    }

    private func toggleHelp() {
        session.window.toggleHelp(
            WindowKeys.help(readsClosely: session.closely.isPossible, knobs: session.camera?.knobs ?? []))
    }

    /// Searches the word at a place in the picture.
    private func pick(_ point: Point) {
        guard let reading = session.window.reading, let shown = session.window.shown else { return }
        let picker = TextPicker(reading: reading, trail: session.trail)
        guard let word = picker.word(at: point, in: shown) else {
            return session.window.say("no word was read here", for: .seconds(2))
        }
        search(word)
    }

    private func search(_ text: String) {
        session.window.edit(nil, offering: nil)
        do {
            let before = words.texts
            words.replace(with: try words.matcher.manner.matcher(for: [text]))
            // What was searched for until now is offered too, but it need not be kept.
            for word in before { session.settings.history?.remember(word) }
            session.settings.history?.add(text)
        } catch let error as FramegrepError {
            session.window.say(error.message, kind: .failure)
            session.warn(error)
        } catch {
            session.warn(FramegrepError(.badPattern, "'\(text)' cannot be searched for."))
        }
    }

    /// After the job was stopped, the recording has a while to be completed; then the bus is closed for good.
    private func stopWhenOver(_ pipeline: Pipeline, _ expectsEnd: Bool) async {
        while !session.isStopping {
            guard (try? await Task.sleep(for: .milliseconds(50))) != nil else { return }
        }
        pipeline.sendEndOfStream()
        let patience = expectsEnd ? Duration.seconds(10) : .milliseconds(200)
        guard (try? await Task.sleep(for: patience)) != nil else { return }
        pipeline.bus.finish()
    }
}
