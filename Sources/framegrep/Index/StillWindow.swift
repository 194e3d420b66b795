import Displays
import Errors
import Foundation
import GStreamerMedia

/// A window with one picture, until it is closed.
enum StillWindow {
    private static let closingKeys: Set<String> = ["q", "Q", "Escape"]

    /// - Parameter folder: in which the picture (PNG) lies.
    /// - Throws: ``FramegrepError`` if no window can be opened; ``Interruption``.
    static func show(pictureIn folder: String) async throws {
        guard let name = try? FileManager.default.contentsOfDirectory(atPath: folder).first else { return }
        let path = (folder + "/" + name).replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        let pipeline = try Pipeline(
            parsing: "filesrc location=\"\(path)\" ! pngdec ! imagefreeze ! videoconvertscale ! autovideosink")
        let work = Task {
            _ = try await pipeline.prepare()
            try await pipeline.play()
            for await message in pipeline.bus.messages {
                switch message {
                case .error(let report): throw report.error
                case .windowClosed, .endOfStream: return
                case .navigation(let event): if closes(event) { return }
                default: continue
                }
            }
        }
        let interrupts = Interrupts { _ in work.cancel() }
        let result = await work.result
        await pipeline.stop()
        if let signal = interrupts.signal { throw Interruption(signal: signal) }
        try result.get()
    }

    private static func closes(_ event: NavigationEvent) -> Bool {
        guard case .keyPress(let key) = event else { return false }
        return closingKeys.contains(key.name)
    }
}
