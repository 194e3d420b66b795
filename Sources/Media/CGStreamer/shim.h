// GStreamer for Swift. Only what Swift cannot import by itself is wrapped here: function-like and cast macros, and variadics.
#ifndef FRAMEGREP_CGSTREAMER_H
#define FRAMEGREP_CGSTREAMER_H

#include <gst/gst.h>
#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/video/video.h>
#include <gst/pbutils/pbutils.h>
#include <gio/gio.h>
#include <malloc.h>

// GLib's flags under names that Swift has everywhere: GLib 2.88 declares them as option sets, which Swift imports under other names than plain
// enumerations.
static const GTypeFlags fgst_no_type_flags = (GTypeFlags)0;
static const GUriHideFlags fgst_hide_userinfo = G_URI_HIDE_USERINFO;
// SOUP_HTTP_URI_FLAGS of libsoup.
static const guint fgst_http_uri_flags = G_URI_FLAGS_HAS_PASSWORD | G_URI_FLAGS_ENCODED_QUERY | G_URI_FLAGS_ENCODED_PATH | G_URI_FLAGS_ENCODED_FRAGMENT | G_URI_FLAGS_SCHEME_NORMALIZE;
static const GDBusConnectionFlags fgst_message_bus_client =
    (GDBusConnectionFlags)(G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION);
static const GDBusSignalFlags fgst_no_signal_flags = G_DBUS_SIGNAL_FLAGS_NONE;
static const GDBusCallFlags fgst_no_call_flags = G_DBUS_CALL_FLAGS_NONE;

// Cast macros. Each returns NULL if the object is not of the type, without GLib's warning.
static inline GstBin *fgst_as_bin(gpointer object) { return GST_IS_BIN(object) ? GST_BIN_CAST(object) : NULL; }
static inline GstElement *fgst_as_element(gpointer object) { return GST_IS_ELEMENT(object) ? GST_ELEMENT_CAST(object) : NULL; }
static inline GstAppSink *fgst_as_app_sink(gpointer object) { return GST_IS_APP_SINK(object) ? (GstAppSink *)object : NULL; }
static inline GstAppSrc *fgst_as_app_src(gpointer object) { return GST_IS_APP_SRC(object) ? (GstAppSrc *)object : NULL; }
static inline GstURIHandler *fgst_as_uri_handler(gpointer object) { return GST_IS_URI_HANDLER(object) ? GST_URI_HANDLER(object) : NULL; }
static inline GstPipeline *fgst_as_pipeline(gpointer object) { return GST_IS_PIPELINE(object) ? GST_PIPELINE_CAST(object) : NULL; }

// G_OBJECT_GET_CLASS: the description of a property, or NULL if the object has none of that name.
static inline GParamSpec *fgst_property(gpointer object, const char *name) {
    return g_object_class_find_property(G_OBJECT_GET_CLASS(object), name);
}

