import Engines
import Errors
import Foundation
import GStreamerMedia
import Processes
import Spotter
import Synchronization
import TextMatching
import TextSpotting
import Threads

/// Scales frames down and sends them to the page's server with their boxes, while there is a viewer. Thread-safe.
///
/// Buffering: the newest frame waits; one that arrives meanwhile replaces it. The display only stores it here, and
/// nothing is encoded without a viewer.
final class ViewerStream: FrameViewer {
    private struct State: ~Copyable {
        var look = ViewerCommand.Look()
        var frame: ViewedFrame?
        var needsKey = false
        var isOver = false
    }

    /// The shortest time between frames; no browser shows more.
    private static let shortest = StreamTime(seconds: 1.0 / 32)

    private let writer: ViewerRecordWriter
    private let state = Mutex(State())
    private let looking = Atomic<Bool>(false)
    private let bell = WakeEvent()

    init(_ writer: ViewerRecordWriter) { self.writer = writer }

    // MARK: FrameViewer

    var isLooking: Bool { looking.load(ordering: .relaxed) }

    func see(_ frame: consuming sending ViewedFrame) {
        var incoming: ViewedFrame? = consume frame
        state.withLock { state in
            if !state.isOver { state.frame = incoming.take() }
        }
        bell.ring()
    }

    // MARK: Commands of the server

    func look(_ look: ViewerCommand.Look) {
        state.withLock { state in
            state.look = look
            state.needsKey = true
            if look.kinds.isEmpty { state.frame = nil }
        }
        looking.store(!look.kinds.isEmpty, ordering: .relaxed)
        bell.ring()
    }

    func needsKey() { state.withLock { $0.needsKey = true } }

    // MARK: Its thread

    func start() throws {
        // The newest frame may have waited for this.
        writer.whenFree { [weak self] in self?.bell.ring() }
        try DedicatedThread.start(named: "framegrep-feed") { self.run() }
    }

    func stop() {
        state.withLock { $0.isOver = true }
        bell.ring()
    }

    private func run() {
        var encoders = ViewerEncoders()
        var last: StreamTime?
        while true {
            bell.wait()
            let (look, needsKey, isOver) = state.withLock { ($0.look, $0.needsKey, $0.isOver) }
            if isOver { return }
            encoders.keep(look.kinds)
            guard writer.hasRoom, let frame = take() else { continue }
            if let last, frame.time > last, frame.time - last < Self.shortest { continue }
            last = frame.time
            if needsKey { state.withLock { $0.needsKey = false } }
            for record in encoders.records(of: frame, look, asKey: needsKey) { writer.write(record) }
        }
    }

    private func take() -> ViewedFrame? { state.withLock { $0.frame.take() } }
}

/// Writes records for the page's server, one after the other. Thread-safe; callers never wait.
///
/// Buffering: one frame at a time, and events up to ``limit``. If a server lets more wait, it is given up and the job
/// ends; when it recovers, it starts a new job, so it never gets only one of a pair of events.
final class ViewerRecordWriter: Sendable {
    private struct State {
        var frames = 0
        var isGone = false
        var gone: (@Sendable () -> Void)?
        var free: (@Sendable () -> Void)?
    }

    /// The limit in bytes: some hours of events.
    static let limit = 4 << 20

    private let descriptor: Int32
    private let queue = OutputQueue(endsWithProgram: false)
    private let state = Mutex(State())

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    func whenGone(_ action: @escaping @Sendable () -> Void) { state.withLock { $0.gone = action } }

    func whenFree(_ action: @escaping @Sendable () -> Void) { state.withLock { $0.free = action } }

    /// Whether the previous frame is written, so that there is room for the next.
    var hasRoom: Bool { state.withLock { $0.frames == 0 } }

    /// The number of waiting bytes.
    var bytes: Int { queue.bytes }

    func write(_ record: ViewerRecord) {
        let isFrame = record.kind != .event
        let isGone = state.withLock { state in
            if isFrame, !state.isGone { state.frames += 1 }
            return state.isGone
        }
        guard !isGone else { return }
        let bytes = record.bytes
        // A frame may be larger than all events.
        let isTaken = queue.add(bytes.count, upTo: isFrame ? .max : Self.limit) { [self] in
            let isGone = state.withLock { $0.isGone }
            if !isGone, PipeBytes.failure(writing: bytes, to: descriptor) != nil { leave() }
            let free = state.withLock { state in
                if isFrame { state.frames -= 1 }
                return isFrame && state.frames == 0 ? state.free : nil
            }
            free?()
        }
        if !isTaken { leave() }
    }

    private func leave() {
        let gone = state.withLock { state in
            defer { state.isGone = true }
            return state.isGone ? nil : state.gone
        }
        gone?()
    }

