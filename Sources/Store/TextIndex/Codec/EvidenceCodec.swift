import Glibc
import TextMatching

/// Encodes a reader's evidence in few bytes: only for the characters that it was in doubt about.
///
/// A character on which all steps agree is only counted, and decoded as two steps, itself and a blank. For a doubtful
/// one each step is kept, with the logarithms of probabilities in a byte each. The decoded evidence gives the same
/// result for every pattern, except for the last digits of scores.
enum EvidenceCodec {
    /// The probability from which a step is certain.
    private static let sure: Float = 0.97
    /// Characters with a lower probability do not make a letter doubtful, and are not stored.
    private static let least: Float = 0.004
    /// The lowest logarithm that is kept; lower ones are raised to it.
    private static let lowest: Float = -10
    /// The log probability assumed for a sure step.
    private static let sureLogarithm: Float = -0.001
    /// The largest number of steps of a character that are kept.
    private static let mostSteps = 64

    /// - Parameter letters: the letters of the line, in order.
    ///
    /// - Returns: false if the peaks do not match the letters; then nothing was written.
    static func write(_ evidence: ReadingEvidence, of letters: [Character], to writer: inout ByteWriter) -> Bool {
        guard evidence.count > 0, evidence.peaks.count == letters.count, isRising(evidence.peaks) else { return false }
        var sureOnes = 0
        for (index, letter) in letters.enumerated() {
            let cell = evidence.cell(ofCharacter: index).prefix(mostSteps)
            if isSure(letter, cell, evidence) {
                sureOnes += 1
                continue
            }
            writer.number(sureOnes)
            sureOnes = 0
            writer.number(cell.count)
            writer.number(max(0, min(cell.count, Int(evidence.peaks[index].rounded()) - cell.startIndex)))
            for step in cell { write(step, evidence, to: &writer) }
        }
        writer.number(sureOnes)
        return true
    }

    /// - Parameter letters: the first scalar of each letter of the line, in order.
    static func read(of letters: [UInt32], from reader: inout ByteReader) throws(ByteReader.Damage)
        -> ReadingEvidence
    {
        var evidence = ReadingEvidence()
        // Some letters have more than two steps.
        evidence.reserve(steps: 2 * letters.count + 32)
        var peaks: [Float] = []
        peaks.reserveCapacity(letters.count)
        var candidates: [ReadingEvidence.Candidate] = []
        var index = 0
        while true {
            for _ in 0..<(try reader.count(upTo: letters.count - index)) {
                peaks.append(Float(evidence.count))
                evidence.append(
                    sure: .init(scalar: letters[index], logarithm: sureLogarithm),
                    besides: -7, blank: sureLogarithm)
                index += 1
            }
            guard index < letters.count else { break }
            let steps = try reader.count(upTo: mostSteps)
            peaks.append(Float(evidence.count + (try reader.count(upTo: steps))))
            for _ in 0..<steps { try readStep(into: &evidence, &candidates, from: &reader) }
            index += 1
        }
        evidence.peaks = peaks
        return evidence
    }

    /// Skips the evidence of a line with this many letters.
    static func skip(ofLetters letters: Int, in reader: inout ByteReader) throws(ByteReader.Damage) {
        var index = 0
        while true {
            index += try reader.count(upTo: letters - index)
            guard index < letters else { return }
            let steps = try reader.count(upTo: mostSteps)
            _ = try reader.count(upTo: steps)
            for _ in 0..<steps {
                let count = try reader.count(upTo: ReadingEvidence.mostCandidates)
                _ = try reader.byte()
                for _ in 0..<count {
                    _ = try reader.number()
                    _ = try reader.byte()
                }
            }
            index += 1
        }
    }

    private static func isRising(_ peaks: [Float]) -> Bool {
        guard peaks.allSatisfy({ $0.isFinite && $0 >= 0 }) else { return false }
        return zip(peaks, peaks.dropFirst()).allSatisfy { $0 <= $1 }
    }

