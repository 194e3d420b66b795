public import Foundation
public import TextSpotting

/// A recording that the catalog knows.
public struct IndexedSource: Sendable, Hashable {
    /// How far it is.
    public enum State: String, Sendable {
        /// All of it was read.
        case complete
        /// Some of it was read, from its beginning.
        case partial
        /// It could not be read.
        case failed
        /// It was read and is no longer kept. The catalog knows it still, so that it is not read again.
        case expired
    }

    public var id: SourceID
    /// The file's absolute path, or the address.
    public var name: String
    /// How it was read; see ``ReadingProfile``.
    public var manner: String
    /// The stamp of its file; nil if it is not a file.
    public var stamp: FileStamp?
    /// The digest of its file's contents; nil if it is not a file.
    public var digest: String?
    public var state: State
    /// Up to where it was read.
    public var end: StreamTime
    /// Its own statement of its length; nil if unknown.
    public var duration: StreamTime?
    /// It is one picture, which has no times.
    public var isStill: Bool
    /// Why it could not be read, or not to its end.
    public var problem: String?
    /// When it was read; nil if unknown.
    public var added: Date?
    /// The wall clock time of its beginning; nil if unknown.
    public var wallStart: Date?
    /// A live job read it while it was shown: the newest picture whenever it was free, and never again. See ``LiveName``.
    public var isLive: Bool
    /// Of a skim: anything visible for this long was seen. Nil if every picture was looked at, or if it is unknown.
    public var interval: StreamTime? = nil
    /// The clock in its picture; nil if there is none.
    public var burntIn: ClockTrack? = nil

    public init(
        id: SourceID, name: String, manner: String, stamp: FileStamp?, digest: String?, state: State = .partial,
        end: StreamTime = .zero, duration: StreamTime? = nil, isStill: Bool = false, problem: String? = nil,
        added: Date? = nil, wallStart: Date? = nil, isLive: Bool = false
    ) {
        self.id = id
        self.name = name
        self.manner = manner
        self.stamp = stamp
        self.digest = digest
        self.state = state
        self.end = end
        self.duration = duration
        self.isStill = isStill
        self.problem = problem
        self.added = added
        self.wallStart = wallStart
        self.isLive = isLive
    }
}
