import CGStreamer
import Displays
import Errors
import TextSpotting

/// The sinks of a pipeline that show video to a user, and whether they can.
struct Windows {
    /// Sinks that find a display of any kind by themselves, and that without one crash, hang, or silently do something else.
    /// The others say so themselves.
    private static let unforgiving: Set<String> = [
        "autovideosink", "glimagesink", "gtkglsink", "gtksink", "gtkwaylandsink", "qmlglsink", "sdlvideosink",
        "waylandsink",
    ]
    /// Sinks that open a window on an X server and nowhere else. They say when it refuses, but wait without end for one that
    /// does not answer.
    private static let ofX: Set<String> = ["ximagesink", "xvimagesink"]
    /// Sinks that `autovideosink` must not try, because none of them opens a window on a display that answers: it tries them where X
    /// refuses others, and DirectFB's then ends the process, while the one that draws on a bare console looks for a graphics card of each
    /// kind for a second and a half before the window is there.
    private static let windowless = ["dfbvideosink", "kmssink", "fbdevsink"]

    let sinks: [GObjectReference<GstElement>]

    init(among elements: [GObjectReference<GstElement>]) {
        sinks = elements.filter { element in
            guard let factory = gst_element_get_factory(element.pointer),
                let kind = gst_element_factory_get_metadata(factory, "klass")
            else { return false }
            let words = String(cString: kind).split(separator: "/")
            return words.contains("Sink") && words.contains("Video")
        }
    }

    var hasAny: Bool { !sinks.isEmpty }

    /// To be called before anything is opened: connects to the displays that the windows would be opened on, and throws
    /// ``FramegrepError`` `.noDisplay` where none answers. Blocks, for some seconds at worst.
    func checkEnvironment() throws {
        for sink in sinks {
            let factory = factoryName(sink.pointer)
            if Self.unforgiving.contains(factory) {
                if case .none(let reason) = DisplayAvailability.current {
                    throw FramegrepError.noDisplay(reason: reason)
                }
            } else if Self.ofX.contains(factory), let name = SinkKeyboards.display(of: sink.pointer) ?? Self.ownDisplay,
                let reason = DisplayAvailability.problem(ofServer: name)
            {
                throw FramegrepError.noDisplay(reason: reason)
            }
            if factory == "autovideosink" { Self.keepToWindows() }
        }
    }

    private static var ownDisplay: String? {
        g_getenv("DISPLAY").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func keepToWindows() {
        for name in windowless {
            guard let factory = gst_element_factory_find(name) else { continue }
            defer { gst_object_unref(UnsafeMutableRawPointer(factory)) }
            fgst_never_choose(UnsafeMutableRawPointer(factory))
        }
    }

    /// To be called when everything is open: if no display answers, `autovideosink` silently uses a fake sink, and nothing would be shown.
    func checkForFakes() throws {
        for sink in sinks where factoryName(sink.pointer) == "autovideosink" {
            guard let bin = fgst_as_bin(sink.pointer) else { continue }
            if elementsInside(bin).contains(where: { factoryName($0.pointer) == "fakesink" }) {
                throw FramegrepError.noDisplay(reason: "")
            }
        }
    }
}
