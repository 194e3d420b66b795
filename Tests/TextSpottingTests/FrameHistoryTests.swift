import Testing
import TextSpotting

@Suite struct FrameHistoryTests {
    private func frame(_ index: Int, _ picture: Picture) -> FrameHistory.Frame {
        FrameHistory.Frame(time: frameTime(index), picture: picture)
    }

    /// The bytes that the trail's pictures really take.
    private func distinctBytes(_ frameHistory: FrameHistory) -> Int {
        var total = 0
        for (index, frame) in frameHistory.frames.enumerated() {
            let repeats = index > 0 && frameHistory.frames[index - 1].picture.sharesBytes(with: frame.picture)
            if !repeats { total += frame.picture.bytes.count }
        }
        return total
    }

    @Test func memoryIsBounded() {
        var frameHistory = FrameHistory(byteLimit: 100_000)
        for index in 0..<500 {
            frameHistory.append(frame(index, Sheet(100, 100, background: UInt8(index % 256)).picture))
            #expect(distinctBytes(frameHistory) <= 100_000)
            #expect(frameHistory.frames.last?.time.index == index)
        }
        #expect(frameHistory.frames.count >= 4)
    }

    @Test func onlyTheOldestAreForgotten() {
        var frameHistory = FrameHistory(byteLimit: 100_000)
        for index in 0..<300 {
            frameHistory.append(frame(index, Sheet(100, 100, background: UInt8(index % 256)).picture))
            #expect(frameHistory.frames.count == min(index + 1, 10))
        }
    }

    @Test func memoryIsBoundedAfterALongStillPictureToo() {
        var frameHistory = FrameHistory(byteLimit: 100_000)
        let still = Sheet(100, 100).picture
        for index in 0..<1000 { frameHistory.append(frame(index, still)) }
        for index in 1000..<1500 {
            frameHistory.append(frame(index, Sheet(100, 100, background: UInt8(index % 256)).picture))
            #expect(distinctBytes(frameHistory) <= 100_000)
        }
    }

    @Test func repeatsCostNothingButAreBoundedInNumber() {
        var frameHistory = FrameHistory(byteLimit: 20_000)
        let still = Sheet(100, 100).picture
        for index in 0..<10_000 {
            frameHistory.append(frame(index, still))
            #expect(frameHistory.frames.count <= 2048)
        }
        #expect(frameHistory.frames.count > 1000)
        #expect(frameHistory.frames.last?.time.index == 9999)
    }

    @Test func framesStayConsecutive() {
        var frameHistory = FrameHistory(byteLimit: 50_000)
        for index in 0..<300 {
            frameHistory.append(frame(index, Sheet(100, 100, background: UInt8(index % 256)).picture))
        }
        for (before, after) in zip(frameHistory.frames, frameHistory.frames.dropFirst()) {
            #expect(after.time.index == before.time.index + 1)
        }
    }

    @Test func beginsEmpty() {
        #expect(FrameHistory().isEmpty)
    }
}
