import CGStreamer
import Errors
import TextSpotting

/// An ordinary source with a look at the rules before it opens anything: a class derived from the source's own.
enum GuardedSource {
    /// Above all others, and above ``RefusedSource``.
    private static let rank = UInt32(GST_RANK_PRIMARY.rawValue) + 200

    /// Has GStreamer take the guarded form of a source for all addresses that the source can open.
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
        let type = g_type_register_static(query.type, "Framegrep" + factoryName, &info, G_TYPE_FLAG_NONE)
        guard type != 0, gst_element_register(nil, guardedFactoryPrefix + factoryName, rank, type) != 0 else {
            return nil
        }
        return query.type
    }

    /// Whether the element may open its address; posts an error where it may not.
    fileprivate static func mayOpen(_ element: UnsafeMutablePointer<GstElement>) -> Bool {
        guard let uri = String(takingOwnershipOf: gst_uri_handler_get_uri(OpaquePointer(element))) else { return true }
        guard let policy = SourceRefusal.policy(of: element) else {
            // Not part of a pipeline of ours: while rules are enforced, it opens nothing.
            guard SourceGuard.isEnforced else { return true }
            SourceRefusal.post(
                SourcePolicy.refused("“\(redacted(uri))” is not opened: nobody here asked for it."), on: element)
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

/// Shared by our elements that refuse an address.
enum SourceRefusal {
    /// The domain of errors whose message is the sentence that a user gets.
    static let domain = g_quark_from_string("framegrep-source-refused")

    /// The policy that the element was given, or that its user can be asked for.
    static func policy(of element: UnsafeMutablePointer<GstElement>) -> SourcePolicy? {
        if fgst_context_number(element, SourceGuard.contextType) == 0 {
            let object = UnsafeMutableRawPointer(element).assumingMemoryBound(to: GstObject.self)
            gst_element_post_message(element, gst_message_new_need_context(object, SourceGuard.contextType))
        }
        return SourceGuard.policy(fgst_context_number(element, SourceGuard.contextType))
    }

    /// Posts a refusal as the element's own error.
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

/// `GstElementClass.change_state`: looks at the rules before the element opens its address.
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
