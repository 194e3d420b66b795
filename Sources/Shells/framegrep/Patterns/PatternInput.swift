import Errors
import Foundation
import Processes
import Spotter
import TextIndex
import TextSpotting
import Threads

/// A command on standard input while a job runs, one per line.
enum PatternLine: Hashable {
    /// Search for this instead.
    case replace(String)
    /// Search for this too.
    case add(String)
    /// Search for nothing until the next line.
    case clear

    /// - Parameter line: the line without its line break. `+word` adds, `\+word` is the text "+word".
    init(_ line: String) {
        let line = line.hasSuffix("\r") ? String(line.dropLast()) : line
        if line.allSatisfy(\.isWhitespace) {
            self = .clear
        } else if line.hasPrefix("+"), line.count > 1 {
            self = .add(String(line.dropFirst()))
        } else if line.hasPrefix("\\+") {
            self = .replace(String(line.dropFirst()))
        } else {
            self = .replace(line)
        }
    }
}

/// Reads the lines of standard input as they arrive, on a thread of its own because reading blocks.
///
/// The thread ends with the input; until then it is abandoned when the program ends.
enum InputLines {
    /// The largest length of a pattern's line.
    static let longest = 16 << 10

    typealias Line = Result<String, FramegrepError>

    /// - Returns: lines without their breaks, or the reasons they are invalid; all that arrived together form one
    ///   batch. Buffering: after four batches nothing is read until one was taken: the writer waits, and no line is
    ///   lost.
    static func batches(of descriptor: CInt = STDIN_FILENO) -> BoundedQueue<[Line]> {
        let queue = BoundedQueue<[Line]>(capacity: 4)
        let thread = Thread {
            read(descriptor) { queue.push($0) }
            queue.finish()
        }
        thread.name = "framegrep-input"
        thread.start()
        return queue
    }

    /// Reads until the input ends or the consumer is gone.
    private static func read(_ descriptor: CInt, _ take: ([Line]) -> Bool) {
        let reader = LineReader(descriptor, longest: longest)
        while let lines = reader.batch(), take(lines.map(line)) {}
    }

    private static func line(_ line: LineReader.Line) -> Line {
        guard case .line(let bytes) = line else {
            return .failure(FramegrepError(.badPattern, "A line on standard input is too long for a pattern."))
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            return .failure(FramegrepError(.badPattern, "A line on standard input is not UTF-8 text."))
        }
        return .success(text)
    }
}

/// Detects changes of files by comparing their times and sizes several times a second, which also works for files that
/// an editor replaces, and for files on other machines.
struct WatchedFiles: Sendable {
    /// The interval of the checks. A change is reported when two consecutive checks had the same result, so that a file
    /// is not read while it is being written.
    static let interval = Duration.milliseconds(100)

    private let paths: [String]
    /// The queue for checks: one on a disk that is gone may never return, and only this queue waits for it.
    private let queue = SerialQueue("framegrep.watch")

    /// - Parameter paths: regular files among them are watched; a pipe is read only once.
    init(_ paths: [String]) { self.paths = paths }

    /// Calls `changed` after each change, until the task is cancelled.
    func watch(_ changed: () async -> Void) async {
        guard !paths.isEmpty else { return }
        let paths = await queue.run { [paths] in paths.filter { Self.stamp(of: $0) != nil } }
        guard !paths.isEmpty else { return }
        var known = await stamps(of: paths)
        var before = known
        while (try? await Task.sleep(for: Self.interval)) != nil {
            let now = await stamps(of: paths)
            defer { before = now }
            // A file that is missing for a moment is being replaced.
            guard now != known, now == before, !now.contains(nil) else { continue }
            known = now
            await changed()
        }
    }

    private func stamps(of paths: [String]) async -> [FileStamp?] { await queue.run { paths.map(Self.stamp) } }

    private static func stamp(of path: String) -> FileStamp? {
        path == StandardInput.name ? nil : FileStamp(path: path)
    }
}

/// Makes sure that standard input, `-`, is used for one purpose only, because it can be read once.
enum StandardInput {
    static let name = TextFile.standardInput

    /// Whether another program writes to it.
    static var isPipe: Bool {
        FileStatus(ofDescriptor: STDIN_FILENO).map { [S_IFIFO, S_IFSOCK].contains($0.kind) } ?? false
    }

    /// - Parameters:
    ///   - lists: the lists of inputs.
    ///   - patternsCome: whether lines on it change the patterns while a job runs (`--patterns-from -`).
    ///
    /// - Throws: ``FramegrepError`` (`badArgument`) if it is used twice.
    static func check(
        inputs: [String], lists: [String] = [], patternFiles: [String], patternsCome: Bool = false
    ) throws {
        let uses =
            inputs.filter { $0 == name }.map { _ in "an input (-)" }
            + lists.filter { $0 == name }.map { _ in "--files-from -" }
            + patternFiles.filter { $0 == name }.map { _ in "-f -" } + (patternsCome ? ["--patterns-from -"] : [])
        guard uses.count > 1 else { return }
        throw FramegrepError(
            .badArgument,
            "Standard input can be read once, and \(uses[0]) and \(uses[1]) both need it; name a file for one of them.")
    }
}
