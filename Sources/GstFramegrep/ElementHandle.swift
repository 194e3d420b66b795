import CGStreamer
import CGstFramegrep
import Errors
import GStreamerMedia

/// The GObject that a job belongs to: where its messages go.
///
/// It holds no reference: the GObject owns the job, and ends all that runs before it goes.
// @unchecked: the pointer never changes, and elements lock themselves.
struct ElementHandle: @unchecked Sendable {
    let pointer: UnsafeMutableRawPointer

    private var element: UnsafeMutablePointer<GstElement> { pointer.assumingMemoryBound(to: GstElement.self) }

    /// Its name in its pipeline.
    var name: String {
        guard let name = gst_object_get_name(pointer.assumingMemoryBound(to: GstObject.self)) else { return "" }
        defer { g_free(name) }
        return String(cString: name)
    }

    /// Frames come in real time, and are lost if they are not taken.
    var isSourceLive: Bool { fge_is_live(pointer) != 0 }

    /// The source of the stream, without passwords, as far as an element upstream knows it.
    var sourceName: String {
        guard let uri = fge_source_uri(pointer) else { return "the pipeline" }
        defer { g_free(uri) }
        let text = String(cString: uri)
        return (try? SourceURI(text))?.redacted ?? redacted(text)
    }

    /// Posts an element message and emits the signal of the same meaning.
    ///
    /// - Parameters:
    ///   - structure: is taken over.
    ///   - signal: nil for none.
    func tell(_ structure: UnsafeMutablePointer<GstStructure>, signal: String?, postsMessage: Bool) {
        if let signal { fge_emit(pointer, signal, structure) }
        guard postsMessage else { return gst_structure_free(structure) }
        gst_element_post_message(
            element, gst_message_new_element(pointer.assumingMemoryBound(to: GstObject.self), structure))
    }

    /// Posts an error: the pipeline that hears of it stops.
    func fail(_ error: FramegrepError) {
        post(GST_MESSAGE_ERROR, error)
        DebugLog.warning("\(name): \(error.message)")
    }

    /// Posts a warning that people see.
    func warn(_ warning: FramegrepError) {
        post(GST_MESSAGE_WARNING, warning)
        DebugLog.warning("\(name): \(warning.message)")
    }

    private func post(_ type: GstMessageType, _ error: FramegrepError) {
        let (domain, code) = error.code.gstreamer
        gst_element_message_full(
            element, type, domain, code, g_strdup(redacted(error.inTermsOfProperties)), g_strdup(error.code.rawValue),
            "GstFramegrep", "framegrep", 0)
    }
}

extension FramegrepError.Code {
    /// The domain and code of GStreamer's that tell programs the same.
    fileprivate var gstreamer: (GQuark, gint) {
        switch self {
        case .badPattern, .badArgument: (gst_library_error_quark(), gint(GST_LIBRARY_ERROR_SETTINGS.rawValue))
        case .engineUnavailable: (gst_library_error_quark(), gint(GST_LIBRARY_ERROR_INIT.rawValue))
        default: (gst_stream_error_quark(), gint(GST_STREAM_ERROR_FAILED.rawValue))
        }
    }
}

extension FramegrepError {
    /// The sentence with the element's properties where the program's options stand: `engine=tesseract` for
    /// `--engine tesseract`.
    var inTermsOfProperties: String {
        var words: [Substring] = []
        for word in message.split(separator: " ", omittingEmptySubsequences: false) {
            let isValue = word.first?.isLowercase == true
            if let last = words.last, ["engine", "level"].contains(last), isValue {
                words[words.count - 1] = last + "=" + word
            } else {
                words.append(word.hasPrefix("--") ? word.dropFirst(2) : word)
            }
        }
        return words.joined(separator: " ")
    }
}
