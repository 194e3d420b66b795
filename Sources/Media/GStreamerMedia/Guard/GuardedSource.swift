import CGStreamer
import Errors
import Glibc

/// An ordinary source that checks the rules before it opens anything: a class derived from the source's own.
enum GuardedSource {
    /// Above all others, and above ``RefusedSource``.
    private static let rank = UInt32(GST_RANK_PRIMARY.rawValue) + 200

    /// Makes GStreamer use the guarded form of a source for all addresses that it can open.
    ///
    /// - Returns: the class of the source itself; nil if it is not installed.
    static func register(_ factoryName: String) -> GType? {
        guard let factory = gst_element_factory_find(factoryName) else { return nil }
        defer { gst_object_unref(UnsafeMutableRawPointer(factory)) }
        // The feature is the factory itself once its plugin is loaded; both are opaque to Swift.
        guard let loaded = gst_plugin_feature_load(factory) else { return nil }
        defer { gst_object_unref(UnsafeMutableRawPointer(loaded)) }
        var query = GTypeQuery()
        g_type_query(gst_element_factory_get_element_type(loaded), &query)
        guard query.type != 0 else { return nil }
        var info = GTypeInfo()
        info.class_size = guint16(query.class_size)
        info.instance_size = guint16(query.instance_size)
        info.class_init = deriveClass
        let type = g_type_register_static(query.type, "Framegrep" + factoryName, &info, fgst_no_type_flags)
        guard type != 0, gst_element_register(nil, guardedFactoryPrefix + factoryName, rank, type) != 0 else {
            return nil
        }
        return query.type
    }

    /// Returns whether the element may open its address; posts an error if not.
    fileprivate static func mayOpen(_ element: UnsafeMutablePointer<GstElement>) -> Bool {
        guard let uri = String(takingOwnershipOf: gst_uri_handler_get_uri(OpaquePointer(element))) else { return true }
        guard let policy = SourceRefusal.policy(of: element) else {
            // The element is not part of a pipeline of ours: while rules are enforced, it opens nothing.
            guard SourceGuard.isEnforced else { return true }
            SourceRefusal.post(
                SourcePolicy.refused("'\(redacted(uri))' is not opened, because it was not requested."), on: element)
            return false
        }
        let isNamed = policy.origins.contains(uri)
        if let refusal = policy.refusal(of: uri) ?? (isNamed ? nil : SourceGuard.refusal(ofFileAt: uri)) {
            policy.refuse(refusal)
            SourceRefusal.post(refusal, on: element)
            return false
        }
        SourceGuard.expect(uri, by: policy)
        return true
    }
}

/// Functions shared by our elements that refuse an address.
enum SourceRefusal {
    /// The domain of errors whose messages are shown to the user unchanged.
    static let domain = g_quark_from_string("framegrep-source-refused")

    /// Returns the policy of the element, or one that the code using it can provide.
    static func policy(of element: UnsafeMutablePointer<GstElement>) -> SourcePolicy? {
        if fgst_context_number(element, SourceGuard.contextType) == 0 {
            let object = UnsafeMutableRawPointer(element).assumingMemoryBound(to: GstObject.self)
            gst_element_post_message(element, gst_message_new_need_context(object, SourceGuard.contextType))
        }
        return SourceGuard.policy(fgst_context_number(element, SourceGuard.contextType))
    }

    static func post(_ refusal: FramegrepError, on element: UnsafeMutablePointer<GstElement>) {
        let error = g_error_new_literal(domain, 1, refusal.message)
        defer { g_error_free(error) }
        let object = UnsafeMutableRawPointer(element).assumingMemoryBound(to: GstObject.self)
        gst_element_post_message(element, gst_message_new_error(object, error, nil))
    }
}

/// `GClassInitFunc` of every guarded class.
private func deriveClass(_ elements: gpointer?, _ data: gpointer?) {
    elements?.assumingMemoryBound(to: GstElementClass.self).pointee.change_state = changeState
}

/// `GstElementClass.change_state`: checks the rules before the element opens its address.
private func changeState(
    _ element: UnsafeMutablePointer<GstElement>?, _ transition: GstStateChange
) -> GstStateChangeReturn {
    guard let element else { return GST_STATE_CHANGE_FAILURE }
    if transition == GST_STATE_CHANGE_READY_TO_PAUSED, !GuardedSource.mayOpen(element) {
        return GST_STATE_CHANGE_FAILURE
    }
    let parent = g_type_class_peek_parent(fgst_class_of(element))?.assumingMemoryBound(to: GstElementClass.self)
    let result = parent?.pointee.change_state?(element, transition) ?? GST_STATE_CHANGE_FAILURE
    if transition == GST_STATE_CHANGE_PAUSED_TO_READY, let policy = SourceRefusal.policy(of: element) {
        RTSPWatch.forget(policy.number)
    }
    return result
}

/// A source for all schemes that are not allowed; it only posts an error.
enum RefusedSource {
    /// Below the guarded sources, above all others.
    private static let rank = UInt32(GST_RANK_PRIMARY.rawValue) + 199
    fileprivate static let addressKey = "framegrep-address"

    // Set once, before the class that reads it is registered, and never changed or freed: GStreamer keeps it.
    nonisolated(unsafe) fileprivate static var protocols: UnsafePointer<UnsafePointer<CChar>?>?

