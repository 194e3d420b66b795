import Errors
import Foundation
import GStreamerMedia
import Processes
import Synchronization
import TextSpotting
import Threads

/// Thrown when the reader of standard output is gone: the program ends quietly, as grep does.
struct ClosedPipe: Error {}

enum StandardStreams {
    /// Opens each of them that was closed (`>&-`) as something that can be neither read nor written. Otherwise the next
    /// file to be opened, such as a recording, would get its number, and results would go into it.
    ///
    /// Call it before anything is opened.
    static func fillClosedOnes() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
            // The system uses the lowest free number, which is this one.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
        // Initialize these now, while they are connected as the user intended.
        _ = (StandardOutput.descriptor, StandardError.queue)
    }

    /// Returns another number for a stream; its own if the system provides none, so that this can be reported.
    fileprivate static func own(_ stream: Int32) -> Int32 {
        let other = fcntl(stream, F_DUPFD_CLOEXEC, 10)
        return other >= 0 ? other : stream
    }
}

/// The output for results, to which libraries cannot write.
enum StandardOutput {
    /// The program's own descriptor; text that libraries write to number 1 goes elsewhere, see ``LibraryNoise``.
    static let descriptor = StandardStreams.own(STDOUT_FILENO)
    /// The queue for everything that is written to it.
    static let queue = OutputQueue()
}

/// Messages for the user, on standard error. (Standard output has results only.) The program never waits for them to be
/// read: beyond ``limit`` waiting bytes, later messages are left out.
enum StandardError {
    /// The program's own descriptor; see ``StandardOutput/descriptor``.
    static let descriptor = StandardStreams.own(STDERR_FILENO)
    static let isTerminal = isatty(descriptor) == 1
    /// Standard output's queue if both lead to the same place, so that messages and results stay in order there.
    static let queue = isSamePlace(descriptor, StandardOutput.descriptor) ? StandardOutput.queue : OutputQueue()

    /// The limit in bytes.
    private static let limit = 1 << 20

    /// Whether it is a terminal that can move the cursor and clear a line.
    static let isScreen = isTerminal && Terminal.hasControls

    /// The current width of the terminal; 80 if it is unknown.
    static var columns: Int {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Prints one message, without passwords that may be in it; control characters, which may come from file names,
    /// libraries or pictures, are made visible.
    ///
    /// - Parameters:
    ///   - naming: whether to replace paths by the names that the user gave.
    ///   - level: the severity, if the system's journal reads it.
    static func line(_ message: String, naming: Bool = true, as level: Journal.Level = .warning) {
        var lines = redacted(SystemLimits.naming(message), naming: naming).split(
            separator: "\n", omittingEmptySubsequences: false
        )
        .map { Visible.text(String($0)) }
        // A file name may contain a line that looks like a message of the program.
        for index in lines.indices.dropFirst() where lines[index].hasPrefix("framegrep") {
            lines[index] = "  " + lines[index]
        }
        write((Journal.isConnected ? Journal.entries(lines, level) : lines).joined(separator: "\n") + "\n")
    }

    /// Writes text of the program that may contain escape sequences.
    ///
    /// - Parameter failed: called, on another thread, with the system's reason if it cannot be written.
    static func write(_ text: String, failed: (@Sendable (Int32) -> Void)? = nil) {
        let bytes = Array(text.utf8)
        queue.add(bytes.count, upTo: limit) {
            // Without such an action a failure cannot be reported to anyone.
            if let reason = PipeBytes.failure(writing: bytes, to: descriptor) { failed?(reason) }
        }
    }

    private static func isSamePlace(_ first: Int32, _ second: Int32) -> Bool {
        guard let one = FileStatus(ofDescriptor: first), let other = FileStatus(ofDescriptor: second) else {
            return false
        }
        return (one.device, one.number) == (other.device, other.number)
    }
}

/// The terminal's properties according to the environment.
enum Terminal {
    /// Whether it understands escape sequences; not with `TERM=dumb`, as in an editor's shell.
    static var hasControls: Bool { variable("TERM") != "dumb" }

    /// Whether color is used by default; not with `NO_COLOR` (no-color.org), whatever its value.
    static var wantsColor: Bool { hasControls && variable("NO_COLOR") == nil }