// g_object_get and g_object_set are variadic. The caller made sure with fgst_property that the property exists.
static inline gboolean fgst_get_boolean(gpointer object, const char *name) {
    gboolean value = FALSE;
    g_object_get(object, name, &value, NULL);
    return value;
}
static inline void fgst_set_boolean(gpointer object, const char *name, gboolean value) { g_object_set(object, name, value, NULL); }
static inline GstStructure *fgst_take_structure(gpointer object, const char *name) {
    GstStructure *value = NULL;
    g_object_get(object, name, &value, NULL);
    return value;
}
// The property as GStreamer writes it in a description, newly allocated; NULL if it cannot be read or written like that.
static inline char *fgst_take_property_text(gpointer object, const char *name) {
    GParamSpec *description = fgst_property(object, name);
    if (!description || !(description->flags & G_PARAM_READABLE)) return NULL;
    GValue value = G_VALUE_INIT;
    g_value_init(&value, description->value_type);
    g_object_get_property(G_OBJECT(object), name, &value);
    char *text = G_VALUE_HOLDS_STRING(&value) ? g_value_dup_string(&value) : gst_value_serialize(&value);
    g_value_unset(&value);
    return text;
}
// Whether a property has the value that a new element would have.
static inline gboolean fgst_is_default(gpointer object, GParamSpec *description) {
    GValue value = G_VALUE_INIT;
    g_value_init(&value, description->value_type);
    g_object_get_property(G_OBJECT(object), description->name, &value);
    gboolean is_default = g_param_value_defaults(description, &value);
    g_value_unset(&value);
    return is_default;
}
// gst_structure_set is variadic.
static inline void fgst_structure_set_int(GstStructure *structure, const char *field, int value) {
    gst_structure_set(structure, field, G_TYPE_INT, value, NULL);
}
static inline void fgst_structure_set_enum(GstStructure *structure, const char *field, GType type, int value) {
    gst_structure_set(structure, field, type, value, NULL);
}
// GST_OBJECT_FLAG_IS_SET with GST_ELEMENT_FLAG_SINK and GST_ELEMENT_FLAG_SOURCE.
static inline gboolean fgst_is_source(GstElement *element) { return GST_OBJECT_FLAG_IS_SET(element, GST_ELEMENT_FLAG_SOURCE); }
static inline gboolean fgst_is_sink(GstElement *element) { return GST_OBJECT_FLAG_IS_SET(element, GST_ELEMENT_FLAG_SINK); }

// A factory is a plugin's feature; both are opaque to Swift.
static inline void fgst_never_choose(gpointer factory) { gst_plugin_feature_set_rank(GST_PLUGIN_FEATURE(factory), GST_RANK_NONE); }

// GST_MESSAGE_SRC as an element, or NULL.
static inline GstElement *fgst_message_element(GstMessage *message) { return fgst_as_element(GST_MESSAGE_SRC(message)); }

// gst_buffer_make_writable and gst_caps_unref are macros over mini objects.
static inline GstBuffer *fgst_buffer_make_writable(GstBuffer *buffer) { return gst_buffer_make_writable(buffer); }

// GST_VIDEO_FORMAT_INFO_* macros that the conversion needs.
static inline gboolean fgst_format_is_yuv(const GstVideoFormatInfo *format) { return GST_VIDEO_FORMAT_INFO_IS_YUV(format); }
static inline gboolean fgst_format_is_gray(const GstVideoFormatInfo *format) { return GST_VIDEO_FORMAT_INFO_IS_GRAY(format); }
static inline gboolean fgst_format_is_tiled(const GstVideoFormatInfo *format) { return GST_VIDEO_FORMAT_INFO_IS_TILED(format); }
// Whether each component of a pixel is a separate byte, in rows that can be counted.
static inline gboolean fgst_format_is_plain(const GstVideoFormatInfo *format) {
    if (GST_VIDEO_FORMAT_INFO_IS_TILED(format) || GST_VIDEO_FORMAT_INFO_IS_COMPLEX(format) || GST_VIDEO_FORMAT_INFO_HAS_PALETTE(format)) return FALSE;
    for (guint index = 0; index < GST_VIDEO_FORMAT_INFO_N_COMPONENTS(format); index++) {
        if (GST_VIDEO_FORMAT_INFO_DEPTH(format, index) != 8 || GST_VIDEO_FORMAT_INFO_SHIFT(format, index) != 0) return FALSE;
    }
    return GST_VIDEO_FORMAT_INFO_N_COMPONENTS(format) > 0;
}

// GST_VIDEO_INFO_* macros that reach into a union.
static inline gboolean fgst_info_is_interlaced(const GstVideoInfo *info) { return GST_VIDEO_INFO_IS_INTERLACED(info); }

