import CSpeech
import Glibc

/// The process that understands speech: loads the model, takes one utterance from its standard input, writes what it heard to its standard
/// output, and ends.
///
/// A process of its own, because the libraries take half a gigabyte for a moment and never give all of it back.
public enum SpeechWorker {
    /// What the program is started with to be one; then come a folder and perhaps a model's.
    public static let option = "--speech-worker"

    /// Begins each answer, so that an empty one is one too.
    static let heard: UInt8 = 1
    static let failed: UInt8 = 0

    public static func main(_ words: [String]) -> Never {
        // Our own way; what libraries write to the standard streams gets lost.
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
        write(bytes, to: output)
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

    static func write(_ bytes: [UInt8], to descriptor: Int32) {
        var place = 0
        while place < bytes.count {
            let count = bytes[place...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            place += count
        }
    }
}
