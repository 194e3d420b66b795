import CGStreamer
import Displays
import Errors
public import TextSpotting

/// The sinks of a pipeline that show video to a user, with checks that they can.
struct Windows {
    /// Sinks that find a display of any kind by themselves, and crash, hang or silently do something else if there is
    /// none. The others report that themselves.
    private static let unforgiving: Set<String> = [
        "autovideosink", "glimagesink", "gtkglsink", "gtksink", "gtkwaylandsink", "qmlglsink", "sdlvideosink",
        "waylandsink",
    ]
    /// Sinks that open a window on an X server and nowhere else. They report a server that refuses, but wait forever
    /// for one that does not answer.
    private static let ofX: Set<String> = ["ximagesink", "xvimagesink"]
    /// Sinks that `autovideosink` must not try, because they never open a window on a display that answers. It tries them if X refuses other
    /// sinks: DirectFB's then ends the process, and the one for a bare console looks for a graphics card of each kind for a second and a half.
    private static let windowless = ["dfbvideosink", "kmssink", "fbdevsink"]

    let sinks: [GObjectReference<GstElement>]

    init(among elements: [GObjectReference<GstElement>]) {
        sinks = elements.filter { showsVideo($0.pointer) }
    }

    var hasAny: Bool { !sinks.isEmpty }

    /// Connects to the displays on which the windows would be opened, and throws ``FramegrepError`` `.noDisplay` if none answers.
    /// Call it before anything is opened. Blocks, for some seconds at worst.
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

    /// Checks for a fake sink, which `autovideosink` silently uses if no display answers. Call it when everything is open.
    func checkForFakes() throws {
        for sink in sinks where factoryName(sink.pointer) == "autovideosink" {
            guard let bin = fgst_as_bin(sink.pointer) else { continue }
            if elementsInside(bin).contains(where: { factoryName($0.pointer) == "fakesink" }) {
                throw FramegrepError.noDisplay(reason: "")
            }
        }
    }
}

extension Pipeline {
    /// Calls `draw` for the patches to draw on each frame that reaches a window, in pixels of that frame.
    ///
    /// X's plain window gets frames of its own size, so that letters are sharp there whatever the picture's size is.
    /// Windows that scale by themselves (Xv, OpenGL) get the picture's pixels; `draw` then gets the window's size. Call
    /// it before the pipeline is prepared.
    ///
    /// - Parameter draw: called on a streaming thread with each frame. It must not hold a reference to the pipeline,
    ///   which owns it.
    public func drawOnWindows(_ draw: @escaping @Sendable (WindowFrame) -> [OverlayPatch]) {
        for sink in windows.sinks {
            PadProbe.add(to: sink.pointer, pad: "sink", [GST_PAD_PROBE_TYPE_BUFFER]) { [keyboards] passing in
                guard let buffer = passing.buffer else { return GST_PAD_PROBE_OK }
                let window = keyboards.windowSize
                passing.replace(byTakingOwnershipOf: drawn(over: buffer, on: passing.pad, of: window, draw))
                return GST_PAD_PROBE_OK
            }
        }
    }

    /// Whether ``drawOnWindows(_:)`` can draw on every window: frames for others may be in the memory of a graphics
    /// card.
    public var hasDrawableWindow: Bool {
        let kinds = Set(windows.sinks.map { factoryName($0.pointer) })
        return !kinds.isEmpty && kinds.isSubset(of: ["autovideosink", "ximagesink", "xvimagesink"])
    }

    /// Whether frames also go elsewhere than to windows: to a file or a server.
    public var hasOtherOutputs: Bool {
        let shown = windows.sinks
        return elements.contains { element in
            // `autovideosink` contains a fake sink until it has found a real one; elements inside a window sink are a
            // part of it.
            fgst_is_sink(element.pointer) != 0 && fgst_as_app_sink(element.pointer) == nil
                && !shown.contains {
                    gst_object_has_as_ancestor(&element.pointer.pointee.object, &$0.pointer.pointee.object) != 0
                }
        }
    }

    /// Gives the windows a title; those of OpenGL and Wayland keep theirs.
    public func setWindowTitle(_ title: String) { keyboards.setTitle(title) }

    /// Turns full screen on or off; nil toggles it.
    ///
    /// - Returns: whether it is on now; nil if there is no X window whose number is known.
    @discardableResult
    public func setFullscreen(_ wanted: Bool?) -> Bool? { keyboards.setFullscreen(wanted) }

    /// Copies a text to the clipboard, where other programs find it while the window is open.
    ///
    /// - Returns: false if there is no X window whose number is known.
    public func copy(_ text: String) -> Bool { keyboards.copy(text) }
}

/// A frame on its way into a window.
public struct WindowFrame: Sendable, Hashable {
    /// The time at which it is shown, as given to ``AppSource/push(_:drawing:at:)``.
    public var time: StreamTime
    /// Its size in pixels.
    public var width: Int
    public var height: Int
    /// Width of one of its pixels divided by its height.
    public var pixelAspect = 1.0
    /// The number of window pixels per pixel of the frame, if the window scales it; 1 if it does not, or if that is
    /// unknown.
    public var scale = 1.0
}

/// Returns the frame with the drawing on it, replacing the given one, whose reference is taken over.
///
/// - Parameter window: its size in pixels; nil if it is not known.
private func drawn(
    over buffer: UnsafeMutablePointer<GstBuffer>, on pad: UnsafeMutablePointer<GstPad>,
    of window: (width: Int, height: Int)?, _ draw: (WindowFrame) -> [OverlayPatch]
) -> UnsafeMutablePointer<GstBuffer> {
    guard let caps = gst_pad_get_current_caps(pad) else { return buffer }
    defer { gst_caps_unref(caps) }
    var info = GstVideoInfo()
    guard buffer.pointee.pts != noClockTime, gst_video_info_from_caps(&info, caps) != 0 else { return buffer }
    let (width, height) = (Int(info.width), Int(info.height))
    var frame = WindowFrame(
        time: StreamTime(nanoseconds: Int64(clamping: buffer.pointee.pts)), width: width, height: height)
    if info.par_n > 0, info.par_d > 0 { frame.pixelAspect = Double(info.par_n) / Double(info.par_d) }
    if let window, width > 0, height > 0 {
        frame.scale = min(
            Double(window.width) / (Double(width) * frame.pixelAspect), Double(window.height) / Double(height))
    }
    let patches = draw(frame)
    guard !patches.isEmpty else { return buffer }
    // A frame that others see too (the reader, a recording) is copied when it is drawn on.
    guard !gst_buffer_is_writable(buffer) else {
        blend(patches, onto: buffer, info)
        return buffer
    }
    guard let copy = drawableCopy(of: buffer) else { return buffer }
    gst_mini_object_unref(&buffer.pointee.mini_object)
    blend(patches, onto: copy, info)
    return copy
}

/// Whether there is no other reference to the buffer; a macro in C.
private func gst_buffer_is_writable(_ buffer: UnsafeMutablePointer<GstBuffer>) -> Bool {
    gst_mini_object_is_writable(&buffer.pointee.mini_object) != 0
}
