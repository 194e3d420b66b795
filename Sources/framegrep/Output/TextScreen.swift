import Engines
import Spotter
import Synchronization
import TesseractOCR
import TextSpotting

/// Lets the lines of one input pass that the networks can have read, and counts the others. Thread-safe.
final class TextScreen: Sendable {
    private let screen = Mutex(ScriptScreen())
    private let scripts: UnknownScripts

    /// - Parameter scripts: of all inputs.
    init(leftOut scripts: UnknownScripts) { self.scripts = scripts }

    /// The events that are told now: lines may have to wait, everything else passes.
    func pass(_ event: FindEvent) -> [FindEvent] {
        guard case .text(let line) = event else { return [event] }
        return screen.withLock { $0.take(line) }.map(FindEvent.text)
    }

    /// No more will come: the lines that still waited.
    func finish() -> [FindEvent] {
        let (rest, leftOut) = screen.withLock { screen in (screen.finish(), screen.leftOut) }
        scripts.add(leftOut)
        return rest.map(FindEvent.text)
    }
}

/// The lines of all inputs that were left out because the networks do not know their script. Thread-safe.
final class UnknownScripts: Sendable {
    private let counts = Mutex<[OtherScript: Int]>([:])

    func add(_ lines: [OtherScript: Int]) { counts.withLock { $0.merge(lines, uniquingKeysWith: +) } }

    /// What is said of them at the end, the most frequent script first. One that others are taken for now and then is not spoken of.
    var sentences: [String] {
        let counts = counts.withLock { $0 }
        let most = counts.values.max() ?? 0
        return counts.filter { 4 * $0.value >= most }.sorted { (-$0.value, $0.key.name) < (-$1.value, $1.key.name) }
            .map { sentence($0.key, $0.value) }
    }

    private func sentence(_ script: OtherScript, _ count: Int) -> String {
        let lines = count == 1 ? "1 line looks" : "\(count) lines look"
        let what = "\(lines) \(script.name), which the networks do not read, and \(count == 1 ? "is" : "are") left out."
        let installed = TesseractEngine.installedLanguages()
        if let language = script.languages.first(where: installed.contains) {
            return what + " With --language \(language) Tesseract reads all lines."
        }
        let others = script.languages.dropFirst().prefix(3).joined(separator: ", ")
        let besides = others.isEmpty ? "" : " (or of the language that it is: \(others))"
        return what
            + " With Tesseract's data they are read: apt install tesseract-ocr-\(script.languages[0])\(besides)."
    }
}
