import CGStreamer
import Errors
import Glibc
import Processes

/// An error of GStreamer's (GError) with its origin, translated for the user.
///
/// Its kind is derived only from domains, codes and numbers, because GStreamer's messages, and the system's reasons in
/// them, are translated. Domains and codes are those of GStreamer's `gsterror.h`. The sentences are our own, because
/// GStreamer's ("Internal data stream error.") do not help a user.
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
    /// The plugin that was reported missing just before.
    let missingPlugin: MissingPlugin?
    /// Whether the element shows video in a window.
    var isWindow = false

    func asFramegrepError() -> FramegrepError {
        if let error = displayError ?? missingPluginError { return error }
        switch domain {
        // The message of an element that refuses an address contains the reason.
        case SourceRefusal.domain: return FramegrepError(.sourceUnavailable, text)
        case gst_resource_error_quark(): return resourceError
        case gst_stream_error_quark(): return streamError
        case gst_core_error_quark() where code == GST_CORE_ERROR_NEGOTIATION.rawValue: return notNegotiated
        case gst_parse_error_quark() where code == GST_PARSE_ERROR_DELAYED_LINK.rawValue: return nothingToLink
        default: return FramegrepError(.pipelineFailed, "\(who) failed. \(own)")
        }
    }

    /// GStreamer's message as a separate sentence.
    private var own: String { sentence("GStreamer says: " + (text.isEmpty ? "nothing more" : text)) }

    private var who: String { factory.isEmpty ? "The pipeline" : "The element \(factory)" }

    /// The file, address or device in quotes, or a word for it.
    private var thing: String { subject.map { "'\($0)'" } ?? "The source" }

    /// Whether it is an address in the network, and no file or device.
    private var isAddress: Bool {
        subject.map { $0.contains("://") && !$0.hasPrefix("file://") && !$0.hasPrefix("v4l2://") } ?? false
    }

    private var isSink: Bool { factory.hasSuffix("sink") || factory.hasSuffix("mux") }

    /// Window sinks, and the elements that draw for those of OpenGL, use only resources of the display and name no
    /// device.
    private var displayError: FramegrepError? {
        guard domain == gst_resource_error_quark(), isWindow && subject == nil || factory.hasPrefix("gl"),
            code != GST_RESOURCE_ERROR_BUSY.rawValue, code != GST_RESOURCE_ERROR_SETTINGS.rawValue
        else { return nil }
        return .noDisplay(reason: text.isEmpty ? "" : sentence("GStreamer says: " + text))
    }

    /// Whether an element failed to change its state without giving a reason.
    var isUnexplained: Bool {
        domain == gst_core_error_quark() && code == GST_CORE_ERROR_STATE_CHANGE.rawValue
    }

    /// Returns whether the system gave this reason (errno), which the details contain in the user's language.
    private func isReason(_ number: Int32) -> Bool {
        guard let words = g_strerror(number) else { return false }
        return debug.contains(String(cString: words)) || text.contains(String(cString: words))
    }

    private var missingPluginError: FramegrepError? {
        let isCore = domain == gst_core_error_quark() && code == GST_CORE_ERROR_MISSING_PLUGIN.rawValue
        let isStream = domain == gst_stream_error_quark() && code == GST_STREAM_ERROR_CODEC_NOT_FOUND.rawValue
        guard isCore || isStream else { return nil }
        return .missing(plugin: missingPlugin ?? MissingPlugin(description: "plugin for this format"))
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
            let reason =
                isAddress
                ? "its server does not know it. Check the address." : "there is no such file or device. Check the name."
            return FramegrepError(.sourceUnavailable, "\(thing) cannot be opened: \(reason) \(own)")
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
            return FramegrepError(.sourceUnavailable, "\(thing) does not accept its settings. \(own)")
        default:
            return FramegrepError(isSink ? .outputFailed : .sourceUnavailable, "\(thing) cannot be used. \(own)")
        }
    }

    private var outputError: FramegrepError {
        let reason = isReason(ENOSPC) ? ": the disk is full" : ""
        return FramegrepError(
            .outputFailed, "\(thing) cannot be written\(reason). \(own) Check the folder and its permissions.")
    }

    private var openError: FramegrepError {
        if isReason(EACCES) {
            let isDevice = subject?.hasPrefix("/dev/video") == true
            let help =
                isDevice ? "Add yourself to the group 'video' and log in again." : "Check the file's permissions."
            return FramegrepError(.sourceUnavailable, "\(thing) cannot be opened: permission denied. \(help)")
        }
        if isReason(EBUSY) {
            return FramegrepError(
                .sourceUnavailable, "\(thing) is in use by another program. Close that program and try again.")
        }
        if isReason(EMFILE) {
            return FramegrepError(
                .sourceUnavailable,
                "\(thing) cannot be opened: too many files are open. Raise the limit of 'ulimit -n'."
            )
        }
        let advice = isAddress ? " Check that its server is running and can be reached." : ""
        return FramegrepError(.sourceUnavailable, "\(thing) cannot be opened.\(advice) \(own)")
    }

    private var streamError: FramegrepError {
        // The names of flow results of pads are not translated.
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
            .sourceNotVideo, "\(thing) has no stream that the pipeline can use; perhaps it has no picture. \(own)")
    }

    private var notNegotiated: FramegrepError {
        FramegrepError(
            .pipelineFailed,
            "\(who) and its neighbor do not agree on a format ('not negotiated'). "
                + "Put videoconvert or videoscale between elements that use different formats, or correct the caps. \(own)"
        )
    }
}

extension FramegrepError {
    /// Creates the error for a window without a display.
    ///
    /// - Parameter reason: a sentence; may be empty.
    static func noDisplay(reason: String) -> FramegrepError {
        FramegrepError(
            .noDisplay,
            "There is no display to open a window on. \(reason.isEmpty ? "" : reason + " ")"
                + "Use --headless or --record FILE, or set DISPLAY or WAYLAND_DISPLAY.")
    }

    static func missing(plugin: MissingPlugin) -> FramegrepError {
        if plugin.isSource {
            return FramegrepError(
                .missingPlugin,
                "GStreamer cannot open this kind of address here: it has no \(plugin.description). Check its spelling"
                    + (PortableArchive.folder == nil
                        ? "; http and rtsp need the package gstreamer1.0-plugins-good, srt and rtmp gstreamer1.0-plugins-bad."
                        : "; the portable archive opens http, https, rtsp, srt and rtmp."))
        }
        if let format = plugin.format, format.hasPrefix("text/") {
            return FramegrepError(
                .sourceNotVideo,
                "It is not a picture or video but text (\(format)), such as a web page. Give the address of the stream itself."
            )
        }
        return FramegrepError(
            .missingPlugin,
            "GStreamer has no \(plugin.description) here. "
                + PortableArchive.advice(
                    "Install the package that has it: \(DebianPackages.packages(for: plugin))."))
    }
}

extension MissingPlugin {
    /// Returns nil if the message is about something else.
    init?(_ message: BusMessage) {
        guard case .missingPlugin(let description, let detail) = message else { return nil }
        self = MissingPlugin(installerDetail: detail) ?? MissingPlugin(description: description)
    }
}
