import CGStreamer
import Errors
import Synchronization
import TextSpotting

/// GStreamer itself: starting it, and its installed elements.
///
/// Everything here may be called from any thread, any number of times.
public enum MediaRuntime {
    private static let started = Mutex(false)

    /// Starts GStreamer and takes its own options (`--gst-debug=3`, `--gst-plugin-path=...`) out of a command line.
    ///
    /// The first call that starts GStreamer decides: later calls return their arguments without GStreamer's options,
    /// which then have no effect.
    /// - Parameter arguments: without the program's name.
    /// - Returns: the arguments that are not GStreamer's, in order.
    /// - Throws: `FramegrepError` `.badArgument` for an option of GStreamer's that it does not understand.
    @discardableResult
    public static func initialize(arguments: [String] = []) throws -> [String] {
        try started.withLock { started in
            guard !started else { return arguments.filter { !$0.hasPrefix("--gst-") } }
            let remaining = try start(with: arguments)
            chooseStillDecoders()
            GIFDemuxer.register()
            started = true
            return remaining
        }
    }

    /// Ends GStreamer for good, so that its tracers report what is still alive; nothing of it may be used afterwards.
    ///
    /// Only for a program that is about to end and was asked for such a report (`GST_TRACERS`).
    public static func endForTracers() {
        started.withLock { started in
            guard started else { return }
            // Pipelines that were dropped come to rest on queues of their own.
            g_usleep(300_000)
            gst_deinit()
        }
    }

    /// GStreamer's version, such as `GStreamer 1.22.0`.
    public static var version: String { String(takingOwnershipOf: gst_version_string()) ?? "GStreamer" }

    /// Whether an element of this name (`v4l2src`, `x264enc`) can be made.
    public static func hasElement(_ factoryName: String) -> Bool {
        guard (try? initialize()) != nil, let factory = gst_element_factory_find(factoryName) else { return false }
        gst_object_unref(UnsafeMutableRawPointer(factory))
        return true
    }

    /// The origin of an element, for a report on the installation; nil if it is missing.
    public static func element(_ factoryName: String) -> InstalledElement? {
        guard (try? initialize()) != nil, let factory = gst_element_factory_find(factoryName) else { return nil }
        defer { gst_object_unref(UnsafeMutableRawPointer(factory)) }
        // A factory is a plugin's feature: both are opaque to Swift.
        guard let plugin = gst_plugin_feature_get_plugin(factory) else { return nil }
        defer { gst_object_unref(UnsafeMutableRawPointer(plugin)) }
        func text(_ value: UnsafePointer<CChar>?) -> String { value.map { String(cString: $0) } ?? "" }
        return InstalledElement(
            name: factoryName,
            summary: text(gst_element_factory_get_metadata(factory, "long-name")),
            plugin: text(gst_plugin_get_name(plugin)), version: text(gst_plugin_get_version(plugin)),
            origin: text(gst_plugin_get_package(plugin)))
    }

    /// The Debian package that brings an element, where it is one of those that framegrep knows to be asked for.
    public static func debianPackage(forElement factoryName: String) -> String? {
        DebianPackages.package(forElement: factoryName)
    }

    /// Has gdk-pixbuf decode BMP and TIFF, where it is installed: libav's decoders of them take a picture for damaged that comes
    /// in several pieces, as all do.
    private static func chooseStillDecoders() {
        guard let pixbuf = gst_registry_lookup_feature(gst_registry_get(), "gdkpixbufdec") else { return }
        defer { gst_object_unref(UnsafeMutableRawPointer(pixbuf)) }
        // The user may have chosen already (GST_PLUGIN_FEATURE_RANK).
        guard gst_plugin_feature_get_rank(pixbuf) == UInt32(GST_RANK_NONE.rawValue) else { return }
        gst_plugin_feature_set_rank(pixbuf, UInt32(GST_RANK_MARGINAL.rawValue))
        for name in ["avdec_bmp", "avdec_tiff"] {
            guard let feature = gst_registry_lookup_feature(gst_registry_get(), name) else { continue }
            gst_plugin_feature_set_rank(feature, UInt32(GST_RANK_NONE.rawValue))
            gst_object_unref(UnsafeMutableRawPointer(feature))
        }
    }

    private static func start(with arguments: [String]) throws -> [String] {
        // gst_init_check takes a C main's argc and argv: it moves the pointers it leaves to the front.
        let strings = (["framegrep"] + arguments).map { g_strdup($0) }
        let list = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: strings.count + 1)
        defer {
            strings.forEach { g_free($0) }
            list.deallocate()
        }
        list.initialize(from: strings, count: strings.count)
        (list + strings.count).initialize(to: nil)
        var count = Int32(strings.count)
        var vector: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = list
        var error: UnsafeMutablePointer<GError>?
        guard gst_init_check(&count, &vector, &error) != 0 else {
            defer { g_clear_error(&error) }
            throw FramegrepError(
                .badArgument,
                "GStreamer did not start: \(sentence(error?.text ?? "it gave no reason")) Check the --gst options.")
        }
        return (1..<max(1, Int(count))).compactMap { index in vector?[index].map { String(cString: $0) } }
    }
}

/// Where an installed element comes from.
public struct InstalledElement: Hashable, Sendable {
    /// The factory's name, as written in a pipeline.
    public let name: String
    /// The element's own name for itself: `Video (video4linux2) Source`.
    public let summary: String
    /// The plugin that has it.
    public let plugin: String
    /// The plugin's version.
    public let version: String
    /// Who packaged the plugin: `GStreamer Good Plugins (Debian)`.
    public let origin: String
}
