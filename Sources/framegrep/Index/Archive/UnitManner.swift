import Engines
import Errors
import Foundation
import NeuralOCR
import Spotter
import TesseractOCR
import TextIndex
import TextSpotting

extension ArchiveUnit.Reading {
    /// How an archive is read, with all that this machine takes for granted written out: another one may have another locale, or no
    /// networks.
    ///
    /// - Throws: ``FramegrepError`` (`engineUnavailable`) if this machine could not read so itself.
    init(_ options: ReadingOptions, grid: Double) throws {
        let isNeural =
            options.engine == .neural || options.engine == .auto && NeuralEngine.installation().problem == nil
        self.init(
            engine: (isNeural ? EngineName.neural : .tesseract).rawValue, level: options.level.rawValue,
            language: isNeural ? options.language : try TesseractEngine.languages(for: options.language),
            region: options.region, maximumAge: options.maximumAge?.seconds, program: ProgramVersion.text, grid: grid)
    }

    /// - Throws: ``FramegrepError`` (`badArgument`) if this program knows no such reader.
    func reader(threads: Int?) throws -> ReaderSettings {
        guard let engine = EngineName(rawValue: engine), let level = LevelName(rawValue: level) else {
            throw FramegrepError(
                .badArgument,
                "Nobody here reads with '\(engine)' and '\(level)'; plan the archive again with this program.")
        }
        var settings = ReaderSettings()
        (settings.engine, settings.level, settings.language) = (engine, level, language)
        if let threads { settings.threads = threads }
        return settings
    }

    /// - Throws: ``FramegrepError`` (`badArgument`) for an invalid region.
    func settings() throws -> FindSettings {
        var settings = FindSettings()
        settings.gate.maximumAge = maximumAge.map(StreamTime.init(seconds:)) ?? settings.gate.maximumAge
        settings.region = try region.map(RegionOfInterest.init(parsing:))
        settings.reportsFindings = true
        return settings
    }
}
