import Errors
import Speech
import Synchronization
import TextMatching
import TextSpotting

/// The voice commands of a user.
enum VoiceCommand: Sendable, Hashable {
    /// Listens for one utterance; if it is already listening, stops.
    case listen
    /// Keeps listening: each utterance is the next search.
    case keepListening
    /// Selects another of the heard texts, counted from 1.
    case take(Int)
}

/// Lets the user say what to search for. Thread-safe; one task at a time listens.
final class VoiceControl: Sendable {
    private struct State {
        var task: Task<Void, Never>?
        /// The number of the current listening, so that an abandoned one has no further effect.
        var number = 0
        var isListening = false
        /// The texts that may have been said last; the first is the one searched for.
        var choices: [String] = []
        /// The lines that were read, newest last.
        var lines: [String] = []
        var known: Set<String> = []
        var isOver = false
    }

    /// The largest number of lines that are remembered.
    private static let mostLines = 5000
    private static let bars = Array("▁▂▃▄▅▆▇█")

    private let voice: LiveVoice
    private let text: LatestText
    private let notices: PictureNotices
    private let state = Mutex(State())

    init(_ voice: LiveVoice, _ text: LatestText, _ notices: PictureNotices) {
        (self.voice, self.text, self.notices) = (voice, text, notices)
    }

    /// The actions by which the window carries out what was heard.
    struct Actions: Sendable {
        let search: @Sendable (String) -> Void
        let showAllText: @Sendable () -> Void
        let warn: @Sendable (FramegrepError) -> Void
    }

    var isListening: Bool { state.withLock { $0.isListening } }

    /// Records that the job runs.
    func begin(_ actions: Actions) { if voice.beginsListening { obey(.listen, actions) } }

    func obey(_ command: VoiceCommand, _ actions: Actions) {
        switch command {
        case .listen: isListening ? cancel() : listen(keepsOn: false, actions)
        case .keepListening: isListening ? cancel() : listen(keepsOn: true, actions)
        case .take(let number):
            let choice = state.withLock { $0.choices.indices.contains(number - 1) ? $0.choices[number - 1] : nil }
            guard let choice else { return }
            notices.say(OverlayText.singleLine(choice, limit: 60), for: .seconds(2))
            actions.search(choice)
        }
    }

    /// Stops listening.
    func cancel() {
        let task = state.withLock { state in
            state.number += 1
            state.isListening = false
            return state.task.take()
        }
        task?.cancel()
        notices.begin(nil)
    }

    /// Records that the job is over.
    func end() {
        state.withLock { $0.isOver = true }
        cancel()
    }

    /// Remembers lines that were read.
    func note(_ lines: [TextTrack]) {
        state.withLock { state in
            for line in lines.map(\.line.text) where state.known.insert(line).inserted { state.lines.append(line) }
            let spare = state.lines.count - Self.mostLines
            guard spare > Self.mostLines / 10 else { return }
            for line in state.lines.prefix(spare) { state.known.remove(line) }
            state.lines.removeFirst(spare)
        }
    }

    private func listen(keepsOn: Bool, _ actions: Actions) {
        let number: Int? = state.withLock { state in
            guard !state.isOver else { return nil }
            state.number += 1
            state.isListening = true
            return state.number
        }
        guard let number else { return }
        notices.begin("listening …")
        let task = Task { await self.run(number, keepsOn: keepsOn, actions) }
        state.withLock { if $0.number == number { $0.task = task } else { task.cancel() } }
    }

    private func isWanted(_ number: Int) -> Bool { state.withLock { $0.number == number && $0.isListening } }

    private func run(_ number: Int, keepsOn: Bool, _ actions: Actions) async {
        var goesOn = true
        while goesOn, isWanted(number) {
            do {
                let heard = try await voice.ear.listen(
                    among: { [self] in vocabulary },
                    level: { [self] level in show(level, number) },
                    ended: { [self] in if isWanted(number) { notices.begin("understanding …") } },
                    while: { [self] in isWanted(number) })
                guard isWanted(number) else { return }
                goesOn = take(heard, keepsOn: keepsOn, actions) && keepsOn && !voice.ear.isRecording
            } catch let error as FramegrepError {
                guard isWanted(number) else { return }
                notices.say(error.message, kind: .failure)
                actions.warn(error)
                goesOn = false
            } catch {
                goesOn = false
            }
        }
        let wasLast = state.withLock { state in
            guard state.number == number else { return false }
            state.isListening = false
            return true
        }
        if wasLast { notices.begin(nil) }
    }

    private func show(_ level: Float, _ number: Int) {
        guard isWanted(number) else { return }
        notices.begin("listening \(Self.bars[min(Self.bars.count - 1, Int(level * Float(Self.bars.count)))])")
    }

    /// Carries out what was said; returns false if that was to stop.
    private func take(_ heard: VoiceEar.Heard, keepsOn: Bool, _ actions: Actions) -> Bool {
        switch heard {
        case .silence:
            if !keepsOn { notices.say("nothing was heard", for: .seconds(3)) }
            return true
        case .noEnd:
            notices.say("no word could be told apart", for: .seconds(3))
            return true
        case .search(let search):
            if keepsOn, search?.heard == "stop" { return false }
            if keepsOn, search?.heard == "all" {
                actions.showAllText()
                return true
            }
            guard let search else {
                notices.say("no word was understood", for: .seconds(3))
                return true
            }
            let choices = [search.text] + search.others
            state.withLock { $0.choices = choices }
            let others = choices.dropFirst().prefix(3).enumerated().map { " · \($0.offset + 2) \($0.element)" }.joined()
            notices.say(OverlayText.singleLine(search.sentence + others, limit: 120), for: .seconds(8))
            actions.search(search.text)
            return true
        }
    }

    /// The lines in view, those read before, and others.
    private var vocabulary: [String] {
        let inView = text.reading?.lines.map(\.text) ?? []
        return inView + state.withLock { $0.lines }.reversed() + voice.otherLines()
    }
}
