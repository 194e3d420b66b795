import Synchronization
import TesseractOCR
import TextMatching
public import TextSpotting

/// Passes the lines of a running input that the networks may have read. Each script that lines are left out of is named
/// once, when that begins. A value that takes lines in order.
public struct NamingScreen: Sendable {
    private var lines: ScriptScreen
    private var said = Set<OtherScript>()

    /// - Parameter patience: as ``ScriptScreen`` has it.
    public init(patience: Duration? = nil) { lines = ScriptScreen(patience: patience) }

    /// Passes lines to the screen, or announces the end.
    ///
    /// - Returns: the lines to report now, and messages about those left out.
    public mutating func tell(_ body: (inout ScriptScreen) -> [Sighting]) -> (lines: [Sighting], sentences: [String]) {
        let told = body(&lines)
        let scripts = UnknownScripts.worthSaying(of: lines.leftOut, said: said)
        said.formUnion(scripts)
        return (told, scripts.map { UnknownScripts.sentence($0) })
    }
}

/// The lines of all inputs that were left out because the networks do not know their script. Thread-safe.
public final class UnknownScripts: Sendable {
    private let counts = Mutex<[OtherScript: Int]>([:])

    public init() {}

    public func add(_ lines: [OtherScript: Int]) { counts.withLock { $0.merge(lines, uniquingKeysWith: +) } }

    /// Returns the lines of one picture that the networks may have read, in their order; the others are counted.
    public func known(among lines: [TextLine]) -> [TextLine] {
        var screen = ScriptScreen()
        let told = lines.enumerated().flatMap { screen.take(Sighting(of: $1, id: $0)) } + screen.finish()
        add(screen.leftOut)
        return told.map { lines[$0.id] }
    }

    /// The sentences about these lines at the end, the most frequent script first.
    public var sentences: [String] {
        let counts = counts.withLock { $0 }
        return Self.frequent(in: counts).map { Self.sentence($0, counts[$0]) }
    }

    /// Returns the most frequent scripts first, without those that others are occasionally confused with.
    private static func frequent(in counts: [OtherScript: Int]) -> [OtherScript] {
        let most = counts.values.max() ?? 0
        return counts.filter { 4 * $0.value >= most }.sorted { (-$0.value, $0.key.name) < (-$1.value, $1.key.name) }
            .map(\.key)
    }

    /// Returns the scripts to report while the input continues: the first one at once, another one after it came up
    /// several times.
    fileprivate static func worthSaying(of counts: [OtherScript: Int], said: Set<OtherScript>) -> [OtherScript] {
        frequent(in: counts).enumerated().filter { place, script in
            !said.contains(script) && (said.isEmpty && place == 0 || counts[script, default: 0] >= 3)
        }.map(\.element)
    }

    /// - Parameter count: the number of lines; nil if more follow.
    fileprivate static func sentence(_ script: OtherScript, _ count: Int? = nil) -> String {
        let lines = count.map { $0 == 1 ? "1 line looks" : "\($0) lines look" } ?? "Lines look"
        let what = "\(lines) \(script.name), which the networks do not read, and \(count == 1 ? "is" : "are") left out."
        let installed = TesseractEngine.installedLanguages()
        if let language = script.languages.first(where: installed.contains) {
            return what + " With --language \(language) Tesseract reads all lines."
        }
        let others = script.languages.dropFirst().prefix(3).joined(separator: ", ")
        let besides = others.isEmpty ? "" : " (or of the language that it is: \(others))"
        return what
            + " With Tesseract's data they are read; \(TesseractEngine.advice(forLanguage: script.languages[0]))\(besides)."
    }
}

extension Sighting {
    /// Creates a line of a single picture.
    fileprivate init(of line: TextLine, id: Int) {
        self.init(
            id: id, patternIndex: 0, pattern: "", text: line.text, line: line.text, start: .zero, end: .zero,
            score: line.confidence,
            peak: Box(time: FrameTime(index: 0, start: .zero, duration: .zero), quad: line.quad))
        otherScripts = line.evidence.first?.otherScripts ?? []
    }
}
