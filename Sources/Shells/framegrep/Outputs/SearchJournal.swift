import Foundation
import Synchronization
import TextSpotting

/// The data by which a search continues after a crash: its inputs, its patterns, its outputs, and its progress.
/// Thread-safe.
///
/// It is in memory that has a descriptor (shm_open(3)) but no name, and so outlives the program that wrote it: see
/// ``CrashRestart``. Counters are plain words of a shared mapping, the only kind of data that a signal handler may
/// touch.
final class SearchJournal: Sendable {
    /// The part that does not change from sighting to sighting.
    struct Contents: Codable, Sendable {
        /// The inputs, with globs expanded and folders listed.
        var inputs: [SearchInput]
        /// The patterns as they were read: a pipe of patterns cannot be read again.
        var patterns: [String]
        /// Files that are being written, by their options.
        var outputs: [String: OutputFile.Handover] = [:]
    }

    /// The counters in the mapping; each has eight bytes.
    enum Counter: Int, CaseIterable {
        /// Distinguishes a journal from another file.
        case mark
        /// The location of the contents: the offset in the upper half, the length in the lower one.
        case contents
        /// The number of the input that is searched; -1 for none. If several are searched concurrently, the first.
        case input
        /// The signal that ended the program; 0 for none.
        case crash
        /// The signal that requested an end; 0 for none.
        case interruption
        case sightings, sightingsInInput
        /// The number of the input's results that were written, counted in sightings and lines of text.
        case writtenInInput
        /// The number of inputs that are searched concurrently.
        case jobs
        case hadError
    }

    private static let mark: Int64 = 0x6672_616D_6567_7265
    private static let headLength = 4096

    private let descriptor: Int32
    /// The contents at the start of this process; nil if the search begins here.
    let resumed: Contents?
    /// The input in which an earlier process crashed, and the reason; nil if the search begins here.
    let crash: (input: Int, reason: String)?
    private let contents: Mutex<Contents>
    // A mapping of this process's own, of aligned words that are each written by one thread at a time; never freed.
    nonisolated(unsafe) private let counters: UnsafeMutablePointer<Int64>

    /// - Returns: nil if the system has no such memory; then a crash ends the program.
    init?(inputs: [SearchInput], patterns: [String]) {
        let name = "/framegrep-\(getpid())-\(UInt32.random(in: 0...(.max)))"
        descriptor = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0o600)
        shm_unlink(name)
        guard descriptor >= 0, ftruncate(descriptor, off_t(Self.headLength)) == 0,
            let counters = Self.map(descriptor)
        else { return nil }
        self.counters = counters
        contents = Mutex(Contents(inputs: inputs, patterns: patterns))
        resumed = nil
        crash = nil
        self[.mark] = Self.mark
        self[.input] = -1
        guard keep() else { return nil }
    }

    /// The journal of this process from before a crash; nil if there was none.
    static let inherited: SearchJournal? = {
        guard let text = getenv("FRAMEGREP_CRASH_JOURNAL") else { return nil }
        defer { unsetenv("FRAMEGREP_CRASH_JOURNAL") }
        return Int32(String(cString: text)).flatMap(SearchJournal.init(descriptor:))
    }()

    private init?(descriptor: Int32) {
        self.descriptor = descriptor
        // Only a file without a name is accepted, so that no user's file is overwritten, whatever the variable says.
        guard let status = FileStatus(ofDescriptor: descriptor), status.isFile, status.values.st_nlink == 0,
            fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0,
            let counters = Self.map(descriptor), counters[Counter.mark.rawValue] == Self.mark
        else { return nil }
        self.counters = counters
        let place = counters[Counter.contents.rawValue]
        var bytes = [UInt8](repeating: 0, count: Int(place & 0xFFFF_FFFF))
        guard pread(descriptor, &bytes, bytes.count, off_t(place >> 32)) == bytes.count,
            let contents = try? JSONDecoder().decode(Contents.self, from: Data(bytes))
        else { return nil }
        resumed = contents
        let number = Int32(truncatingIfNeeded: counters[Counter.crash.rawValue])
        let reason = CrashRestart.signals.first { $0.key == number }.map { "\($0.value)" } ?? "signal \(number)"
        crash = (Int(counters[Counter.input.rawValue]), reason)
        // A crash between now and the continuation of the search would repeat forever.
        counters[Counter.input.rawValue] = -1
        self.contents = Mutex(contents)
    }

    subscript(counter: Counter) -> Int64 {
        get { counters[counter.rawValue] }
        set { counters[counter.rawValue] = newValue }
    }

    /// The signal that interrupted an earlier process of this search.
    var interruption: Int32? {
        let number = self[.interruption]
        return resumed == nil || number == 0 ? nil : Int32(truncatingIfNeeded: number)
    }

    /// Records a file that is written from now on.
    func hand(_ file: OutputFile, by option: String, descriptor: Int32? = nil) {
        contents.withLock { $0.outputs[option] = file.handover(descriptor: descriptor) }
        _ = keep()
    }

    /// Makes the search continue after a crash from now on.
    func arm() {
        let descriptors = [descriptor] + contents.withLock { $0.outputs.values.compactMap(\.descriptor) }
        CrashRestart.arm(
            CrashRestart.Journal(
                work: counters + Counter.input.rawValue, crash: counters + Counter.crash.rawValue,
                descriptors: descriptors, variable: "FRAMEGREP_CRASH_JOURNAL=\(descriptor)"))
    }

    /// Writes the contents after the older ones, and only then their location, because a crash may come at any moment.
    private func keep() -> Bool {
        contents.withLock { contents in
            guard let data = try? JSONEncoder().encode(contents),
                let status = FileStatus(ofDescriptor: descriptor)
            else { return false }
            let place = Int64(max(Self.headLength, status.size))
            let count = data.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, off_t(place)) }
            guard count == data.count else { return false }
            self[.contents] = place << 32 | Int64(data.count)
            return true
        }
    }

    private static func map(_ descriptor: Int32) -> UnsafeMutablePointer<Int64>? {
        let memory = mmap(nil, headLength, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        guard let memory, memory != MAP_FAILED else { return nil }
        return memory.bindMemory(to: Int64.self, capacity: headLength / MemoryLayout<Int64>.stride)
    }
}