// An argument of g_signal_connect and a function-pointer cast.
static inline void fgst_set_app_sink_callbacks(GstAppSink *sink, GstFlowReturn (*prerolled)(GstAppSink *, gpointer),
                                               GstFlowReturn (*arrived)(GstAppSink *, gpointer),
                                               void (*ended)(GstAppSink *, gpointer), gpointer context,
                                               GDestroyNotify release) {
    GstAppSinkCallbacks callbacks = {0};
    callbacks.new_preroll = prerolled;
    callbacks.new_sample = arrived;
    callbacks.eos = ended;
    gst_app_sink_set_callbacks(sink, &callbacks, context, release);
}

// GST_DEBUG_CATEGORY_INIT, and the comparison with which GST_CAT_LEVEL_LOG begins: the first half of it is one global number,
// so a line that is not logged costs next to nothing.
static inline GstDebugCategory *fgst_new_debug_category(const char *name, const char *description) {
    GstDebugCategory *category = NULL;
    GST_DEBUG_CATEGORY_INIT(category, name, 0, description);
    return category;
}
static inline gboolean fgst_debug_is_wanted(GstDebugCategory *category, GstDebugLevel level) {
    return G_UNLIKELY(level <= GST_LEVEL_MAX && level <= _gst_debug_min) && level <= gst_debug_category_get_threshold(category);
}

// G_OBJECT_GET_CLASS, and the functions that would need its result cast.
static inline gpointer fgst_class_of(gpointer object) { return ((GTypeInstance *)object)->g_class; }
static inline GParamSpec *fgst_class_property(gpointer object_class, const char *name) {
    return g_object_class_find_property(G_OBJECT_CLASS(object_class), name);
}
// Whether a property's value is a number of any kind, and so not text.
static inline gboolean fgst_is_number(GParamSpec *description) {
    switch (G_TYPE_FUNDAMENTAL(description->value_type)) {
    case G_TYPE_BOOLEAN: case G_TYPE_CHAR: case G_TYPE_UCHAR: case G_TYPE_INT: case G_TYPE_UINT: case G_TYPE_LONG: case G_TYPE_ULONG:
    case G_TYPE_INT64: case G_TYPE_UINT64: case G_TYPE_FLOAT: case G_TYPE_DOUBLE: case G_TYPE_ENUM: case G_TYPE_FLAGS: return TRUE;
    default: return FALSE;
    }
}

// gst_structure_set and gst_structure_get are variadic: a context of one number, and that number; 0 for none.
static inline GstContext *fgst_number_context(const char *type, guint64 number) {
    GstContext *context = gst_context_new(type, TRUE);
    gst_structure_set(gst_context_writable_structure(context), "number", G_TYPE_UINT64, number, NULL);
    return context;
}
static inline guint64 fgst_context_number(GstElement *element, const char *type) {
    GstContext *context = gst_element_get_context(element, type);
    guint64 number = 0;
    if (context) {
        gst_structure_get_uint64(gst_context_get_structure(context), "number", &number);
        gst_context_unref(context);
    }
    return number;
}

// g_object_get is variadic. The value is newly allocated; NULL if the object has no such property of that type.
static inline char *fgst_take_string(gpointer object, const char *name) {
    GParamSpec *description = fgst_property(object, name);
    char *value = NULL;
    if (description && description->value_type == G_TYPE_STRING && (description->flags & G_PARAM_READABLE)) g_object_get(object, name, &value, NULL);
    return value;
}
static inline GUri *fgst_take_uri(gpointer object, const char *name) {
    GParamSpec *description = fgst_property(object, name);
    GUri *value = NULL;
    if (description && description->value_type == G_TYPE_URI) g_object_get(object, name, &value, NULL);
    return value;
}
// Casts of GIO. Each returns NULL if the object is not of the type.
static inline GSocketConnection *fgst_as_connection(gpointer object) { return G_IS_SOCKET_CONNECTION(object) ? (GSocketConnection *)object : NULL; }
static inline GNetworkAddress *fgst_as_network_address(gpointer object) { return G_IS_NETWORK_ADDRESS(object) ? (GNetworkAddress *)object : NULL; }
static inline GInetSocketAddress *fgst_as_inet_address(gpointer object) { return G_IS_INET_SOCKET_ADDRESS(object) ? (GInetSocketAddress *)object : NULL; }
static inline gboolean fgst_is_proxy_address(gpointer object) { return G_IS_PROXY_ADDRESS(object); }

