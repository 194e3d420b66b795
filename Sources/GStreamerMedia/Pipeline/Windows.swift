import CGStreamer
import TextSpotting

/// The sinks of a pipeline that show video to a person, and whether they can.
struct Windows {
    /// Sinks that without a display crash, hang, or silently do something else. The others say so themselves.
    private static let unforgiving: Set<String> = [
        "autovideosink", "glimagesink", "gtkglsink", "gtksink", "gtkwaylandsink", "qmlglsink", "sdlvideosink",
        "waylandsink",
    ]

    private let sinks: [GObjectReference<GstElement>]

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

    /// To be called before anything is opened: `autovideosink`, for one, tries every sink there is, and DirectFB's crashes
    /// the process when it ends.
    func checkEnvironment() throws {
        guard DisplayAvailability.current == .none else { return }
        guard !sinks.contains(where: { Self.unforgiving.contains(factoryName($0.pointer)) }) else {
            throw FramegrepError.noDisplay(reason: "")
        }
    }

    /// To be called when everything is open: where no display answers, `autovideosink` takes a fake sink and goes on, and
    /// nobody would see a thing.
    func checkForFakes() throws {
        for sink in sinks where factoryName(sink.pointer) == "autovideosink" {
            guard let bin = fgst_as_bin(sink.pointer) else { continue }
            if elementsInside(bin).contains(where: { factoryName($0.pointer) == "fakesink" }) {
                throw FramegrepError.noDisplay(reason: "")
            }
        }
    }
}
