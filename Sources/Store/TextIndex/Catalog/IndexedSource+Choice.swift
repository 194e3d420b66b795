import Foundation
public import TextSpotting

extension IndexedSource {
    /// The reason a search has not searched a recording, or not in its current state.
    public enum Lack: Sendable, Hashable {
        /// It could not be read, for the reason in this sentence.
        case unread(String?)
        case gone
        /// Its folder or disk is missing, or its file cannot be examined.
        case unreachable
        case changed
        /// It was read up to here.
        case partial(StreamTime)
        /// Some of it is in a part of the index that cannot be read.
        case damaged
        /// The search is for a time of day, and the time of the recording is unknown.
        case undated
        /// The search is by meaning, and its texts have no vectors yet.
        case withoutVectors

        /// The reason as a part of a sentence.
        public var text: String {
            switch self {
            case .unread(let problem): problem ?? "it could not be read"
            case .gone: "its file is gone"
            case .unreachable: "its file cannot be reached"
            case .changed: "its file has changed"
            case .partial(let end): "it was read only up to \(ClockTime.text(end))"
            case .damaged: "a part of the index is damaged"
            case .undated: "it is not known when it was recorded"
            case .withoutVectors: "it cannot be searched by meaning yet"
            }
        }
    }

    /// The reason the index may not show the file's current contents; nil if it does. Blocks like ``lacks(of:)``.
    public var lack: Lack? { Self.lacks(of: [self])[id] }

    /// Returns the reasons the index may not show the current contents of recordings; those that it does show are left
    /// out. Blocks while it examines their files, but not for longer than a disk may take (``SlowDisk``).
    public static func lacks(of sources: [IndexedSource]) -> [SourceID: Lack] {
        let files = sources.compactMap { source in source.stamp.map { (source, stamp: $0) } }
        let looks = SlowDisk.map(files, on: { $0.stamp.device }) { source, stamp in source.lack(ofFile: stamp) }
        var lacks: [SourceID: Lack] = [:]
        for source in sources where source.state == .partial {
            lacks[source.id] = source.isStill ? .unread("it may not have been read completely") : .partial(source.end)
        }
        for ((source, _), look) in zip(files, looks) {
            switch look {
            case .none: lacks[source.id] = .unreachable
            case .some(let lack): if let lack { lacks[source.id] = lack }
            }
        }
        return lacks
    }

    /// Returns what has become of its file; nil if it is as it was.
    private func lack(ofFile stamp: FileStamp) -> Lack? {
        guard let now = FileStamp(path: name) else { return isGone(stamp) ? .gone : .unreachable }
        return now.isSameFile(as: stamp) ? nil : .changed
    }

    /// Returns whether its file was deleted or moved: its folder exists, and the file does not. If the folder is
    /// missing, or the file cannot be examined, a disk may be unplugged or a server may not respond.
    private func isGone(_ stamp: FileStamp) -> Bool {
        var status = stat()
        guard FileName.withCName(name, { stat($0, &status) == 0 ? 0 : errno }) == ENOENT else { return false }
        let folder = (name as NSString).deletingLastPathComponent
        guard FileName.withCName(folder, { stat($0, &status) }) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            return false
        }
        // If a disk is not mounted, its folder exists and is empty.
        if Int64(truncatingIfNeeded: status.st_dev) == stamp.device { return true }
        return (try? FileManager.default.contentsOfDirectory(atPath: folder))?.isEmpty == false
    }

    /// Chooses one reading of each name to search: if a recording was read with several options, the reading that got
    /// further, or else the more thorough one. Leaves out recordings that could not be read or are no longer kept.
    public static func best(of all: [IndexedSource]) -> [IndexedSource] {
        var best: [ExactName: IndexedSource] = [:]
        for source in all where source.state != .failed && source.state != .expired {
            let name = ExactName(source.name)
            if let known = best[name], known.isBetter(than: source) { continue }
            best[name] = source
        }
        return best.values.sorted { $0.name < $1.name }
    }

    private func isBetter(than other: IndexedSource) -> Bool {
        if state != other.state { return state == .complete }
        if isSkimmed != other.isSkimmed { return !isSkimmed }
        return closeness >= other.closeness
    }

    /// The part of ``manner`` that marks a still picture as read as thoroughly as possible.
    public static let closely = "closely"

    /// The thoroughness of the reading: the networks count more than Tesseract, then a still that was read as
    /// thoroughly as possible, then the larger networks.
    private var closeness: Int {
        let parts = manner.split(separator: " ")
        return (parts.contains("neural") ? 4 : 0) + (parts.contains { $0 == Self.closely } ? 2 : 0)
            + (parts.contains("accurate") ? 1 : 0)
    }
}

extension IndexedSource {
    /// Whether ``wallStart`` comes from a clock in the picture rather than from the recording's own data.
    public var hasTimeOfClock: Bool { wallStart != nil && wallStart == burntIn?.wallStart }

    /// Adds a clock in the picture that follows those known so far. The time that the recording states takes
    /// precedence.
    public mutating func note(_ clock: ClockTrack) {
        let isNobodyElses = wallStart == nil || hasTimeOfClock
        if burntIn == nil { burntIn = clock } else { burntIn?.append(clock) }
        if isNobodyElses { wallStart = burntIn?.wallStart }
    }

    /// Problems of the clock in the picture for the user, as parts of sentences: it drifts, was set, or contradicts the
    /// time that the recording states.
    public var clockTroubles: [String] {
        guard let clock = burntIn else { return [] }
        var troubles: [String] = []
        if let drift = clock.drift {
            troubles.append(
                "its clock is \(drift > 0 ? "fast" : "slow") by \(Self.seconds(abs(drift))) an hour")
        }
        for (at, seconds) in clock.jumps.prefix(3) {
            let sign = seconds < 0 ? "-" : "+"
            troubles.append("its clock jumps by \(sign)\(Self.seconds(abs(seconds))) at \(ClockTime.text(at))")
        }
        if clock.jumps.count > 3 { troubles.append("and \(clock.jumps.count - 3) times more") }
        if let own = clock.wallStart, let wallStart, abs(own.timeIntervalSince(wallStart)) >= 2 {
            let difference = own.timeIntervalSince(wallStart)
            let side = difference > 0 ? "ahead of" : "behind"
            troubles.append("its clock is \(Self.seconds(abs(difference))) \(side) what the recording itself says")
        }
        if clock.hasDate, clock.wallStart == nil, wallStart == nil {
            troubles.append("so that it is not known when it was recorded")
        }
        return troubles
    }

    /// Returns `12.5 s` or `1:02:03 h`.
    private static func seconds(_ value: Double) -> String {
        guard value >= 60 else { return "\((value * 10).rounded() / 10) s" }
        let whole = Int(value.rounded())
        func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        return "\(whole / 3600):\(two(whole / 60 % 60)):\(two(whole % 60)) h"
    }
}
