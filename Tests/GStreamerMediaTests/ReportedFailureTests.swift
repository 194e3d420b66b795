import CGStreamer
import Errors
import Glibc
import Testing

@testable import GStreamerMedia

/// The kind of an error is derived from its domain, code and numbers: its words, and the system's, are in the language
/// of the process, which a library may have set.
@Suite struct ReportedFailureTests {
    /// GStreamer's messages in English, German and Korean, and in no language.
    private static let words = [
        "Could not open file \"a\" for reading.", "Die Datei »a« konnte nicht zum Lesen geöffnet werden.",
        "'a' 파일을 읽기용으로 열 수 없습니다.", "", "no space left, permission denied, busy, display",
    ]

    private func failure(
        _ domain: GQuark, _ code: UInt32, _ text: String, debug: String = "", factory: String = "filesrc",
        subject: String? = "a", missing: MissingPlugin? = nil, isWindow: Bool = false
    ) -> ReportedFailure {
        ReportedFailure(
            domain: domain, code: code, text: text, debug: debug, factory: factory, subject: subject,
            missingPlugin: missing, isWindow: isWindow)
    }

    @Test func anAddressIsNoFile() {
        let resource = gst_resource_error_quark()
        for (subject, isAddress) in [("rtsp://camera/x", true), ("a", false), ("file:///a", false)] {
            let missing = failure(resource, GST_RESOURCE_ERROR_NOT_FOUND.rawValue, "", subject: subject)
            #expect(missing.asFramegrepError().message.contains("Check the address.") == isAddress)
            let closed = failure(resource, GST_RESOURCE_ERROR_OPEN_READ_WRITE.rawValue, "", subject: subject)
            #expect(closed.asFramegrepError().message.contains("its server is running") == isAddress)
        }
    }

    @Test func wordsDecideNothing() {
        let (resource, stream, core) = (gst_resource_error_quark(), gst_stream_error_quark(), gst_core_error_quark())
        let cases: [(GQuark, UInt32, FramegrepError.Code)] = [
            (resource, GST_RESOURCE_ERROR_NOT_FOUND.rawValue, .sourceUnavailable),
            (resource, GST_RESOURCE_ERROR_OPEN_READ.rawValue, .sourceUnavailable),
            (resource, GST_RESOURCE_ERROR_NO_SPACE_LEFT.rawValue, .outputFailed),
            (resource, GST_RESOURCE_ERROR_READ.rawValue, .sourceDamaged),
            (stream, GST_STREAM_ERROR_TYPE_NOT_FOUND.rawValue, .sourceNotVideo),
            (stream, GST_STREAM_ERROR_DECODE.rawValue, .sourceDamaged),
            (core, GST_CORE_ERROR_MISSING_PLUGIN.rawValue, .missingPlugin),
            (core, GST_CORE_ERROR_NEGOTIATION.rawValue, .pipelineFailed),
        ]
        for (domain, code, _) in cases {
            let first = failure(domain, code, "").asFramegrepError()
            for text in Self.words {
                let error = failure(domain, code, text, debug: text).asFramegrepError()
                #expect(error.code == first.code, "\(error)")
                // The part before GStreamer's message.
                let sentence = first.message.prefix { $0 != "G" }
                #expect(error.message.hasPrefix(sentence), "\(error)")
            }
        }
        for (domain, code, wanted) in cases {
            #expect(failure(domain, code, "").asFramegrepError().code == wanted)
        }
    }

    /// The system's reasons are looked for in the words that the system has for them now.
    @Test(arguments: [
        (EACCES, "permission denied"), (EBUSY, "in use by another program"), (EMFILE, "ulimit -n"),
    ])
    func reasonsOfTheSystemAreNumbers(number: Int32, wanted: String) throws {
        let reason = String(cString: try #require(g_strerror(number)))
        let code = GST_RESOURCE_ERROR_OPEN_READ.rawValue
        let error = failure(gst_resource_error_quark(), code, "", debug: "gstfilesrc.c(1): a: \(reason)")
            .asFramegrepError()
        #expect(error.message.contains(wanted), "\(error)")
        #expect(!failure(gst_resource_error_quark(), code, "").asFramegrepError().message.contains(wanted))
    }

    @Test func aFullDiskIsTold() throws {
        let reason = String(cString: try #require(g_strerror(ENOSPC)))
        let error = failure(
            gst_resource_error_quark(), GST_RESOURCE_ERROR_WRITE.rawValue, "", debug: reason, factory: "filesink")
        #expect(error.asFramegrepError().message.contains("the disk is full"))
    }

    @Test func windowsWithoutADisplayAreKnownByTheirKind() {
        for text in Self.words {
            for kind in [GST_RESOURCE_ERROR_NOT_FOUND, GST_RESOURCE_ERROR_OPEN_READ_WRITE, GST_RESOURCE_ERROR_WRITE] {
                func code(of factory: String, _ subject: String?, isWindow: Bool) -> FramegrepError.Code {
                    failure(
                        gst_resource_error_quark(), kind.rawValue, text, factory: factory, subject: subject,
                        isWindow: isWindow
                    ).asFramegrepError().code
                }
                #expect(code(of: "ximagesink", nil, isWindow: true) == .noDisplay)
                #expect(code(of: "glupload", "file:///a", isWindow: false) == .noDisplay)
                // A device that shows pictures is not a display, and a file is not a window.
                #expect(code(of: "v4l2sink", "/dev/video9", isWindow: true) != .noDisplay)
                #expect(code(of: "filesink", "a", isWindow: false) != .noDisplay)
            }
        }
    }

    @Test(arguments: [
        ("H.265 (Main Profile) decoder", "decoder-video/x-h265, level=(string)3.1", "Install the package"),
        ("H.265 (Main Profile)-Decoder", "decoder-video/x-h265, level=(string)3.1", "Install the package"),
        ("FOO protocol source", "urisource-foo", "this kind of address"),
        ("FOO Protokollquelle", "urisource-foo", "this kind of address"),
        ("FOO 프로토콜 소스", "urisource-foo", "this kind of address"),
        ("text/html decoder", "decoder-text/html", "but text (text/html)"),
        ("text/html-Decoder", "decoder-text/html", "but text (text/html)"),
    ])
    func missingPluginsAreKnownByTheirPurpose(words: String, purpose: String, wanted: String) throws {
        let plugin = try #require(MissingPlugin(installerDetail: "gstreamer|1.0|framegrep|\(words)|\(purpose)"))
        #expect(FramegrepError.missing(plugin: plugin).message.contains(wanted))
        #expect(plugin.description == words)
    }

    @Test func onlyPicturesAreNeeded() {
        func isOptional(_ purpose: String) -> Bool? {
            MissingPlugin(installerDetail: "gstreamer|1.0|a|b|\(purpose)")?.isOptional
        }
        #expect(isOptional("decoder-audio/mpeg") == true && isOptional("decoder-subpicture/x-dvb") == true)
        #expect(isOptional("decoder-video/x-h265") == false && isOptional("element-deinterlace") == false)
        #expect(MissingPlugin(installerDetail: "nothing of the kind") == nil)
    }
}
