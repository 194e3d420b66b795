public import Errors
import OverlayDrawing
import TextSpotting

extension ClipTruth {
    /// Computes the truth of `scene` from the fonts' outlines and the scene's motions: nothing is drawn for it.
    /// - Throws: `FramegrepError` (`outputFailed`) when Cairo cannot make a surface.
    public init(of scene: ClipScene) throws(FramegrepError) {
        let canvas = try Canvas(width: 1, height: 1)
        let measured = scene.texts.map { MeasuredText($0, by: canvas) }
        var places = scene.texts.map { _ in [Place]() }
        for frame in 0..<scene.frameCount {
            let states = scene.textsInFrame(frame)
            for (position, state) in states.enumerated() {
                guard let quad = measured[state.index].ink(state) else { continue }
                let visible = quad.bounds.intersection(scene.bounds)
                // What is drawn later lies above.
                let plates = states[(position + 1)...].compactMap {
                    measured[$0.index].plate(scene.texts[$0.index], $0)?.intersection(visible)
                }
                guard !visible.isEmpty, !plates.contains(visible) else { continue }
                let isWhole =
                    visible == quad.bounds && state.opacity >= 0.5 && plates.allSatisfy(\.isEmpty)
                    && state.rolled == 0 && state.shown == scene.texts[state.index].text.count
                places[state.index].append(
                    Place(frame: frame, quad: quad, opacity: state.opacity, isWhole: isWhole))
            }
        }
        self.init(
            name: scene.name, width: scene.width, height: scene.height, frameRate: scene.frameRate,
            frameCount: scene.frameCount,
            texts: zip(scene.texts, places).map { text, places in
                Text(text: text.text, spans: Self.spans(of: places, in: scene), places: places)
            },
            absent: scene.absent)
    }

    private static func spans(of places: [Place], in scene: ClipScene) -> [Span] {
        var ranges: [Range<Int>] = []
        for frame in places.lazy.filter(\.isWhole).map(\.frame) {
            if let last = ranges.last, last.upperBound == frame {
                ranges[ranges.count - 1] = last.lowerBound..<frame + 1
            } else {
                ranges.append(frame..<frame + 1)
            }
        }
        return ranges.map {
            Span(frames: $0, start: scene.time(ofFrame: $0.lowerBound), end: scene.time(ofFrame: $0.upperBound))
        }
    }
}
