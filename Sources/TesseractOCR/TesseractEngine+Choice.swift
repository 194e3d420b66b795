import Errors
import Foundation

extension TesseractEngine {
    /// The languages that would be read, by Tesseract's names joined by `+`: those that are wanted, or those that suit this machine's
    /// locale and are installed.
    ///
    /// - Throws: `FramegrepError` (`engineUnavailable`) if one is not installed.
    public static func languages(for wanted: String?) throws -> String {
        try TesseractData.find(in: nil).chosen(wanted, environment: ProcessInfo.processInfo.environment)
            .joined(separator: "+")
    }
}
