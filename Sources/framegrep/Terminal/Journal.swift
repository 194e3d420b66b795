import Foundation

/// The system's journal, where standard error leads to it: each line then begins with how much it matters (sd-daemon(3)).
enum Journal {
    /// As syslog(3) numbers them.
    enum Level: Int {
        case error = 3
        case warning, notice, info
    }

    /// Standard error is the journal's. Its own variable is in the environment of programs too whose standard error leads elsewhere, so
    /// what it names is compared.
    static let isConnected: Bool = {
        var status = stat()
        guard let named = ProcessInfo.processInfo.environment["JOURNAL_STREAM"],
            fstat(StandardError.descriptor, &status) == 0
        else { return false }
        return named == "\(status.st_dev):\(status.st_ino)"
    }()

    /// A message as the journal takes it: it knows who says it, and each line is an entry of its own.
    static func entries(_ lines: [String], _ level: Level) -> [String] {
        let name = "framegrep: "
        return lines.map { "<\(level.rawValue)>" + ($0.hasPrefix(name) ? String($0.dropFirst(name.count)) : $0) }
    }
}
