public import TextSpotting

extension IndexedSource {
    /// Why a search has not searched a recording, or not as it is now.
    public enum Lack: Sendable, Hashable {
        /// It could not be read; a sentence says why.
        case unread(String?)
        case gone
        case changed
        /// It was read up to here.
        case partial(StreamTime)
        /// Some of it was in a part of the index that cannot be read.
        case damaged
        /// A time of the clock is searched, and nothing says when it was recorded.
        case undated
        /// It was asked for meanings, and its texts have no vectors yet.
        case withoutVectors

        /// A part of a sentence.
        public var text: String {
            switch self {
            case .unread(let problem): problem ?? "it could not be read"
            case .gone: "its file is gone"
            case .changed: "its file has changed"
            case .partial(let end): "it was read only up to \(ClockTime.text(end))"
            case .damaged: "a part of the index is damaged"
            case .undated: "nobody knows when it was recorded"
            case .withoutVectors: "it cannot be searched by meaning yet"
            }
        }
    }

    /// Why the index may not show the file's current contents; nil if it does.
    public var lack: Lack? {
        guard TextIndex.isAsItWas(self) else { return FileStamp(path: name) == nil ? .gone : .changed }
        return state == .partial ? .partial(end) : nil
    }

    /// Chooses the recordings that a search of everything searches, by name: of a recording that was read in several manners the one that
    /// got further, or else the one that was read more closely. Leaves out those that could not be read or are no longer kept.
    public static func best(of all: [IndexedSource]) -> [IndexedSource] {
        var best: [String: IndexedSource] = [:]
        for source in all where source.state != .failed && source.state != .expired {
            if let known = best[source.name], known.isBetter(than: source) { continue }
            best[source.name] = source
        }
        return best.values.sorted { $0.name < $1.name }
    }

    private func isBetter(than other: IndexedSource) -> Bool {
        if state != other.state { return state == .complete }
        if isSkimmed != other.isSkimmed { return !isSkimmed }
        return closeness >= other.closeness
    }

    /// The part of a manner that says that a still picture was read as well as it can be.
    public static let closely = "closely"

    /// The larger, the more closely it was read.
    private var closeness: Int {
        (manner.contains(Self.closely) ? 2 : 0) + (manner.contains("accurate") ? 1 : 0)
    }
}
