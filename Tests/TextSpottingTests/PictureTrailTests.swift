import Testing
import TextSpotting

@Suite struct PictureTrailTests {
    private func frame(_ index: Int, _ picture: Picture) -> PictureTrail.Frame {
        PictureTrail.Frame(time: frameTime(index), picture: picture)
    }

    /// The bytes that the trail's pictures really take.
    private func distinctBytes(_ trail: PictureTrail) -> Int {
        var total = 0
        for (index, frame) in trail.frames.enumerated() {
            let repeats = index > 0 && trail.frames[index - 1].picture.sharesBytes(with: frame.picture)
            if !repeats { total += frame.picture.bytes.count }
        }
        return total
    }

    @Test func memoryIsBounded() {
        var trail = PictureTrail(byteLimit: 100_000)
        for index in 0..<500 {
            trail.append(frame(index, Sheet(100, 100, background: UInt8(index % 256)).picture))
            #expect(distinctBytes(trail) <= 100_000)
            #expect(trail.frames.last?.time.index == index)
        }
        #expect(trail.frames.count >= 4)
    }

    @Test func onlyTheOldestAreForgotten() {
        var trail = PictureTrail(byteLimit: 100_000)
        for index in 0..<300 {
            trail.append(frame(index, Sheet(100, 100, background: UInt8(index % 256)).picture))
            #expect(trail.frames.count == min(index + 1, 10))
        }
    }

    @Test func memoryIsBoundedAfterALongStillPictureToo() {
        var trail = PictureTrail(byteLimit: 100_000)
        let still = Sheet(100, 100).picture
        for index in 0..<1000 { trail.append(frame(index, still)) }
        for index in 1000..<1500 {
            trail.append(frame(index, Sheet(100, 100, background: UInt8(index % 256)).picture))
            #expect(distinctBytes(trail) <= 100_000)
        }
    }

    @Test func repeatsCostNothingButAreBoundedInNumber() {
        var trail = PictureTrail(byteLimit: 20_000)
        let still = Sheet(100, 100).picture
        for index in 0..<10_000 {
            trail.append(frame(index, still))
            #expect(trail.frames.count <= 2048)
        }
        #expect(trail.frames.count > 1000)
        #expect(trail.frames.last?.time.index == 9999)
    }

    @Test func framesStayConsecutive() {
        var trail = PictureTrail(byteLimit: 50_000)
        for index in 0..<300 { trail.append(frame(index, Sheet(100, 100, background: UInt8(index % 256)).picture)) }
        for (before, after) in zip(trail.frames, trail.frames.dropFirst()) {
            #expect(after.time.index == before.time.index + 1)
        }
    }

    @Test func beginsEmpty() {
        #expect(PictureTrail().isEmpty)
    }
}
