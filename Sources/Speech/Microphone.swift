import CGStreamer

/// A microphone that the machine has, as its sound server tells.
public struct Microphone: Sendable, Hashable {
    public let name: String

    /// All there are. Asks the sound server, which takes some milliseconds.
    public static func all() -> [Microphone] {
        guard let monitor = gst_device_monitor_new() else { return [] }
        defer { gst_object_unref(UnsafeMutableRawPointer(monitor)) }
        gst_device_monitor_add_filter(monitor, "Audio/Source", nil)
        let devices = gst_device_monitor_get_devices(monitor)
        defer { g_list_free(devices) }
        var found: [Microphone] = []
        var place = devices
        while let item = place {
            place = item.pointee.next
            guard let data = item.pointee.data else { continue }
            defer { gst_object_unref(data) }
            let device = data.assumingMemoryBound(to: GstDevice.self)
            // What the loudspeakers play is no microphone.
            guard !isMonitor(device), let name = gst_device_get_display_name(device) else { continue }
            found.append(Microphone(name: String(cString: name)))
            g_free(name)
        }
        return found
    }

    private static func isMonitor(_ device: UnsafeMutablePointer<GstDevice>) -> Bool {
        guard let properties = gst_device_get_properties(device) else { return false }
        defer { gst_structure_free(properties) }
        guard let kind = gst_structure_get_string(properties, "device.class") else { return false }
        return String(cString: kind) == "monitor"
    }
}
