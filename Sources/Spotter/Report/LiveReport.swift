import Errors
import Synchronization
public import TextSpotting

/// The one way out of a live search: what happens, what is read, and pictures of what is found.
///
/// Each function is called from several threads, one event at a time for each sighting, and must not block: a sink that hands on to
/// something slow has a bounded queue, and says in its documentation what happens when that is full.
public protocol EventSink: Sendable {
    /// Which things are to be made for it besides events.
    var wishes: EventWishes { get }
    /// Takes the next event.
    func take(_ event: LiveEvent)
    /// Takes all that was read, matched or not, so that it can be kept. What is read of a recording ahead of its picture, and a picture that
    /// stands still read more closely, is not told.
    func take(_ result: LiveResult)
    /// Takes the frame in which a sighting was read, when it appears and again when it is read better, with the sighting's peak there.
    func take(_ picture: Picture, of sighting: Sighting)
    /// Nothing more comes: returns when all that was taken is where it belongs, or cannot get there.
    func finish() async
}

/// What is made for an ``EventSink`` only where it is wanted.
public struct EventWishes: OptionSet, Sendable {
    public let rawValue: Int

    /// ``LiveResult``s.
    public static let results = EventWishes(rawValue: 1)
    /// Pictures of sightings.
    public static let pictures = EventWishes(rawValue: 2)

    public init(rawValue: Int) { self.rawValue = rawValue }
}

extension EventSink {
    public var wishes: EventWishes { [] }
    public func take(_ event: LiveEvent) {}
    public func take(_ result: LiveResult) {}
    public func take(_ picture: Picture, of sighting: Sighting) {}
    public func finish() async {}
}

/// A sink of events that has nothing to finish.
public struct EventListener: EventSink {
    private let hear: @Sendable (LiveEvent) -> Void

    /// - Parameter hear: called with each event; must not block.
    public init(_ hear: @escaping @Sendable (LiveEvent) -> Void) { self.hear = hear }

    public func take(_ event: LiveEvent) { hear(event) }
}

/// Where the parts of a live search say what happens: tells all sinks, in their order. Thread-safe.
///
/// Before it begins nobody hears anything. The end is the last event: later ones, from parts that are still being stopped, are dropped.
final class LiveReport: Sendable {
    private let sinks: Mutex<[any EventSink]>

    init(_ sinks: [any EventSink] = []) { self.sinks = Mutex(sinks) }

    convenience init(_ hear: @escaping @Sendable (LiveEvent) -> Void) { self.init([EventListener(hear)]) }

    /// What any of the sinks wants.
    var wishes: EventWishes { current.reduce(into: []) { $0.formUnion($1.wishes) } }

    private var current: [any EventSink] { sinks.withLock { $0 } }

    func begin(_ sinks: [any EventSink]) { self.sinks.withLock { $0 = sinks } }

    /// Lets go of all sinks, which may well hold this.
    func close() { begin([]) }

    func tell(_ event: LiveEvent) {
        let listening = sinks.withLock { sinks in
            defer { if case .end = event { sinks = [] } }
            return sinks
        }
        for sink in listening { sink.take(event) }
    }

    func tell(_ result: LiveResult) { for sink in current { sink.take(result) } }

    func tell(_ picture: Picture, of sighting: Sighting) { for sink in current { sink.take(picture, of: sighting) } }

    func warn(_ warning: FramegrepError) { tell(.warning(warning)) }
}
