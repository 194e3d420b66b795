import Engines
import Errors
import Foundation
import Spotter
import TextMatching
import TextSpotting
import Threads

/// Carries out the commands of the page's server, line by line, until they end: then the job ends.
struct ViewerCommands: Sendable {
    private let spotter: LiveSpotter
    private let feed: ViewerStream
    private let writer: ViewerRecordWriter
    private let memory: LiveIndexRecorder?
    private let lines: ViewerCommandLines

    init(
        lines: ViewerCommandLines, spotter: LiveSpotter, feed: ViewerStream, writer: ViewerRecordWriter,
        memory: LiveIndexRecorder?
    ) {
        (self.spotter, self.feed, self.writer, self.memory) = (spotter, feed, writer, memory)
        self.lines = lines
    }

    func start() throws {
        try DedicatedThread.start(named: "framegrep-order") { listen() }
    }

    private func listen() {
        while let line = lines.next() {
            if let order = try? JSONDecoder().decode(ViewerCommand.self, from: line) { obey(order) }
        }
        spotter.stop()
    }

    private func obey(_ order: ViewerCommand) {
        if let look = order.look { feed.look(look) }
        if order.needsKey == true { feed.needsKey() }
        if let words = order.words { search(for: words) }
        if order.keep == true { keep() }
    }

    private func search(for words: ViewerCommand.Words) {
        do {
            var manner = words.manner
            manner.meaning = MeaningInstallation.source
            spotter.search(for: try manner.matcher(for: words.patterns))
        } catch {
            spotter.warn(
                error as? FramegrepError
                    ?? FramegrepError(.badPattern, "The words cannot be searched for: \(error)."))
        }
    }

    private func keep() {
        Task {
            await memory?.keepNow()
            writer.write(ViewerRecord(.event, head: JSONObject(type: "kept").text))
        }
    }
}

/// The lines of standard input. For one thread at a time.
// @unchecked: the job's words are read before the thread that reads its orders is started.
final class ViewerCommandLines: @unchecked Sendable {
    /// Longer lines no server sends.
    private static let longest = 1 << 20

    private var rest: [UInt8] = []

    /// The next line; nil at the end.
    func next() -> Data? {
        while rest.count < Self.longest {
            if let end = rest.firstIndex(of: 0x0A) {
                let line = Data(rest[..<end])
                rest.removeSubrange(...end)
                return line
            }
            var got = 0
            rest += [UInt8](unsafeUninitializedCapacity: 4096) { bytes, count in
                got = read(STDIN_FILENO, bytes.baseAddress, 4096)
                count = max(0, got)
            }
            guard got > 0 || got < 0 && errno == EINTR else { return nil }
        }
        return nil
    }
}
