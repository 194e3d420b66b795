import Foundation
import GStreamerMedia
import Synchronization
import TextSpotting

/// Thrown when the reader of standard output is gone: the program ends quietly, as grep does.
struct ClosedPipe: Error {}

/// The three streams that a program begins with.
enum StandardStreams {
    /// Gives each of them that was closed (`>&-`) something that can be neither read nor written. Otherwise the next file
    /// to be opened, a recording for one, would get its number, and results would go into it.
    ///
    /// To be called before anything is opened.
    static func fillClosedOnes() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest number that is free is taken, which is this one.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
        // Made now, while they are what the user has connected.
        _ = (StandardOutput.descriptor, StandardError.descriptor)
    }
}

/// Results, and nothing else: of libraries nothing gets there.
enum StandardOutput {
    /// Our own way to it; what libraries write to number 1 goes elsewhere, see ``LibraryNoise``.
    static let descriptor = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10)
}

/// Messages for a user, on standard error. Nothing but results goes to standard output.
enum StandardError {
    /// Our own way to it; see ``StandardOutput/descriptor``.
    static let descriptor = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 10)
    static let isTerminal = isatty(descriptor) == 1

    /// Whether it is a terminal that can move the cursor and clear a line.
    static let isScreen = isTerminal && Terminal.hasControls

    /// How wide the terminal is now; 80 where it does not say.
    static var columns: Int {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// One message, without the passwords that may be in it; control characters, which may come from file names, libraries
    /// or pictures, are made visible.
    ///
    /// - Parameters:
    ///   - naming: files are called as the user did.
    ///   - level: how much it matters, where the system's journal reads it.
    static func line(_ message: String, naming: Bool = true, as level: Journal.Level = .warning) {
        let lines = redacted(message, naming: naming).split(separator: "\n", omittingEmptySubsequences: false)
            .map { Visible.text(String($0)) }
        write((Journal.isConnected ? Journal.entries(lines, level) : lines).joined(separator: "\n") + "\n")
    }

    /// Text of our own that may hold escape sequences.
    static func write(_ text: String) {
        var text = text
        // A failure here cannot be reported to anyone.
        _ = text.withUTF8 { WholeWrite.write($0, to: descriptor) }
    }
}

/// Writes all of a buffer, however few bytes the system takes at a time.
enum WholeWrite {
    /// Returns the system's reason where that fails, nil if it does not.
    static func write(_ bytes: UnsafeBufferPointer<UInt8>, to descriptor: Int32) -> Int32? {
        var rest = UnsafeRawBufferPointer(bytes)
        while !rest.isEmpty {
            let count = Foundation.write(descriptor, rest.baseAddress, rest.count)
            if count > 0 {
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            } else if errno != EINTR {
                return errno
            }
        }
        return nil
    }
}

/// The terminal's properties according to the environment.
enum Terminal {
    /// It understands escape sequences: not with `TERM=dumb`, as in an editor's own shell.
    static var hasControls: Bool { variable("TERM") != "dumb" }

    /// Color is wanted where it is not asked for: not with `NO_COLOR` (no-color.org), whatever its value.
    static var wantsColor: Bool { hasControls && variable("NO_COLOR") == nil }

    private static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
}

/// Text made safe to show on a terminal.
enum Visible {
    /// `text` with its control and formatting characters replaced by visible ones: what is read from a picture, or
    /// stands in a file name, must not move the cursor or change colors. Bytes of a name that are no UTF-8 are shown as `\xE9`.
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
        // Direction overrides and isolates can make a line read as another.
        case .format: return (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
        default: return false
        }
    }
}