    /// Makes GStreamer use it for all schemes except `schemes`. Call it once.
    static func register(exceptFor schemes: Set<String>) throws {
        let known = Set(knownProtocols()).subtracting(schemes).sorted()
        let list = UnsafeMutablePointer<UnsafePointer<CChar>?>.allocate(capacity: known.count + 1)
        for (index, name) in known.enumerated() { list[index] = UnsafePointer(strdup(name)) }
        list[known.count] = nil
        protocols = UnsafePointer(list)

        var query = GTypeQuery()
        g_type_query(gst_element_get_type(), &query)
        var info = GTypeInfo()
        info.class_size = guint16(query.class_size)
        info.instance_size = guint16(query.instance_size)
        info.class_init = describeClass
        info.instance_init = addPad
        let type = g_type_register_static(query.type, "FramegrepRefusedSource", &info, fgst_no_type_flags)
        var handler = GInterfaceInfo()
        handler.interface_init = describeHandler
        g_type_add_interface_static(type, gst_uri_handler_get_type(), &handler)
        guard type != 0, gst_element_register(nil, "framegreprefusedsrc", rank, type) != 0 else {
            throw FramegrepError(
                .pipelineFailed, "GStreamer does not accept framegrep's own elements, so nothing can be opened safely.")
        }
    }

    /// Returns the schemes that some installed source opens.
    private static func knownProtocols() -> [String] {
        let features = gst_registry_get_feature_list(gst_registry_get(), gst_element_factory_get_type())
        defer { gst_plugin_feature_list_free(features) }
        var names: [String] = []
        var item = features
        while let current = item {
            item = current.pointee.next
            guard let data = current.pointee.data else { continue }
            let factory = OpaquePointer(data)
            guard gst_element_factory_get_uri_type(factory) == GST_URI_SRC,
                let list = gst_element_factory_get_uri_protocols(factory)
            else { continue }
            var index = 0
            while let name = list[index] {
                names.append(String(cString: name).lowercased())
                index += 1
            }
        }
        return names
    }
}

/// `GClassInitFunc`.
private func describeClass(_ elements: gpointer?, _ data: gpointer?) {
    guard let elements = elements?.assumingMemoryBound(to: GstElementClass.self) else { return }
    elements.pointee.change_state = refuse
    gst_element_class_set_metadata(
        elements, "Source that refuses", "Source", "Says that an address is not opened", "framegrep")
    if let template = gst_pad_template_new("src", GST_PAD_SRC, GST_PAD_ALWAYS, gst_caps_new_any()) {
        gst_element_class_add_pad_template(elements, template)
    }
}

/// `GInstanceInitFunc`: adds an output, without which the element would never be linked.
private func addPad(_ instance: UnsafeMutablePointer<GTypeInstance>?, _ elements: gpointer?) {
    guard let instance, let elements = elements?.assumingMemoryBound(to: GstElementClass.self),
        let template = gst_element_class_get_pad_template(elements, "src"),
        let pad = gst_pad_new_from_template(template, "src")
    else { return }
    gst_element_add_pad(UnsafeMutableRawPointer(instance).assumingMemoryBound(to: GstElement.self), pad)
}

/// `GInterfaceInitFunc` of `GstURIHandler`.
private func describeHandler(_ handler: gpointer?, _ data: gpointer?) {
    guard let handler = handler?.assumingMemoryBound(to: GstURIHandlerInterface.self) else { return }
    handler.pointee.get_type = handledType
    handler.pointee.get_protocols = handledProtocols
    handler.pointee.get_uri = address
    handler.pointee.set_uri = setAddress
}

private func handledType(_ type: GType) -> GstURIType { GST_URI_SRC }

private func handledProtocols(_ type: GType) -> UnsafePointer<UnsafePointer<CChar>?>? { RefusedSource.protocols }

/// `GstURIHandlerInterface.get_uri`: newly allocated.
private func address(_ handler: OpaquePointer?) -> UnsafeMutablePointer<CChar>? {
    guard let handler, let text = g_object_get_data(UnsafeMutablePointer(handler), RefusedSource.addressKey) else {
        return nil
    }
    return g_strdup(text.assumingMemoryBound(to: CChar.self))
}

/// `GstURIHandlerInterface.set_uri`.
private func setAddress(
    _ handler: OpaquePointer?, _ uri: UnsafePointer<CChar>?,
    _ error: UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?
) -> gboolean {
    guard let handler else { return 0 }
    g_object_set_data_full(UnsafeMutablePointer(handler), RefusedSource.addressKey, g_strdup(uri), g_free)
    return 1
}

/// `GstElementClass.change_state`: refuses every change of state.
private func refuse(_ element: UnsafeMutablePointer<GstElement>?, _ transition: GstStateChange) -> GstStateChangeReturn
{
    guard let element else { return GST_STATE_CHANGE_FAILURE }
    if transition == GST_STATE_CHANGE_READY_TO_PAUSED {
        let uri = String(takingOwnershipOf: address(OpaquePointer(element))) ?? ""
        let policy = SourceRefusal.policy(of: element)
        let refusal =
            policy?.refusal(of: uri)
            ?? SourcePolicy.refused("'\(redacted(uri))' is not opened: it is neither a file nor HTTP.")
        policy?.refuse(refusal)
        SourceRefusal.post(refusal, on: element)
        return GST_STATE_CHANGE_FAILURE
    }
    let parent = g_type_class_peek_parent(fgst_class_of(element))?.assumingMemoryBound(to: GstElementClass.self)
    return parent?.pointee.change_state?(element, transition) ?? GST_STATE_CHANGE_FAILURE
}
