import Glibc

/// What the process that understands speech is asked: samples, and the lines that may be meant.
struct SpeechQuestion: Sendable {
    var samples: [Float]
    var lines: [String]

    /// More is neither an utterance nor a vocabulary.
    private static let mostBytes = 1 << 24

    init(samples: [Float], lines: [String]) { (self.samples, self.lines) = (samples, lines) }

    /// Reads one to the end of a stream; what is cut off is left out.
    init(reading descriptor: Int32) {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count < Self.mostBytes {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        self = bytes.withUnsafeBytes { raw in
            guard raw.count >= 8 else { return SpeechQuestion(samples: [], lines: []) }
            let count = min(Int(raw.loadUnaligned(as: UInt32.self)), (raw.count - 4) / 4)
            let samples = (0..<count).map { raw.loadUnaligned(fromByteOffset: 4 + $0 * 4, as: Float.self) }
            let text = String(decoding: raw[(4 + count * 4)...], as: UTF8.self)
            return SpeechQuestion(samples: samples, lines: text.split(separator: "\n").map(String.init))
        }
    }

    /// As it is written.
    var bytes: [UInt8] {
        let count = withUnsafeBytes(of: UInt32(samples.count)) { Array($0) }
        return count + samples.withUnsafeBytes { Array($0) } + Array(lines.joined(separator: "\n").utf8)
    }
}

extension SpeechHearing {
    /// As it is written: what was heard with its score, then a line for each candidate.
    var bytes: [UInt8] {
        let first = "\(own)\t0\t\(text)"
        return Array(
            ([first] + candidates.map { "\($0.score)\t\($0.distance)\t\($0.text)" }).joined(separator: "\n").utf8)
    }

    /// Nil for what is none.
    init?(_ bytes: some Sequence<UInt8>) {
        let rows = String(decoding: Array(bytes), as: UTF8.self).split(separator: "\n").map { row in
            let parts = row.split(separator: "\t", maxSplits: 2, omittingEmptySubsequences: false)
            return Candidate(
                text: parts.count > 2 ? String(parts[2]) : "", distance: parts.count > 1 ? Double(parts[1]) ?? 1 : 1,
                score: parts.first.flatMap { Float($0) } ?? 0)
        }
        guard let first = rows.first else { return nil }
        self.init(text: first.text, own: first.score, candidates: Array(rows.dropFirst()))
    }
}
