import GStreamerMedia
import TextSpotting

/// Follows the pipeline's messages: keys pressed in the window, its closing, errors and the end.
struct WindowControl {
    let session: LiveSession
    let words: SearchedWords

    /// Returns when the job is over: stopped, failed, or every sink has played to its end.
    ///
    /// - Parameter expectsEnd: the end of the stream still has to run through the window or the recording.
    func follow(_ pipeline: Pipeline, expectsEnd: Bool) async {
        var prompt = SearchPrompt()
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
                act(on: prompt.press(key))
            case .warning(let report):
                session.warn(report.error)
            default:
                continue
            }
        }
    }

    private func act(on action: SearchPrompt.Action) {
        switch action {
        case .none: return
        case .quit: session.end(.quit)
        case .toggleFreeze: session.toggleFreeze()
        case .edit(let text): session.edit(text)
        case .search(let text):
            session.edit(nil)
            do {
                words.replace(with: try words.matcher.manner.matcher(for: [text]))
            } catch let error as FramegrepError {
                session.warn(error)
            } catch {
                session.warn(FramegrepError(.badPattern, "'\(text)' cannot be searched for."))
            }
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
