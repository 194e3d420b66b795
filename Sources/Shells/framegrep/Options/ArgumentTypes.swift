import ArgumentParser
import Cameras
import Errors
import Foundation
import GStreamerMedia
import Spotter
import TesseractOCR
import TextMatching
import TextSpotting

/// A length of time as a user writes it: `90`, `1:30`, `0:01:23.5`, `1m30s`, `2h`, `350ms`.
struct DurationArgument: ExpressibleByArgument {
    let time: StreamTime

    init(seconds: Double) { time = StreamTime(seconds: seconds) }

    init?(argument: String) {
        guard let seconds = Self.clock(argument) ?? Self.units(argument), seconds.isFinite, seconds < 1e9 else {
            return nil
        }
        time = StreamTime(seconds: seconds)
    }

    var defaultValueDescription: String { "\(time.seconds)" }

    /// Parses seconds, or hours, minutes and seconds with colons between them.
    private static func clock(_ text: String) -> Double? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (1...3).contains(parts.count) else { return nil }
        var seconds = 0.0
        for (index, part) in parts.enumerated() {
            guard let value = number(part), index == 0 || value < 60 else { return nil }
            seconds = seconds * 60 + value
        }
        return seconds
    }

    /// Parses numbers with units, the larger before the smaller, each at most once.
    private static func units(_ text: String) -> Double? {
        var rest = Substring(text.lowercased())
        var seconds = 0.0
        for (name, length) in [("h", 3600.0), ("m", 60), ("s", 1), ("ms", 0.001)] {
            let digits = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
            let unit = rest.dropFirst(digits.count).prefix { $0.isLetter }
            guard unit == name else { continue }
            guard let value = number(digits) else { return nil }
            seconds += value * length
            rest = rest.dropFirst(digits.count + unit.count)
        }
        return rest.isEmpty && !text.isEmpty ? seconds : nil
    }

    private static func number(_ text: Substring) -> Double? {
        guard !text.isEmpty, text.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }) else { return nil }
        return Double(text)
    }
}

/// A time in a recording as a user writes it: a length of time from its beginning, `-10s` from its end, or `50%` of it.
enum TimeArgument: ExpressibleByArgument, Hashable {
    case fromStart(StreamTime)
    case fromEnd(StreamTime)
    /// A fraction of the whole, 0 to 1.
    case part(Double)

    init?(argument: String) {
        if argument.hasSuffix("%") {
            guard let percent = Double(argument.dropLast()), (0...100).contains(percent) else { return nil }
            self = .part(percent / 100)
        } else if argument.hasPrefix("-") {
            guard let time = DurationArgument(argument: String(argument.dropFirst()))?.time else { return nil }
            self = .fromEnd(time)
        } else {
            guard let time = DurationArgument(argument: argument)?.time else { return nil }
            self = .fromStart(time)
        }
    }

    /// Returns the time; nil if it depends on an unknown length. May lie outside the recording.
    func time(in length: StreamTime?) -> StreamTime? {
        switch self {
        case .fromStart(let time): time
        case .fromEnd(let time): length.map { $0 - time }
        case .part(let part): length.map { StreamTime(seconds: $0.seconds * part) }
        }
    }
}

/// The part of a recording's time that is searched.
struct SearchedTime {
    let from: TimeArgument?
    let to: TimeArgument?

    /// Returns the part in one recording.
    ///
    /// - Parameters:
    ///   - length: the length of the recording, if known.
    ///   - name: its name in messages.
    ///   - warn: called for a time outside the recording.
    /// - Throws: ``FramegrepError`` (`badArgument`) if a time cannot be determined, or nothing is left.
    func resolved(
        in length: StreamTime?, of name: String, warn: (String) -> Void
    ) throws -> (from: StreamTime?, to: StreamTime?) {
        let start = try time(from, option: "--from", length: length, name: name, warn: warn)
        let end = try time(to, option: "--to", length: length, name: name, warn: warn)
        if let start, let end, start >= end {
            throw FramegrepError(
                .badArgument,
                "--from (\(ClockTime.text(start))) is not before --to (\(ClockTime.text(end))) in \(name): nothing is left."
            )
        }
        if let end, end <= .zero {
            throw FramegrepError(
                .badArgument,
                "--to is the beginning of \(name): nothing of it is left. Times count from there: 90, 1m30s, 50%.")
        }
        return (start, end)
    }

