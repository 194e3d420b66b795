import CGStreamer
import Errors
import TextSpotting

/// A GError of GStreamer's with its place of origin, and its translation for a user.
///
/// The domains and codes are those of GStreamer's `gsterror.h`; the words are ours, because GStreamer's ("Internal data
/// stream error.") tell a user nothing.
struct ReportedFailure {
    let domain: GQuark
    let code: UInt32
    /// GStreamer's own message, passwords removed.
    let text: String
    let debug: String
    /// The factory of the element that failed, such as `filesrc`.
    let factory: String
    /// The file, address or device the element works on.
    let subject: String?
    /// A plugin that was said to be missing just before.
    let missingPlugin: String?

    func asFramegrepError() -> FramegrepError {
        if let error = displayError ?? missingPluginError { return error }
        switch domain {
        // What refuses an address says why.
        case SourceRefusal.domain: return FramegrepError(.sourceUnavailable, text)
        case gst_resource_error_quark(): return resourceError
        case gst_stream_error_quark(): return streamError
        case gst_core_error_quark() where code == GST_CORE_ERROR_NEGOTIATION.rawValue: return notNegotiated
        case gst_parse_error_quark() where code == GST_PARSE_ERROR_DELAYED_LINK.rawValue: return nothingToLink
        default: return FramegrepError(.pipelineFailed, "\(who) failed. \(own)")
        }
    }

    /// GStreamer's message as a sentence of its own.
    private var own: String { sentence("GStreamer says: " + (text.isEmpty ? "nothing more" : text)) }

    private var who: String { factory.isEmpty ? "The pipeline" : "The element \(factory)" }

    /// The file, address or device in quotes, or a word for it.
    private var thing: String { subject.map { "“\($0)”" } ?? "The source" }

    private var isSink: Bool { factory.hasSuffix("sink") || factory.hasSuffix("mux") }

    private var displayError: FramegrepError? {
        let windows = factory.hasSuffix("sink") || factory.hasPrefix("gl")
        let words = text + " " + debug
        let signs = [
            "open display", "open X display", "initialise X output", "initialise Xv output", "Failed to connect to X",
            "not open DRM", "wayland display", "Wayland display", "Failed to create display",
            "Failed to initialise egl",
            "Failed to create window", "Could not open GtkWidget",
        ]
        guard windows, signs.contains(where: { words.localizedContains($0) }) else { return nil }
        return .noDisplay(reason: text.isEmpty ? "" : sentence("GStreamer says: " + text))
    }

    private var missingPluginError: FramegrepError? {
        let isCore = domain == gst_core_error_quark() && code == GST_CORE_ERROR_MISSING_PLUGIN.rawValue
        let isStream = domain == gst_stream_error_quark() && code == GST_STREAM_ERROR_CODEC_NOT_FOUND.rawValue
        guard isCore || isStream else { return nil }
        return .missing(plugin: missingPlugin ?? "plugin for this format")
    }

    private var resourceError: FramegrepError {
        switch code {
        case GST_RESOURCE_ERROR_NO_SPACE_LEFT.rawValue:
            return FramegrepError(
                .outputFailed, "\(thing) cannot be written: the disk is full. Free some space and run it again.")
        case GST_RESOURCE_ERROR_OPEN_WRITE.rawValue where isSink, GST_RESOURCE_ERROR_WRITE.rawValue where isSink,
            GST_RESOURCE_ERROR_CLOSE.rawValue where isSink:
            return outputError
        case GST_RESOURCE_ERROR_NOT_FOUND.rawValue:
            return FramegrepError(
                .sourceUnavailable, "\(thing) cannot be opened: there is no such file or device. Check the name. \(own)"
            )
        case GST_RESOURCE_ERROR_BUSY.rawValue:
            return FramegrepError(
                .sourceUnavailable, "\(thing) is in use by another program. Close that program and try again. \(own)")
        case GST_RESOURCE_ERROR_NOT_AUTHORIZED.rawValue:
            return FramegrepError(
                .sourceUnavailable, "\(thing) cannot be opened: it asks for another user name or password. \(own)")
        case GST_RESOURCE_ERROR_OPEN_READ.rawValue, GST_RESOURCE_ERROR_OPEN_READ_WRITE.rawValue,
            GST_RESOURCE_ERROR_OPEN_WRITE.rawValue:
            return openError
        case GST_RESOURCE_ERROR_READ.rawValue:
            return FramegrepError(.sourceDamaged, "\(thing) broke off while it was being read. \(own)")
        case GST_RESOURCE_ERROR_SETTINGS.rawValue:
            return FramegrepError(.sourceUnavailable, "\(thing) does not take the settings it was given. \(own)")
        default:
            return FramegrepError(isSink ? .outputFailed : .sourceUnavailable, "\(thing) cannot be used. \(own)")
        }
    }