    /// Returns whether every step is the letter or blank, and at least one is the letter.
    private static func isSure(_ letter: Character, _ cell: Range<Int>, _ evidence: ReadingEvidence) -> Bool {
        let scalar = letter.unicodeScalars.first?.value
        var isSaid = false
        for step in cell {
            var known = exp(evidence.blanks[step])
            for candidate in evidence.candidates(at: step) {
                let probability = exp(candidate.logarithm)
                if candidate.scalar == scalar {
                    known += probability
                    isSaid = isSaid || probability >= sure
                } else if candidate.scalar == 0x20 {
                    known += probability
                } else if probability >= least {
                    return false
                }
            }
            guard known >= sure else { return false }
        }
        return isSaid
    }

    private static func write(_ step: Int, _ evidence: ReadingEvidence, to writer: inout ByteWriter) {
        let kept = evidence.candidates(at: step).filter { exp($0.logarithm) >= least }
        writer.number(kept.count)
        writer.byte(quantized(evidence.blanks[step]))
        for candidate in kept {
            writer.number(UInt64(candidate.scalar))
            writer.byte(quantized(candidate.logarithm))
        }
    }

    private static func readStep(
        into evidence: inout ReadingEvidence, _ candidates: inout [ReadingEvidence.Candidate],
        from reader: inout ByteReader
    ) throws(ByteReader.Damage) {
        let count = try reader.count(upTo: ReadingEvidence.mostCandidates)
        let blank = logarithm(try reader.byte())
        candidates.removeAll(keepingCapacity: true)
        for _ in 0..<count {
            let scalar = UInt32(try reader.count(upTo: 0x10_FFFF))
            candidates.append(.init(scalar: scalar, logarithm: logarithm(try reader.byte())))
        }
        evidence.append(blank: blank, candidates)
    }

    private static func quantized(_ logarithm: Float) -> UInt8 {
        guard logarithm.isFinite else { return 255 }
        return UInt8((min(1, max(0, logarithm / lowest)).squareRoot() * 255).rounded())
    }

    private static func logarithm(_ byte: UInt8) -> Float {
        let root = Float(byte) / 255
        return lowest * root * root
    }
}

extension Range<Int> {
    /// Returns the first elements of the range.
    fileprivate func prefix(_ count: Int) -> Range<Int> { lowerBound..<Swift.min(upperBound, lowerBound + count) }
    fileprivate var startIndex: Int { lowerBound }
}

/// Encodes the times of a part's frames, and which of them were read.
enum PartCodec {
    private static let most = 100_000_000

    static func encode(_ frames: FrameTimes) -> [UInt8] {
        var writer = ByteWriter()
        writer.number(frames.runs.count)
        var end: Int64 = 0
        for run in frames.runs {
            writer.signed(run.start - end)
            writer.number(run.count)
            writer.signed(run.span)
            end = run.start + run.span
        }
        return writer.bytes
    }

    static func decodeFrames(_ bytes: [UInt8]) throws(ByteReader.Damage) -> FrameTimes {
        var reader = ByteReader(bytes)
        var result = FrameTimes()
        var end: Int64 = 0
        for _ in 0..<(try reader.count(upTo: bytes.count)) {
            let start = end + (try reader.signed(upTo: 1 << 60))
            let count = try reader.count(upTo: most)
            let span = try reader.signed(upTo: 1 << 60)
            guard abs(start) <= 1 << 60, span >= 0 else { throw ByteReader.Damage() }
            result.runs.append(.init(start: start, count: count, span: span))
            end = start + span
        }
        return result
    }

    /// Encodes increasing numbers.
    static func encode(steps: [Int]) -> [UInt8] {
        var writer = ByteWriter()
        writer.number(steps.count)
        var last = 0
        for step in steps {
            writer.number(max(0, step - last))
            last = max(last, step)
        }
        return writer.bytes
    }

    static func decodeSteps(_ bytes: [UInt8]) throws(ByteReader.Damage) -> [Int] {
        var reader = ByteReader(bytes)
        let count = try reader.count(upTo: bytes.count)
        var result: [Int] = []
        result.reserveCapacity(count)
        var last = 0
        // Most of them take one byte, and a search of many parts reads thousands.
        var place = reader.position
        for _ in 0..<count {
            if place < bytes.count, bytes[place] < 0x80 {
                last += Int(bytes[place])
                place += 1
            } else {
                var rest = ByteReader(bytes, from: place)
                last += try rest.count(upTo: most)
                place = rest.position
            }
            guard last <= most else { throw ByteReader.Damage() }
            result.append(last)
        }
        return result
    }
}