    /// Returns the part in a recording that was opened. If a time depends on the recording's end, its last frame is
    /// searched for, because the length stated in a file may be wrong.
    ///
    /// - Parameter warn: called for a time outside the recording.
    /// - Throws: the errors of ``resolved(in:of:warn:)`` and of ``RecordingEnd/seen(in:stating:patience:)``.
    func resolved(
        in source: OpenedSource, warn: (String) -> Void
    ) async throws -> (from: StreamTime?, to: StreamTime?, canSeek: Bool) {
        let stated = source.info.duration
        var length = stated
        if !source.isStill, !source.isReadOnce, source.uri.path != nil || stated != nil,
            dependsOnEnd(of: stated ?? Self.longest)
        {
            length = try await RecordingEnd.seen(in: source, stating: stated ?? Self.longest)
        }
        let part = try resolved(in: length, of: source.uri.redacted, warn: warn)
        // After a seek a demuxer returns nothing after the stated end.
        let isLonger = if let length, let stated { (length - stated).seconds > 0.5 } else { false }
        return (part.from, part.to, !source.isReadOnce && !isLonger)
    }

    /// The time at which the search for the end begins in a recording that states no length.
    private static let longest = StreamTime(seconds: 86_400)

    /// Returns whether one of the times counts from the end, or is after it.
    private func dependsOnEnd(of length: StreamTime) -> Bool {
        func depends(_ argument: TimeArgument?) -> Bool {
            switch argument {
            case .fromEnd: true
            case .part(let part): part > 0
            case .fromStart(let time): time >= length
            case nil: false
            }
        }
        return depends(from) || to != .part(1) && depends(to)
    }

    private func time(
        _ argument: TimeArgument?, option: String, length: StreamTime?, name: String, warn: (String) -> Void
    ) throws -> StreamTime? {
        guard let argument else { return nil }
        // The recording's end counts even if the stated length is slightly wrong.
        if option == "--to", case .part(1) = argument { return nil }
        guard let time = argument.time(in: length) else {
            throw FramegrepError(
                .badArgument,
                "\(option) counts from the end or in percent, and it is not known how long \(name) is; give a time from its beginning."
            )
        }
        guard let length else { return time }
        if time < .zero || time > length || (option == "--from" && time == length) {
            let place = time < .zero ? "before the beginning" : "behind the end"
            warn("\(option) lies \(place) of \(name), which is \(ClockTime.text(length)) long.")
        }
        return max(time, .zero)
    }
}

/// A file that an option names for reading, such as a file of patterns, of credentials or of certificates.
///
/// Every option that takes such a file has this type, so that ``OutputPlan`` finds all of them and no output overwrites
/// one. A test checks all options that take a file.
struct FileArgument: ExpressibleByArgument, Hashable, Sendable {
    let path: String

    /// Returns nil for an empty name, as an unset variable of a shell leaves it.
    init?(argument: String) {
        guard !argument.isEmpty else { return nil }
        path = argument
    }

    /// Returns the paths of all files that these options read, in all their groups.
    static func paths(in options: Any) -> [String] {
        if let file = options as? FileArgument { return [file.path] }
        // Property wrappers, groups, arrays and optionals are all made of parts.
        return Mirror(reflecting: options).children.flatMap { paths(in: $0.value) }
    }
}

/// Completions of options that are more than files and fixed words.
///
/// bash expands the words that it is offered (`compgen -W`), including command substitutions, and cameras supply their
/// own names. So nothing with a character that could mean something to a shell is ever offered.
enum Completions {
    /// The kinds of content, such as `:url` and `:email`.
    static let contentKinds = CompletionKind.custom { _, _, _ in offered(ContentKind.allCases.map { ":\($0.rawValue)" })
    }

    /// The installed languages of Tesseract; after a plus sign those that were not given yet: `eng+kor`.
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

    /// Returns the words that can safely be offered, in the form that the shell needs.
    static func offered(_ words: [String]) -> [String] {
        let safe = words.filter { word in
            !word.isEmpty && !word.hasPrefix("-")
                && word.unicodeScalars.allSatisfy {
                    $0.isASCII && ($0.properties.isAlphabetic || "0123456789:/_.+=- ".unicodeScalars.contains($0))
                }
        }
        // In zsh the text after a colon is a description.
        return CompletionShell.requesting == .zsh ? safe.map { $0.replacingOccurrences(of: ":", with: "\\:") } : safe
    }
}