    private var outputError: FramegrepError {
        let reason = debug.contains("No space left") ? ": the disk is full" : ""
        return FramegrepError(
            .outputFailed, "\(thing) cannot be written\(reason). \(own) Check the folder and its permissions.")
    }

    private var openError: FramegrepError {
        if debug.contains("Permission denied") {
            let isDevice = subject?.hasPrefix("/dev/video") == true
            let help =
                isDevice ? "Add yourself to the group “video” and log in again." : "Check the file's permissions."
            return FramegrepError(.sourceUnavailable, "\(thing) cannot be opened: permission denied. \(help)")
        }
        if debug.contains("busy") {
            return FramegrepError(
                .sourceUnavailable, "\(thing) is in use by another program. Close that program and try again.")
        }
        return FramegrepError(.sourceUnavailable, "\(thing) cannot be opened. \(own)")
    }

    private var streamError: FramegrepError {
        if debug.contains("not-negotiated") { return notNegotiated }
        if debug.contains("not-linked") { return missingPlugin.map(FramegrepError.missing) ?? nothingToLink }
        switch code {
        case GST_STREAM_ERROR_TYPE_NOT_FOUND.rawValue, GST_STREAM_ERROR_WRONG_TYPE.rawValue:
            return FramegrepError(.sourceNotVideo, "\(thing) is not a picture or a video that GStreamer knows. \(own)")
        case GST_STREAM_ERROR_DECODE.rawValue, GST_STREAM_ERROR_DEMUX.rawValue:
            return FramegrepError(
                .sourceDamaged, "\(thing) is damaged or cut short, and cannot be decoded from here on. \(own)")
        case GST_STREAM_ERROR_DECRYPT.rawValue, GST_STREAM_ERROR_DECRYPT_NOKEY.rawValue:
            return FramegrepError(.sourceNotVideo, "\(thing) is encrypted, so its pictures cannot be read. \(own)")
        case GST_STREAM_ERROR_ENCODE.rawValue, GST_STREAM_ERROR_MUX.rawValue:
            return FramegrepError(.outputFailed, "The recording cannot be written: \(factory) failed. \(own)")
        default:
            if factory.isEmpty || factory.hasSuffix("src"), subject != nil {
                return FramegrepError(
                    .sourceUnavailable, "\(thing) cannot be read. Check that it exists and can be reached. \(own)")
            }
            return FramegrepError(.pipelineFailed, "\(who) stopped the pipeline. \(own)")
        }
    }

    private var nothingToLink: FramegrepError {
        FramegrepError(
            .sourceNotVideo, "\(thing) has no stream of the kind that the pipeline takes: no picture, perhaps. \(own)")
    }

    private var notNegotiated: FramegrepError {
        FramegrepError(
            .pipelineFailed,
            "\(who) and its neighbor do not agree on a format (“not negotiated”). "
                + "Put videoconvert or videoscale between elements that speak different formats, or correct the caps. \(own)"
        )
    }
}

extension FramegrepError {
    /// There is no display for a window.
    ///
    /// - Parameter reason: a sentence; may be empty.
    static func noDisplay(reason: String) -> FramegrepError {
        FramegrepError(
            .noDisplay,
            "There is no display to open a window on. \(reason.isEmpty ? "" : reason + " ")"
                + "Use --headless or --record FILE, or set DISPLAY or WAYLAND_DISPLAY.")
    }

    /// GStreamer's words for a plugin (`H.265 decoder`) that is not installed.
    static func missing(plugin description: String) -> FramegrepError {
        if description.hasSuffix("protocol source") {
            return FramegrepError(
                .missingPlugin,
                "GStreamer cannot open this kind of address here: it has no \(description). Check its spelling; http and rtsp "
                    + "need the package gstreamer1.0-plugins-good, srt and rtmp gstreamer1.0-plugins-bad.")
        }
        if description.hasPrefix("text/") {
            return FramegrepError(
                .sourceNotVideo,
                "It is no picture or video, but text (\(description.prefix { $0 != " " })), as of a page. Give the address of the stream itself."
            )
        }
        return FramegrepError(
            .missingPlugin,
            "GStreamer has no \(description) here. "
                + "Install the package that has it: \(DebianPackages.packages(forDecoderOf: description)).")
    }
}

extension String {
    /// Whether `part` occurs, in any case.
    fileprivate func localizedContains(_ part: String) -> Bool { lowercased().contains(part.lowercased()) }
}
