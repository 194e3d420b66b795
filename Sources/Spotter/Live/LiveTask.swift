/// The source of a live job, and the output of its frames.
enum LiveTask: Sendable {
    /// One pipeline of the person's own, with `appsink name=frames` and perhaps `appsrc name=overlay`.
    case pipeline(String)
    /// A source that can be opened again, and a pipeline that begins with `appsrc name=overlay`; nil for no picture.
    case source(LiveSource, output: String?)

    /// The pipeline of a search of the same recording; nil where it is none.
    var search: String? {
        switch self {
        case .pipeline: nil
        case .source(let source, _): source.search
        }
    }

    /// The reaction when the source is lost.
    var policy: LossPolicy {
        switch self {
        case .pipeline: .none
        case .source(let source, _): source.policy
        }
    }
}
