import Testing
import TextSpotting

@testable import Spotter

@Suite struct SoundSpliceTests {
    private func time(_ seconds: Double) -> StreamTime { StreamTime(seconds: seconds) }
    private func sound(_ seconds: Double) -> [UInt8] { [UInt8](repeating: 7, count: Int(48_000 * seconds) * 4) }

    /// Returns where each piece begins and ends, and whether it is silence.
    private func told(_ pieces: [SoundSplice.Piece]) -> [String] {
        pieces.map {
            let kind = $0.bytes.first == 0 ? "silence" : "sound"
            let end = ($0.time + $0.duration).seconds
            return "\(kind) \((1000 * $0.time.seconds).rounded() / 1000)-\((1000 * end).rounded() / 1000)"
        }
    }

    @Test func beforeThePictureThereIsNone() {
        var splice = SoundSplice()
        #expect(splice.add(sound(0.1), at: .zero).isEmpty && splice.fill(to: time(1)).isEmpty && splice.time == nil)
        splice.begin(at: time(0.5))
        splice.begin(at: time(0.9))
        // Sound before the first frame is cut off.
        #expect(splice.add(sound(0.3), at: .zero).isEmpty)
        #expect(told(splice.add(sound(0.4), at: time(0.3))) == ["sound 0.5-0.7"])
    }

    @Test func piecesFollowOneAnother() {
        var splice = SoundSplice()
        splice.begin(at: .zero)
        #expect(told(splice.add(sound(0.1), at: .zero)) == ["sound 0.0-0.1"])
        // Rounded times cause no gap.
        #expect(told(splice.add(sound(0.1), at: time(0.112))) == ["sound 0.1-0.2"])
        #expect(told(splice.add(sound(0.1), at: time(0.188))) == ["sound 0.2-0.3"])
    }

    @Test func aGapIsSilence() {
        var splice = SoundSplice()
        splice.begin(at: .zero)
        #expect(told(splice.add(sound(0.1), at: time(0.8))) == ["silence 0.0-0.5", "silence 0.5-0.8", "sound 0.8-0.9"])
        #expect(told(splice.fill(to: time(1))) == ["silence 0.9-1.0"])
        #expect(splice.fill(to: time(1)).isEmpty)
    }

    @Test func nothingIsHeardTwice() {
        var splice = SoundSplice()
        splice.begin(at: .zero)
        _ = splice.add(sound(1), at: .zero)
        #expect(told(splice.add(sound(0.4), at: time(0.8))) == ["sound 1.0-1.2"])
        #expect(splice.add(sound(0.2), at: time(0.5)).isEmpty)
        #expect(splice.add([1, 2], at: time(1.2)).isEmpty)
    }
}
