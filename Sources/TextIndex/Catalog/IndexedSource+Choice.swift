import TextSpotting

extension IndexedSource {
    /// Why what the index says of it may not be what its file shows now; nil where it is.
    public var lack: String? {
        guard TextIndex.isAsItWas(self) else {
            return FileStamp(path: name) == nil ? "its file is gone" : "its file has changed"
        }
        return state == .partial ? "it was read only up to \(ClockTime.text(end))" : nil
    }

    /// What a search of all of them searches, by name: of a recording that was read in several manners the one that got further,
    /// or else the one that reads closer; none that could not be read or is no longer kept.
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
        return manner.contains("accurate") || !other.manner.contains("accurate")
    }
}
