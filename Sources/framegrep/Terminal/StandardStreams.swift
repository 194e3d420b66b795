import Foundation

/// Thrown when whoever read standard output has gone: the program ends quietly, as grep does.
struct ClosedPipe: Error {}

/// Messages for a person, on standard error. Nothing but results goes to standard output.
enum StandardError {
    static let isTerminal = isatty(STDERR_FILENO) == 1

    /// One message; control characters in it, which may come from file names, libraries or pictures, are made visible.
    static func line(_ message: String) {
        write(
            message.split(separator: "\n", omittingEmptySubsequences: false).map { Visible.text(String($0)) }
                .joined(separator: "\n") + "\n")
    }

    /// Text of our own that may hold escape sequences.
    static func write(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while !rest.isEmpty {
                let count = Foundation.write(STDERR_FILENO, rest.baseAddress, rest.count)
                guard count > 0 else { return }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
        }
    }
}

/// Text made safe to show on a terminal.
enum Visible {
    /// `text` with its control and formatting characters replaced by visible ones: what is read from a picture, or
    /// stands in a file name, must not move the cursor or change colors.
    static func text(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if scalar.value < 0x20, let picture = Unicode.Scalar(0x2400 + scalar.value) {
                result.append(picture)
            } else {
                result.append(isUnsafe(scalar) ? "\u{FFFD}" : scalar)
            }
        }
        return String(result)
    }

    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate: true
        // Direction overrides and isolates can make a line read as another.
        case .format: (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
        default: false
        }
    }
}
