internal import Foundation
public import TextSpotting

/// Tesseract on whole pictures: finds the lines and reads them in one.
///
/// Each of its threads has an instance of Tesseract of its own, loaded when it is first needed and kept. Safe to use
/// from several tasks at once.
public struct TesseractEngine: TextReader {
    public let name: String
    /// Of the library: `5.3.0`.
    public let version: String
    /// The library's version, such as `5.3.0`; loads nothing.
    public static var libraryVersion: String { TesseractLibrary.version }
    /// Tesseract's names of the languages that are read, the most important first.
    public let languages: [String]
    private let settings: TesseractSettings
    let pool: WorkerPool<TesseractInstance>

    public var pictureFormat: Picture.Format { .luma }
    public var concurrency: Int { pool.width }

    /// Checks that the languages are there; their data is loaded with the first picture.
    /// - Throws: ``FramegrepError`` `engineUnavailable` with the Debian package that is missing.
    public static func load(_ settings: TesseractSettings = TesseractSettings()) throws -> TesseractEngine {
        let data = try TesseractData.find(in: settings.dataFolder)
        let languages = try data.chosen(settings.languages, environment: ProcessInfo.processInfo.environment)
        let userWords = try UserWordsFile(settings.userWords)
        let joined = languages.joined(separator: "+")
        let version = TesseractLibrary.version
        return TesseractEngine(
            name: "Tesseract \(version) (\(joined))", version: version, languages: languages, settings: settings,
            pool: WorkerPool(name: "tesseract", width: settings.threads) { [userWords] in
                if settings.givesWay { ThreadPriority.giveWay() }
                return try TesseractInstance.load(languages: joined, folder: data.folder, userWords: userWords?.path)
            })
    }

    /// The languages whose data is installed, by Tesseract's names; none where there is no data at all.
    public static func installedLanguages() -> [String] { (try? TesseractData.find(in: nil))?.languages ?? [] }

    public func read(_ picture: Picture) async throws -> [TextLine] {
        guard let plan = PagePlan(width: picture.width, height: picture.height, layout: settings.layout) else {
            try Task.checkCancellation()
            return []
        }
        return try await pool.run { instance, cancellation in
            let seen = picture.gray().resized(width: plan.width, height: plan.height)
            let lines = try instance.read(seen, mode: plan.mode, cancellation: cancellation)
            let x = Double(picture.width) / Double(plan.width)
            let y = Double(picture.height) / Double(plan.height)
            let placed = x == 1 && y == 1 ? lines : lines.map { $0.mapped { Point($0.x * x, $0.y * y) } }
            return plan.mode == .sparse ? ReadingOrder.sorted(placed) : placed
        }
    }
}
