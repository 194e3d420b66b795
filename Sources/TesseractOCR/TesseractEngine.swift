import Errors
internal import Foundation
public import TextSpotting
public import Threads

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
    ///
    /// - Parameter picture: the running picture that is read, if it is one: reading rests while it is shown late.
    /// - Throws: `FramegrepError` `engineUnavailable` with the Debian package that is missing.
    public static func load(
        _ settings: TesseractSettings = TesseractSettings(), givingWayTo picture: RightOfWay? = nil
    ) throws -> TesseractEngine {
        let data = try TesseractData.find(in: settings.dataFolder)
        let languages = try data.chosen(settings.languages, environment: ProcessInfo.processInfo.environment)
        let userWords = try UserWordsFile(settings.userWords)
        let joined = languages.joined(separator: "+")
        let version = TesseractLibrary.version
        let pool: WorkerPool<TesseractInstance>
        do {
            pool = try WorkerPool(name: "tesseract", width: settings.threads) { [userWords] in
                // A page is one job of seconds: it rests between words.
                try TesseractInstance.load(
                    languages: joined, folder: data.folder, userWords: userWords?.path, givingWayTo: picture)
            }
        } catch {
            throw FramegrepError(
                .engineUnavailable, "Tesseract could not start \(settings.threads) threads; use a smaller --threads.")
        }
        return TesseractEngine(
            name: "Tesseract \(version) (\(joined))", version: version, languages: languages, settings: settings,
            pool: pool)
    }

    /// Checks the names of languages joined by `+`.
    ///
    /// - Parameter isUnneeded: whether a language without data is read in another way.
    /// - Throws: `FramegrepError` `engineUnavailable` with the Debian package that is missing, `badArgument` for no name.
    public static func check(languages: String, isUnneeded: (String) -> Bool) throws {
        let names = languages.split(separator: "+").map(String.init)
        let needed = names.filter { !isUnneeded($0) }
        guard needed.isEmpty, !names.isEmpty else {
            let data = try TesseractData.find(in: nil)
            _ = try data.chosen(needed.joined(separator: "+"), environment: ProcessInfo.processInfo.environment)
            return
        }
    }

    /// The languages whose data is installed, by Tesseract's names; none if there is no data at all.
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
            return plan.mode == .sparse ? ReadingOrder.sorted(placed, by: \.quad) : placed
        }
    }
}
