import Foundation
import Testing

@testable import TextSpotting

@Suite struct PlanarMotionTests {
    @Test func noStepsGiveNoMotion() {
        #expect(PlanarMotion(fitting: []) == nil)
    }

    @Test func aThirdOfWrongStepsDoesNotDisturb() throws {
        let truth = PlanarMotion(xAxis: Point(1.1, 0.2), yAxis: Point(-0.15, 0.95), shift: Point(12, -7))
        let steps = (0..<60).map { index -> PlanarMotion.Step in
            let from = Point(Double(index * 37 % 200), Double(index * 53 % 150))
            let wrong = index % 3 == 0 ? Point(Double(index), 40) : Point(0, 0)
            return PlanarMotion.Step(from: from, to: truth.apply(from) + wrong)
        }
        let motion = try #require(PlanarMotion(fitting: steps, tolerance: 8))
        for corner in [Point(0, 0), Point(200, 0), Point(200, 150), Point(0, 150)] {
            #expect((motion.apply(corner) - truth.apply(corner)).length < 3)
        }
    }

    @Test func twoStepsGiveTheirShift() {
        let steps = [
            PlanarMotion.Step(from: Point(0, 0), to: Point(5, 5)),
            PlanarMotion.Step(from: Point(1, 0), to: Point(6, 5)),
        ]
        #expect(PlanarMotion(fitting: steps)?.apply(Point(100, 100)) == Point(105, 105))
    }

    @Test func oneAfterTheOther() {
        let turn = PlanarMotion(xAxis: Point(0, 1), yAxis: Point(-1, 0), shift: Point(3, 0))
        let grow = PlanarMotion(xAxis: Point(2, 0), yAxis: Point(0, 2), shift: Point(0, 5))
        let both = grow.after(turn)
        #expect(both.apply(Point(7, 11)) == grow.apply(turn.apply(Point(7, 11))))
        #expect(both.growth == 4)
    }

    /// A word whose pixels went where `motion` says; nearest neighbors, as in a camera without a filter.
    private func word(_ backwards: PlanarMotion) -> Picture {
        let source = Picture.showing("EXIT", at: 120)
        var result = source
        for y in 0..<source.height {
            for x in 0..<source.width {
                let from = backwards.apply(Point(Double(x) + 0.5, Double(y) + 0.5))
                let inside = from.x >= 0 && from.y >= 0 && Int(from.x) < source.width && Int(from.y) < source.height
                result.bytes[y * source.width + x] =
                    inside ? source.bytes[Int(from.y) * source.width + Int(from.x)] : 40
            }
        }
        return result
    }

    /// Growing (and turning) about the word's middle.
    private func about(_ scale: Double, _ degrees: Double) -> PlanarMotion {
        let center = Sheet.quad(of: "EXIT", at: 120, 30).center
        let (c, s) = (scale * cos(degrees * .pi / 180), scale * sin(degrees * .pi / 180))
        let turned = PlanarMotion(xAxis: Point(c, s), yAxis: Point(-s, c), shift: Point(0, 0))
        return PlanarMotion(xAxis: turned.xAxis, yAxis: turned.yAxis, shift: center - turned.apply(center))
    }

    @Test(arguments: [(1.02, 0.0), (0.985, 0), (1, 1.5), (1.015, -1)])
    func boxesFollowWordsThatGrowAndTurn(growth: Double, degrees: Double) throws {
        var follower = BoxFollower(scale: 1)
        let quad = Sheet.quad(of: "EXIT", at: 120, 30)
        for index in 0...15 {
            let scale = pow(growth, Double(index))
            let picture = word(about(1 / scale, -degrees * Double(index)))
            follower.advance(to: FrameHistory.Frame(time: frameTime(index), picture: picture))
            if index == 0 { follower.renew(with: [(1, .of("EXIT", quad))], readAt: frameTime(0)) }
            let box = try #require(follower.boxes.first, "lost in frame \(index)")
            let truth = quad.mapped(about(scale, degrees * Double(index)).apply)
            for (corner, expected) in zip(box.quad.corners, truth.corners) {
                #expect((corner - expected).length < 4, "frame \(index)")
            }
        }
    }
}
