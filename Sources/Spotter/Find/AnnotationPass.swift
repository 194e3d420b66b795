import GStreamerMedia
import OverlayDrawing
import TextSpotting

/// Draws the boxes of one frame after the other. Used by one thread.
struct AnnotationPass: ~Copyable {
    private let frameFolder: String?
    private let boxes: [StreamTime: [OverlayBox]]
    private let peaks: [StreamTime: [Sighting]]
    private let rasterizer = OverlayRasterizer()
    private let converter = PictureConverter()
    private var clock = FrameClock()

    init(sightings: [Sighting], frameFolder: String?) {
        self.frameFolder = frameFolder
        var boxes: [StreamTime: [OverlayBox]] = [:]
        for sighting in sightings {
            for box in sighting.boxes { boxes[box.time.start, default: []].append(Self.box(of: sighting, box.quad)) }
        }
        self.boxes = boxes
        peaks = Dictionary(grouping: sightings, by: \.peak.time.start)
    }

    /// Draws the frame's boxes, saves the pictures of the sightings whose best reading it was, and sends it on.
    mutating func annotate(_ sample: consuming Sample, sendingTo source: AppSource?) throws -> FrameTime {
        let time = clock.time(of: sample)
        guard let info = sample.info else { return time }
        let geometry = try FrameGeometry(info, region: nil)
        if let frameFolder {
            for sighting in peaks[time.start] ?? [] {
                let picture = try converter.picture(from: sample, format: .rgb)
                let drawn = try patches([Self.box(of: sighting, sighting.peak.quad)], geometry)
                try PNGWriter.write(picture, patches: drawn, to: frameFolder + "/" + Self.fileName(of: sighting))
            }
        }
        if let source { _ = source.push(sample, drawing: try patches(boxes[time.start] ?? [], geometry)) }
        return time
    }

    private func patches(_ boxes: [OverlayBox], _ geometry: FrameGeometry) throws -> [OverlayPatch] {
        guard !boxes.isEmpty else { return [] }
        let stored = boxes.map { box in
            var box = box
            box.quad = geometry.stored(box.quad)
            return box
        }
        let list = OverlayComposer(pictureWidth: geometry.frameWidth, pictureHeight: geometry.frameHeight).compose(
            stored)
        return try rasterizer.rasterize(list, width: geometry.frameWidth, height: geometry.frameHeight)
    }

    private static func box(of sighting: Sighting, _ quad: Quad) -> OverlayBox {
        OverlayBox(
            quad: quad, text: sighting.pattern, score: sighting.score, patternIndex: sighting.patternIndex)
    }

    /// `0003-EXIT.png`: what is not a letter or a digit becomes a dash, so that no pattern can name another folder.
    static func fileName(of sighting: Sighting) -> String {
        let number = String(sighting.id)
        let name = sighting.pattern.prefix(40).map { $0.isLetter || $0.isNumber ? $0 : "-" }
        return String(repeating: "0", count: max(0, 4 - number.count)) + number + "-" + String(name) + ".png"
    }
}
