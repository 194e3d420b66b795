import ArgumentParser
import Cameras
import Foundation
import TesseractOCR
import TextMatching

/// Completions of options that are more than files and fixed words.
///
/// bash expands what it is offered (`compgen -W`), command substitutions included, and cameras say their own names: nothing
/// with a character that could mean something to a shell is ever offered.
enum Completions {
    /// `:url`, `:email` and the others.
    static let contentKinds = CompletionKind.custom { _, _, _ in offered(ContentKind.allCases.map { ":\($0.rawValue)" })
    }

    /// Tesseract's languages that are installed; behind a plus those that are not there yet: `eng+kor`.
    static let languages = CompletionKind.custom { _, _, beginning in
        let chosen = beginning.split(separator: "+", omittingEmptySubsequences: false).dropLast()
        let before = chosen.map { $0 + "+" }.joined()
        return offered(
            TesseractEngine.installedLanguages().filter { !chosen.contains(Substring($0)) }.map { before + $0 })
    }

    /// The paths and the names of the cameras.
    static let cameras = CompletionKind.custom { _, _, _ in
        let cameras = Camera.all()
        return offered(cameras.map(\.path) + cameras.map(\.name))
    }

    /// The controls of all cameras, up to the equals sign.
    static let cameraControls = CompletionKind.custom { _, _, _ in
        offered(Set(Camera.all().flatMap { $0.controls.map { $0.name + "=" } }).sorted())
    }

    /// The schemes of addresses, and `private` (docs/SECURITY.md).
    static let addressKinds = CompletionKind.list(["private", "file", "udp", "tcp", "srt", "rtmp"])

    /// The words that can safely be offered, in the form that the asking shell needs.
    static func offered(_ words: [String]) -> [String] {
        let safe = words.filter { word in
            !word.isEmpty && !word.hasPrefix("-")
                && word.unicodeScalars.allSatisfy {
                    $0.isASCII && ($0.properties.isAlphabetic || "0123456789:/_.+=- ".unicodeScalars.contains($0))
                }
        }
        // In zsh what follows a colon is a description.
        return CompletionShell.requesting == .zsh ? safe.map { $0.replacingOccurrences(of: ":", with: "\\:") } : safe
    }
}
