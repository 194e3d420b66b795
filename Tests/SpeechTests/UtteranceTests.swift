import Testing

@testable import Speech

struct UtteranceTests {
    private static let rate = Utterance.rate

    /// Sound that comes and goes four times a second, as syllables do.
    private func speech(_ seconds: Double, power: Float = 0.2) -> [Float] {
        (0..<Int(seconds * Double(Self.rate))).map { index in
            let time = Float(index) / Float(Self.rate)
            let phase = time * 4 - (time * 4).rounded(.down)
            let tone = (index / 40) % 2 == 0 ? Float(1) : -1
            return phase < 0.7 ? power * tone : 0
        }
    }

    private func silence(_ seconds: Double) -> [Float] {
        [Float](repeating: 0, count: Int(seconds * Double(Self.rate)))
    }

    /// Even noise, the same each time.
    private func noise(_ seconds: Double, _ power: Float) -> [Float] {
        var seed: UInt32 = 7
        return (0..<Int(seconds * Double(Self.rate))).map { _ in
            seed = seed &* 1_664_525 &+ 1_013_904_223
            return power * (Float(seed >> 8) / Float(1 << 23) - 1)
        }
    }

    private func state(_ samples: [Float], piece: Int = 1000) -> Utterance {
        var utterance = Utterance()
        for start in stride(from: 0, to: samples.count, by: piece) {
            utterance.take(samples[start..<min(samples.count, start + piece)])
        }
        return utterance
    }

    @Test func anUtteranceEndsWithAPause() {
        let utterance = state(silence(1) + speech(1) + silence(1))
        #expect(utterance.state == .ended)
        let seconds = Double(utterance.speech.count) / Double(Self.rate)
        #expect(seconds > 1 && seconds < 2, "with some of the time around it, not all: \(seconds)")
    }

    @Test(arguments: [1, 37, 320, 16_000]) func theSizeOfThePiecesDoesNotMatter(_ piece: Int) {
        let samples = silence(0.5) + speech(1.2) + silence(0.8)
        #expect(state(samples, piece: piece).speech == state(samples, piece: 5000).speech)
    }

    @Test func itIsHeardOverNoise() {
        let samples = silence(0.5) + speech(1) + silence(1.5)
        let noisy = zip(samples, noise(3, 0.03)).map { $0 + $1 }
        #expect(state(noisy).state == .ended)
    }

    @Test func silenceNoiseAndAClickAreNone() {
        var click = silence(3)
        for index in 20_000..<20_400 { click[index] = 0.9 }
        for samples in [silence(5), noise(5, 0.05), noise(5, 0.0005), click] {
            var utterance = state(samples)
            #expect(utterance.state == .waiting)
            utterance.finish()
            #expect(utterance.speech.isEmpty)
        }
    }

    @Test func whatNeverPausesIsNone() {
        let utterance = state(silence(0.5) + speech(20))
        #expect(utterance.state == .endless)
        #expect(utterance.speech.isEmpty)
    }

    @Test func aRecordingMayEndWithTheWord() {
        var utterance = state(speech(0.8))
        #expect(utterance.state == .speaking)
        utterance.finish()
        #expect(utterance.state == .ended && !utterance.speech.isEmpty)
    }

    @Test func longWaitingTakesNoMemory() {
        var utterance = Utterance()
        for _ in 0..<60 { utterance.take(silence(1)) }
        #expect(utterance.state == .waiting)
        utterance.take(speech(1) + silence(1))
        #expect(utterance.state == .ended && utterance.speech.count < 3 * Self.rate)
    }

    @Test func theLevelFollowsTheSound() {
        #expect(state(silence(0.1)).level == 0)
        let soft = state(noise(0.1, 0.01)).level
        let loud = state(noise(0.1, 0.5)).level
        #expect(soft > 0 && loud > soft && loud <= 1)
    }

    @Test func aQuestionIsReadAsItWasWritten() {
        let question = SpeechQuestion(samples: [0.5, -0.25], lines: ["EXIT", "Notausgang ↑"])
        let ends = Pipe()
        ends.write(question.bytes)
        let read = SpeechQuestion(reading: ends.descriptor)
        #expect(read.samples == question.samples && read.lines == question.lines)
        let hearing = SpeechHearing(
            text: "exit", own: -1.5, candidates: [.init(text: "EXIT\t1", distance: 0.25, score: -2)])
        let again = SpeechHearing(hearing.bytes)
        #expect(
            again?.text == "exit" && again?.candidates.first?.text == "EXIT\t1" && again?.candidates.first?.score == -2)
    }

    @Test func marksOfASentenceAreNotSearchedFor() { #expect(SpeechProcess.plain("Cable ties.") == "cable ties") }
}