    /// Returns when everything is written, or the server is gone.
    func finish() async {
        guard !state.withLock({ $0.isGone }) else { return }
        await queue.settled()
    }
}

/// Carries out the commands of the page's server, line by line, until they end; then the job ends.
struct ViewerCommands: Sendable {
    let lines: LineReader
    let spotter: LiveSpotter
    let feed: ViewerStream
    let writer: ViewerRecordWriter
    let memory: LiveIndexRecorder?

    func start() throws {
        try DedicatedThread.start(named: "framegrep-order") { listen() }
    }

    private func listen() {
        // The server sends no longer lines.
        while case .line(let line)? = lines.next() {
            if let order = try? JSONDecoder().decode(ViewerCommand.self, from: Data(line)) { obey(order) }
        }
        spotter.stop()
    }

    private func obey(_ order: ViewerCommand) {
        if let look = order.look { feed.look(look) }
        if order.needsKey == true { feed.needsKey() }
        if let words = order.words { search(for: words) }
        if order.keep == true { keep() }
    }

    private func search(for words: JobPlan.Search) {
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

/// The encoders that are currently wanted. Used by one thread.
struct ViewerEncoders {
    private var made: [FrameEncoder.Kind: (encoder: FrameEncoder, longestSide: Int)] = [:]
    /// The encoders that this machine lacks.
    private var missing: Set<FrameEncoder.Kind> = []
    private var last = StreamTime.zero

    private static let step = StreamTime(nanoseconds: 1_000_000)

    /// Releases all other encoders.
    mutating func keep(_ kinds: Set<FrameEncoder.Kind>) { made = made.filter { kinds.contains($0.key) } }

    /// Returns the frame in every wanted encoding; as JPEG if the machine has no H.264 encoder.
    mutating func records(of frame: borrowing ViewedFrame, _ look: ViewerCommand.Look, asKey: Bool) -> [ViewerRecord] {
        guard let info = frame.sample.info, info.width > 0, info.height > 0 else { return [] }
        // A source that is opened again begins at another time.
        last = max(frame.time, last + Self.step)
        let head = Self.head(frame, info)
        var kinds = look.kinds
        if kinds.contains(where: missing.contains) { kinds.insert(.jpeg) }
        var records: [ViewerRecord] = []
        for kind in kinds.sorted(by: { $0.rawValue < $1.rawValue }) where !missing.contains(kind) {
            let known = made[kind].flatMap {
                $0.encoder.info == info && $0.longestSide == look.longestSide ? $0.encoder : nil
            }
            guard let encoder = known ?? make(kind, info, look.longestSide) else { continue }
            guard let encoded = encoder.encode(frame.sample.retained(), at: last, asKey: asKey || known == nil) else {
                made[kind] = nil
                continue
            }
            records.append(
                ViewerRecord(kind == .h264 ? .h264 : .jpeg, isKey: encoded.isKey, head: head, body: encoded.bytes))
        }
        return records
    }

    private mutating func make(_ kind: FrameEncoder.Kind, _ info: VideoInfo, _ longestSide: Int) -> FrameEncoder? {
        made[kind] = nil
        do {
            let encoder = try FrameEncoder(kind, like: info, longestSide: longestSide)
            made[kind] = (encoder, longestSide)
            return encoder
        } catch {
            missing.insert(kind)
            if let error = error as? FramegrepError { StandardError.line("framegrep: \(error.message)") }
            return nil
        }
    }

    /// Returns the header of a frame for a browser: its time, the size of the picture that its boxes refer to, and the
    /// boxes.
    private static func head(_ frame: borrowing ViewedFrame, _ info: VideoInfo) -> String {
        let age = (ContinuousClock.now - frame.arrival).inSeconds
        var object = JSONObject()
        object.add("t", frame.time.seconds, decimals: 6)
        // The time of arrival, as browsers count: in milliseconds since 1970.
        object.add("arrived", (Date().timeIntervalSince1970 - age) * 1000, decimals: 1)
        object.add("width", Int((Double(info.width) * info.pixelAspectRatio.pixelAspect).rounded()))
        object.add("height", info.height)
        object.add("boxes", list: frame.boxes.map(box))
        return object.text
    }

    private static func box(_ box: ViewedBox) -> String {
        var object = JSONObject()
        object.add("id", box.id)
        object.add("pattern", box.pattern)
        object.add("text", box.text)
        object.add("index", box.patternIndex)
        object.add("score", box.score, decimals: 3)
        object.add("age", box.age, decimals: 2)
        object.add("quad", json: JSONLinesFormatter.quad(box.quad))
        return object.text
    }
}
