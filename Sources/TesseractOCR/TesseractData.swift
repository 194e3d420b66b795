import Errors
internal import Foundation
internal import TextSpotting

/// The folder with Tesseract's language data, and its files.
struct TesseractData: Hashable, Sendable {
    let folder: String
    /// Tesseract's names, sorted: `eng`, `kor`, `script/Latin`. Orientation data (`osd`) is no language.
    let languages: [String]

    /// Where distributions and people put it, the most particular first.
    static func folders(environment: [String: String]) -> [String] {
        var folders: [String] = []
        if let prefix = environment["TESSDATA_PREFIX"], !prefix.isEmpty { folders += [prefix, prefix + "/tessdata"] }
        return folders + [
            "/usr/share/tesseract-ocr/5/tessdata", "/usr/share/tesseract-ocr/4.00/tessdata", "/usr/share/tessdata",
            "/usr/share/tesseract/tessdata", "/usr/local/share/tessdata",
        ]
    }

    /// The first folder that holds language data: `folder` alone where it is given.
    /// - Throws: ``FramegrepError`` `engineUnavailable` when there is none.
    static func find(in folder: String?) throws -> TesseractData {
        let places = folder.map { [$0] } ?? folders(environment: ProcessInfo.processInfo.environment)
        for place in places {
            let languages = languages(in: place)
            if !languages.isEmpty { return TesseractData(folder: place, languages: languages) }
        }
        throw FramegrepError(
            .engineUnavailable,
            "Tesseract cannot read because no language data (.traineddata) was found in "
                + "\(places.joined(separator: ", ")); install it with: apt install tesseract-ocr-eng.")
    }

    private static func languages(in folder: String) -> [String] {
        func names(_ subfolder: String) -> [String] {
            let files = (try? FileManager.default.contentsOfDirectory(atPath: folder + "/" + subfolder)) ?? []
            return files.filter { $0.hasSuffix(".traineddata") }.map { subfolder + $0.dropLast(".traineddata".count) }
        }
        return (names("") + names("script/")).filter { $0 != "osd" && $0 != "equ" }.sorted()
    }

    /// The names in `wanted` (joined by `+`), or those that suit the locale; each of them is installed.
    /// - Throws: ``FramegrepError`` `engineUnavailable`, naming the Debian package of the first that is missing.
    func chosen(_ wanted: String?, environment: [String: String]) throws -> [String] {
        guard let wanted else {
            let suited = [TesseractLocale.language(environment: environment), "eng"].compactMap { $0 }
            let installed = suited.filter(languages.contains)
            if installed.isEmpty { throw missing("eng") }
            return installed.count == 2 && installed[0] == installed[1] ? ["eng"] : installed
        }
        var names: [String] = []
        for name in wanted.split(separator: "+").map(String.init) where !names.contains(name) { names.append(name) }
        guard !names.isEmpty else {
            throw FramegrepError(
                .badArgument, "No language is named; give Tesseract's names joined by +, as in eng+kor.")
        }
        if let absent = names.first(where: { !languages.contains($0) }) { throw missing(absent) }
        return names
    }

    private func missing(_ name: String) -> FramegrepError {
        let package = name.lowercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }
        return FramegrepError(
            .engineUnavailable,
            "Tesseract has no data for the language \"\(name)\" in \(folder) (there is: "
                + "\(languages.joined(separator: ", "))); install it with: apt install tesseract-ocr-\(String(package))."
        )
    }
}
