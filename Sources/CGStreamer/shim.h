// GStreamer for Swift. Only what Swift cannot import by itself is wrapped here: function-like and cast macros, and variadics.
#ifndef FRAMEGREP_CGSTREAMER_H
#define FRAMEGREP_CGSTREAMER_H

#include <gst/gst.h>
#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/video/video.h>
#include <gst/pbutils/pbutils.h>
#include <malloc.h>

// Cast macros. Each returns NULL where the object is not of the type, without GLib's warning.
static inline GstBin *fgst_as_bin(gpointer object) { return GST_IS_BIN(object) ? GST_BIN_CAST(object) : NULL; }
static inline GstElement *fgst_as_element(gpointer object) { return GST_IS_ELEMENT(object) ? GST_ELEMENT_CAST(object) : NULL; }
static inline GstAppSink *fgst_as_app_sink(gpointer object) { return GST_IS_APP_SINK(object) ? (GstAppSink *)object : NULL; }
static inline GstAppSrc *fgst_as_app_src(gpointer object) { return GST_IS_APP_SRC(object) ? (GstAppSrc *)object : NULL; }
static inline GstPipeline *fgst_as_pipeline(gpointer object) { return GST_IS_PIPELINE(object) ? GST_PIPELINE_CAST(object) : NULL; }

// G_OBJECT_GET_CLASS: the description of a property, or NULL where the object has none of that name.
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
// The property as GStreamer writes it in a description, newly allocated; NULL where it cannot be read or written so.
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

// GST_MESSAGE_SRC as an element, or NULL.
static inline GstElement *fgst_message_element(GstMessage *message) { return fgst_as_element(GST_MESSAGE_SRC(message)); }

// gst_buffer_make_writable and gst_caps_unref are macros over mini objects.
static inline GstBuffer *fgst_buffer_make_writable(GstBuffer *buffer) { return gst_buffer_make_writable(buffer); }

// GST_VIDEO_FORMAT_INFO_* macros that the conversion asks for.
static inline gboolean fgst_format_is_yuv(const GstVideoFormatInfo *format) { return GST_VIDEO_FORMAT_INFO_IS_YUV(format); }
static inline gboolean fgst_format_is_gray(const GstVideoFormatInfo *format) { return GST_VIDEO_FORMAT_INFO_IS_GRAY(format); }
static inline gboolean fgst_format_is_tiled(const GstVideoFormatInfo *format) { return GST_VIDEO_FORMAT_INFO_IS_TILED(format); }

// GST_VIDEO_INFO_* macros that reach into a union.
static inline gboolean fgst_info_is_interlaced(const GstVideoInfo *info) { return GST_VIDEO_INFO_IS_INTERLACED(info); }

// An argument of g_signal_connect and a function-pointer cast.
static inline void fgst_set_new_preroll(GstAppSink *sink, GstFlowReturn (*prerolled)(GstAppSink *, gpointer),
                                        void (*ended)(GstAppSink *, gpointer), gpointer context, GDestroyNotify release) {
    GstAppSinkCallbacks callbacks = {0};
    callbacks.new_preroll = prerolled;
    callbacks.eos = ended;
    gst_app_sink_set_callbacks(sink, &callbacks, context, release);
}

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

#endif