    private static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
}

/// Text made safe to show on a terminal.
enum Visible {
    /// Returns `text` with its control and formatting characters replaced by visible ones: text from a picture or a
    /// file name must not move the cursor or change colors. Bytes of a name that are not UTF-8 are shown as `\xE9`.
    static func text(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if let byte = FileName.byte(of: scalar) {
                result.append(contentsOf: FileName.shownByte(byte).unicodeScalars)
            } else if scalar.value < 0x20, let picture = Unicode.Scalar(0x2400 + scalar.value) {
                result.append(picture)
            } else {
                result.append(isUnsafe(scalar) ? "\u{FFFD}" : scalar)
            }
        }
        return String(result)
    }

    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        if FileName.byte(of: scalar) != nil { return true }
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate: return true
        // Direction overrides and isolates can make a line look like another.
        case .format: return (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
        default: return false
        }
    }
}

/// The system's journal, if standard error leads to it: each line then begins with its severity (sd-daemon(3)).
enum Journal {
    /// The levels with the numbers of syslog(3).
    enum Level: Int {
        case error = 3
        case warning, notice, info
    }

    /// Whether standard error leads to the journal. Programs whose standard error leads elsewhere inherit the variable
    /// too, so the device and inode that it names are compared.
    static let isConnected: Bool = {
        let status = FileStatus(ofDescriptor: StandardError.descriptor)
        let named = ProcessInfo.processInfo.environment["JOURNAL_STREAM"]
        return named != nil && named == status.map { "\($0.device):\($0.number)" }
    }()

    /// Returns a message in the form for the journal, which knows the sender; each line is an entry of its own.
    static func entries(_ lines: [String], _ level: Level) -> [String] {
        let name = "framegrep: "
        return lines.map { "<\(level.rawValue)>" + ($0.hasPrefix(name) ? String($0.dropFirst(name.count)) : $0) }
    }
}

/// One line on standard error that shows the progress of a search; only on a terminal. Thread-safe.
final class ProgressLine: Sendable {
    private struct State {
        var isShown = false
        var lastDrawn: ContinuousClock.Instant?
    }

    private let place: String
    private let whole: WholeProgress.Part?
    private let name: String
    private let begun = ContinuousClock.now
    private let isEnabled: Bool
    /// The progress for the program that started this one; nil if that has not requested it.
    private let lines: ProgressLines?
    private let state = Mutex(State())

    /// - Parameters:
    ///   - place: the text before the name.
    ///   - whole: the input as one of several.
    init(place: String = "", name: String, of whole: WholeProgress.Part? = nil, isEnabled: Bool) {
        self.place = place
        self.whole = whole
        self.name = Visible.text(name)
        self.isEnabled = isEnabled && StandardError.isScreen
        lines = isEnabled ? ProgressLines(name: name) : nil
    }

    /// Redraws the line, at most ten times a second.
    func update(_ position: StreamTime, of total: StreamTime?) {
        lines?.update(position, of: total)
        guard isEnabled else { return }
        if let total, total > .zero { whole?.update(position.seconds / total.seconds) }
        state.withLock { state in
            guard state.lastDrawn.isDue(after: .milliseconds(100)) else { return }
            state.isShown = true
            let text = ProgressText(
                place: place, name: name, position: position, total: total,
                elapsed: (ContinuousClock.now - begun).inSeconds,
                wholeRemaining: whole?.remaining)
            StandardError.write(
                Self.start + Self.still + text.line(columns: StandardError.columns) + Self.wrapping)
        }
    }

    /// Removes the line, so that something else can be written.
    func clear() {
        guard isEnabled else { return }
        state.withLock { state in
            guard state.isShown else { return }
            state.isShown = false
            state.lastDrawn = nil
            StandardError.write(Self.start)
        }
    }

    /// Removes the line that is shown, if any.
    static func wipe() { if StandardError.isScreen { StandardError.write(start) } }

    /// Moves to the beginning of the line and clears it.
    private static let start = "\r\u{1B}[K"
    /// Turns off the terminal's line wrapping while the line is written (DECAWM), in case a letter takes more columns
    /// than expected.
    private static let (still, wrapping) = ("\u{1B}[?7l", "\u{1B}[?7h")
}