// A function-pointer cast.
static inline void fgst_on_source_setup(GstDiscoverer *discoverer, void (*setup)(GstDiscoverer *, GstElement *, gpointer), gpointer context) {
    g_signal_connect(discoverer, "source-setup", G_CALLBACK(setup), context);
}

// Makes a pad answer queries for the length of a stream with 0.
static inline GstPadProbeReturn fgst_answer_no_duration(GstPad *pad, GstPadProbeInfo *info, gpointer unused) {
    GstFormat format = GST_FORMAT_UNDEFINED;
    GstQuery *query = GST_PAD_PROBE_INFO_QUERY(info);
    if (GST_QUERY_TYPE(query) != GST_QUERY_DURATION) return GST_PAD_PROBE_OK;
    gst_query_parse_duration(query, &format, NULL);
    if (format != GST_FORMAT_TIME) return GST_PAD_PROBE_OK;
    gst_query_set_duration(query, format, 0);
    return GST_PAD_PROBE_HANDLED;
}
static inline void fgst_has_no_duration(GstPad *pad) {
    gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_QUERY_UPSTREAM, fgst_answer_no_duration, NULL, NULL);
}

// Makes a pad answer allocation queries: frames may be laid out as the decoder has them, with the padding that it needs. Decoders of
// libav write directly into such frames only if a pool is offered as well.
static inline GstPadProbeReturn fgst_answer_any_layout(GstPad *pad, GstPadProbeInfo *info, gpointer unused) {
    GstQuery *query = GST_PAD_PROBE_INFO_QUERY(info);
    if (GST_QUERY_TYPE(query) != GST_QUERY_ALLOCATION) return GST_PAD_PROBE_OK;
    GstCaps *caps = NULL;
    GstVideoInfo video;
    gst_query_parse_allocation(query, &caps, NULL);
    if (caps == NULL || !gst_video_info_from_caps(&video, caps)) return GST_PAD_PROBE_OK;
    gst_query_add_allocation_meta(query, GST_VIDEO_META_API_TYPE, NULL);
    GstBufferPool *pool = gst_video_buffer_pool_new();
    gst_query_add_allocation_pool(query, pool, GST_VIDEO_INFO_SIZE(&video), 0, 0);
    gst_object_unref(pool);
    return GST_PAD_PROBE_HANDLED;
}
static inline void fgst_takes_any_layout(GstPad *pad) {
    gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM, fgst_answer_any_layout, NULL, NULL);
}

// A function-pointer cast and a macro each.
static inline void fgst_on_deep_element_added(GstElement *bin, void (*added)(GstBin *, GstBin *, GstElement *, gpointer), gpointer context,
                                              GClosureNotify release) {
    g_signal_connect_data(bin, "deep-element-added", G_CALLBACK(added), context, release, (GConnectFlags)0);
}
static inline void fgst_on_pad_added(GstElement *element, void (*added)(GstElement *, GstPad *, gpointer), gpointer context,
                                     GClosureNotify release) {
    g_signal_connect_data(element, "pad-added", G_CALLBACK(added), context, release, (GConnectFlags)0);
}
// A factory is a plugin's feature. The name is the factory's.
static inline const char *fgst_factory_name(gpointer factory) { return GST_OBJECT_NAME(factory); }
// Adds a reference; the result keeps its type.
static inline GstPad *fgst_ref_pad(GstPad *pad) { return (GstPad *)gst_object_ref(pad); }

// glibc's own; Swift's module for it leaves malloc.h out, and other C libraries do not have it.
static inline void fgst_return_free_memory(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}
static inline void fgst_limit_arenas(int count) {
#ifdef __GLIBC__
    mallopt(M_ARENA_MAX, count);
#endif
}
static inline void fgst_map_large_blocks(int least) {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, least);
#endif
}

#endif
