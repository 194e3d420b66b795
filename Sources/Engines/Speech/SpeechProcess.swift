import CSpeech
public import Errors
import Glibc
import Processes
import Synchronization
import Threads

/// A process that has loaded the model, or is loading it, and waits for one utterance. It ends with the last reference
/// to it. Thread-safe.
public final class SpeechProcess: Sendable {
    private let process: ChildProcess

    /// The time limit for an utterance: twenty times what it takes on two slow cores.
    private static let patience = Duration.seconds(30)

    /// Starts the process, which then loads the model.
    ///
    /// - Parameter program: the program to start with ``SpeechWorker/option``, which it must pass to ``SpeechWorker``.
    /// - Throws: `.engineUnavailable` if files are missing or no process can be started.
    public init(_ files: (folder: String, model: String?), program: String = "/proc/self/exe") throws(FramegrepError) {
        if let missing = SpeechFiles(folder: files.folder, model: files.model).missing {
            throw FramegrepError(
                .engineUnavailable,
                "Speech cannot be recognized: there is no \(missing). Run 'framegrep setup --voice'"
                    + (files.model == nil ? "." : ", and see docs/VOICE.md for the three files of a model."))
        }
        let words = ["framegrep-voice", SpeechWorker.option, files.folder] + (files.model.map { [$0] } ?? [])
        do {
            process = try ChildProcess(program, words, input: .pipe, output: .pipe, errors: .nothing)
        } catch {
            throw FramegrepError(.engineUnavailable, "The process that recognizes speech cannot be started: \(error).")
        }
    }

    /// Returns the words in these samples; may be called once. Blocking work runs on a separate thread.
    ///
    /// - Parameter lines: the lines that may be meant, the most likely first.
    /// - Throws: `.engineUnavailable` with the reason they cannot be recognized, `CancellationError` when the task is
    ///   cancelled.
    func hear(_ samples: [Float], among lines: [String]) async throws -> SpeechHearing {
        let isLate = Mutex(false)
        let end = Task {
            try await Task.sleep(for: Self.patience)
            isLate.withLock { $0 = true }
            self.end()
        }
        defer { end.cancel() }
        let answer = try await withTaskCancellationHandler {
            try await DedicatedThread.run(named: "framegrep-voice") { [self] in
                ask(SpeechQuestion(samples: samples, lines: lines).bytes)
            }
        } onCancel: {
            self.end()
        }
        try Task.checkCancellation()
        let text = String(decoding: answer.dropFirst(), as: UTF8.self)
        if answer.first == SpeechWorker.heard, let hearing = SpeechHearing(answer.dropFirst()) { return hearing }
        switch answer.first {
        case SpeechWorker.failed: throw FramegrepError(.engineUnavailable, "Speech cannot be recognized: \(text).")
        case nil where isLate.withLock({ $0 }):
            throw FramegrepError(
                .engineUnavailable,
                "Speech was not recognized within \(Self.patience.components.seconds) seconds: the machine is too busy. Say it again, or type it."
            )
        default:
            throw FramegrepError(
                .engineUnavailable, "Speech cannot be recognized: its process ended unexpectedly.")
        }
    }

    /// Ends it at once.
    public func end() { process.end() }

    private func ask(_ question: [UInt8]) -> [UInt8] {
        process.write(question)
        process.closeInput()
        return PipeBytes.readAll(atMost: 1 << 16, from: process.output)
    }
}

/// The process that recognizes speech: loads the model, takes one utterance from its standard input, writes what it
/// heard to its standard output, and ends.
///
/// It is a separate process, because the libraries take half a gigabyte for a moment and never return all of it.
public enum SpeechWorker {
    /// The argument that makes the program a speech worker, followed by a folder and perhaps that of a model.
    public static let option = "--speech-worker"

    /// Begins each answer, so that an empty answer is not taken for none.
    static let heard: UInt8 = 1
    static let failed: UInt8 = 0

    public static func main(_ words: [String]) -> Never {
        // Use a separate descriptor; anything that libraries write to the standard streams is discarded.
        let output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10)
        let nowhere = open("/dev/null", O_RDWR | O_CLOEXEC)
        for stream in [STDOUT_FILENO, STDERR_FILENO] { dup2(nowhere, stream) }
        var core = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &core)
        guard let folder = words.first else { _exit(2) }
        let files = SpeechFiles(folder: folder, model: words.dropFirst().first)
        let answer = hear(files)
        let bytes =
            switch answer {
            case .success(let hearing): [heard] + hearing.bytes
            case .failure(let failure): [failed] + Array(failure.reason.utf8)
            }
        _ = PipeBytes.write(bytes, to: output)
        _exit(0)
    }

    private static func hear(_ files: SpeechFiles) -> Result<SpeechHearing, SpeechModel.Failure> {
        Result { () throws(SpeechModel.Failure) in
            let model = try SpeechModel(files, threads: max(1, min(4, sysconf(Int32(_SC_NPROCESSORS_ONLN)))))
            let question = SpeechQuestion(reading: STDIN_FILENO)
            guard !question.samples.isEmpty else { return SpeechHearing(text: "", own: 0, candidates: []) }
            return try model.hear(question.samples, among: question.lines)
        }
    }
}

/// The files for recognizing speech: a runtime, and a model of one language.
public struct SpeechFiles: Sendable, Hashable {
    /// `libonnxruntime.so.1`, under the name that it was installed as.
    public let runtime: String
    public let encoder: String
    public let decoder: String
    public let tokenizer: String
    /// The file with the frequencies of words of the language; nil if there is none.
    let words: String?

    /// - Parameters:
    ///   - folder: the folder installed by `framegrep setup --voice`.
    ///   - model: another folder with a model's three files; nil for the included English model.
    public init(folder: String, model: String?) {
        runtime = folder + "/libonnxruntime.so.1"
        let place = model ?? folder + "/en"
        func file(_ name: String) -> String {
            [".ort", ".onnx"].map { "\(place)/\(name)\($0)" }.first { access($0, R_OK) == 0 } ?? "\(place)/\(name).ort"
        }
        encoder = file("encoder_model")
        decoder = file("decoder_model_merged")
        tokenizer = place + "/tokenizer.bin"
        words = access(place + "/words.txt", R_OK) == 0 ? place + "/words.txt" : nil
    }

    /// Returns the contents of a file; nil if it cannot be read or is empty.
    static func bytes(of path: String) -> [UInt8]? {
        guard let file = fopen(path, "rb") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count < 1 << 24 {
            let count = fread(&buffer, 1, buffer.count, file)
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        return bytes.isEmpty ? nil : bytes
    }

    /// The first file that is missing; nil if all are there.
    public var missing: String? {
        [runtime, encoder, decoder, tokenizer].first { access($0, R_OK) != 0 }
    }
}