/// Messages on standard error for a program that started this one (`FRAMEGREP_MESSAGES=jsonl`): errors with their
/// codes, and progress, as JSON lines. Other sentences stay as they are.
enum MessageLines {
    static let areWanted = getenv("FRAMEGREP_MESSAGES").map { String(cString: $0) } == "jsonl"

    /// Returns the printed form of an error: a sentence for users, JSON for programs.
    static func text(_ error: FramegrepError) -> String {
        guard areWanted else { return "framegrep: \(error.message)" }
        var object = JSONObject(type: "error")
        object.add("code", error.code.rawValue)
        object.add("message", redacted(error.message))
        return object.text
    }
}

/// Reports the progress of a search or an indexing as JSON lines on standard error, for a program that started this
/// one. Thread-safe.
///
/// When that program has closed its end, this one ends as after SIGTERM, because a killed program cannot end the ones
/// it has started.
final class ProgressLines: Sendable {
    /// The least time between two reports.
    private static let pause = Duration.milliseconds(250)

    private let name: String
    private let last = Mutex<ContinuousClock.Instant?>(nil)

    /// - Parameter name: the name of the input, without passwords.
    ///
    /// - Returns: nil unless the caller requested them.
    init?(name: String) {
        guard MessageLines.areWanted else { return nil }
        self.name = name
    }

    /// - Parameters:
    ///   - position: the time up to which it was read.
    ///   - total: its length; nil if unknown.
    func update(_ position: StreamTime, of total: StreamTime?) {
        guard last.withLock({ $0.isDue(after: Self.pause) }) else { return }
        var object = JSONObject(type: "progress")
        object.add("source", name)
        object.add("t", position.seconds, decimals: 3)
        if let total { object.add("duration", total.seconds, decimals: 3) }
        StandardError.write(object.text + "\n") { reason in
            // Do not use raise(), which signals this thread alone; it may have the signal blocked.
            if reason == EPIPE { kill(getpid(), SIGTERM) }
        }
    }
}

/// Estimates the remaining time of several inputs from the share of their bytes that was read: a recording's length is
/// unknown before it is opened. Thread-safe.
final class WholeProgress: Sendable {
    struct Part: Sendable {
        let whole: WholeProgress
        let index: Int

        /// - Parameter fraction: the share of the input that was read, from 0 to 1.
        func update(_ fraction: Double) { whole.update(index, fraction) }
        /// Records that the input was read, or cannot be.
        func end() { whole.update(index, 1) }
        /// The remaining time in seconds; nil if it is not known yet.
        var remaining: Double? { whole.remaining(after: ContinuousClock.now - whole.begun) }
    }

    /// The number of seconds before the first estimate, by which time the engine has been loaded.
    private static let least = 3.0

    private let sizes: [Double]
    private let begun = ContinuousClock.now
    private let fractions: Mutex<[Double]>

    /// - Parameter sizes: the sizes of the inputs in bytes; nil for inputs without one, such as an address or a pipe.
    ///
    /// - Returns: nil if no estimate is possible.
    init?(sizes: [Int64?]) {
        let known = sizes.compactMap { $0 }
        guard sizes.count > 1, known.count == sizes.count, known.contains(where: { $0 > 0 }) else { return nil }
        self.sizes = known.map(Double.init)
        fractions = Mutex([Double](repeating: 0, count: known.count))
    }

    /// - Parameter first: the input with which the search begins; earlier ones are done.
    convenience init?(files names: [String], from first: Int) {
        self.init(sizes: names.enumerated().map { $0 < first ? 0 : Self.size(of: $1) })
    }

    func part(_ index: Int) -> Part { Part(whole: self, index: index) }

    /// Returns the remaining number of seconds after this many; nil if it is not known yet.
    func remaining(after elapsed: Duration) -> Double? {
        let seconds = elapsed.inSeconds
        let done = fractions.withLock { zip(sizes, $0).reduce(0) { $0 + $1.0 * $1.1 } }
        guard seconds >= Self.least, done > 0 else { return nil }
        return seconds * (sizes.reduce(0, +) - done) / done
    }

    private func update(_ index: Int, _ fraction: Double) {
        guard fraction.isFinite else { return }
        fractions.withLock { $0[index] = max($0[index], min(1, fraction)) }
    }

    private static func size(of name: String) -> Int64? {
        FileStatus(of: name).flatMap { $0.isFile ? Int64($0.size) : nil }
    }
}
