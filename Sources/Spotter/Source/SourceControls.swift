import Errors
import Synchronization
import TextSpotting

/// The controls of a source that may be opened again: the camera's own, and the digital zoom where it has none.
final class SourceControls: CameraControls {
    private let zoom: DigitalZoom
    private let own = Mutex<(any CameraControls)?>(nil)

    /// One press of a key enlarges by this much.
    private static let zoomStep = 1.25

    init(zoom: DigitalZoom) {
        self.zoom = zoom
    }

    /// The camera's own controls; nil if it has none, or is gone.
    func attach(_ controls: (any CameraControls)?) { own.withLock { $0 = controls } }

    var knobs: [CameraKnob] {
        let own = own.withLock { $0 }?.knobs ?? []
        return own.contains(.zoom) ? own : [.zoom] + own
    }

    func turn(_ knob: CameraKnob, _ turn: CameraTurn) throws(FramegrepError) -> String {
        let own = own.withLock { $0 }
        if let own, own.knobs.contains(knob) { return try own.turn(knob, turn) }
        guard knob == .zoom else {
            let list = knobs.map(\.rawValue).joined(separator: ", ")
            throw FramegrepError(.badArgument, "This source has no control for \(knob.rawValue); it has \(list).")
        }
        return try zoomDigitally(turn)
    }

    private func zoomDigitally(_ turn: CameraTurn) throws(FramegrepError) -> String {
        switch turn {
        case .up: zoom.set(zoom.factor * Self.zoomStep)
        case .down: zoom.set(zoom.factor / Self.zoomStep)
        case .to(let factor) where factor >= 1 && factor <= DigitalZoom.maximum: zoom.set(factor)
        case .off: zoom.set(1)
        default:
            throw FramegrepError(
                .badArgument, "Zoom takes a factor from 1 to \(Int(DigitalZoom.maximum)), such as 2.")
        }
        return "zoom \(Int((zoom.factor * 100).rounded())) %"
    }
}
