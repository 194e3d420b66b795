public import Displays
public import Errors
import TextSpotting

/// A message from a pipeline to its owner.
public enum BusMessage: Sendable, Hashable {
    /// Something failed; the pipeline does not go on by itself.
    case error(MediaReport)
    /// Something is wrong, and the pipeline goes on.
    case warning(MediaReport)
    /// Every sink has played to its end. (With an `appsrc`, only once that was ended too.)
    case endOfStream
    /// A change of state or a seek that took time has finished.
    case asyncDone
    /// The whole pipeline (not one of its elements) changed its state.
    case stateChanged(from: PipelineState, to: PipelineState)
    /// A key or a mouse in a video window.
    case navigation(NavigationEvent)
    /// A mouse in a video window behind an ``AppSource`` that reports it; see ``AppSource/reportPointer(to:)``.
    case pointer(NavigationEvent)
    /// The user closed the video window; the window's sink does not go on.
    case windowClosed
    /// Elements changed their latency; the pipeline has already distributed it anew.
    case latency
    /// A network source is filling its buffers: 0 to 100.
    case buffering(percent: Int)
    /// A message of an element's own, as GStreamer writes structures.
    case element(name: String, structure: String)
    /// An element for the source's format is not installed.
    /// - Parameters:
    ///   - description: GStreamer's words, such as `H.265 decoder`.
    ///   - installerDetail: what Debian's and others' plugin installers take.
    case missingPlugin(description: String, installerDetail: String)
    /// How the source says it is to be turned when shown: GStreamer's names, such as `rotate-90` or `flip-rotate-0`.
    case orientation(String)
}

/// An error or a warning of a pipeline.
public struct MediaReport: Error, Sendable, Hashable {
    /// The error as it is shown to the user.
    public let error: FramegrepError
    /// The element that reported it, such as `v4l2src0`; empty if none did.
    public let element: String
    /// GStreamer's own details, with passwords removed; may be empty and may have several lines.
    public let debug: String
    /// The names of the bins around the element, from the pipeline on.
    public let bins: [String]

    public init(error: FramegrepError, element: String, debug: String, bins: [String] = []) {
        self.error = error
        self.element = element
        self.debug = debug
        self.bins = bins
    }
}

/// The states of a pipeline, in the order in which it goes through them.
public enum PipelineState: Sendable, Hashable {
    /// Nothing is open.
    case null
    /// Devices and files are open.
    case ready
    /// Recordings have their first frame.
    case paused
    /// Time runs.
    case playing
}

/// An action of the user in a video window.
public enum NavigationEvent: Sendable, Hashable {
    /// A key went down.
    case keyPress(KeyPress)
    /// A mouse button (1 is the left one) went down at a place in pixels of the frame that the window's sink got; in a
    /// ``BusMessage/pointer(_:)``, of the frame that was pushed.
    case mouseButtonPress(button: Int, x: Double, y: Double)
    /// The mouse moved to a place in the same pixels.
    case mouseMove(x: Double, y: Double)
}
