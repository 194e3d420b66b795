// The element's boilerplate: type, pads, properties, signals, and the calls from GstBaseTransform's functions to the
// Swift half.
#include "include/CGstFramegrep.h"
#include "swiftside.h"

#define FORMATS "{ I420, NV12, RGBA, RGBx, RGB, GRAY8, BGRA, BGRx, BGR, YV12, NV21 }"

typedef struct {
    GstBaseTransform parent;
    void *job;
} Framegrep;

typedef struct {
    GstBaseTransformClass parent;
} FramegrepClass;

G_DEFINE_TYPE(Framegrep, framegrep, GST_TYPE_BASE_TRANSFORM)

#define JOB(object) (((Framegrep *)(object))->job)

// No features: memory of a graphics card or another device is refused while formats are negotiated, not later.
static GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS(GST_VIDEO_CAPS_MAKE(FORMATS)));
static GstStaticPadTemplate source_template =
    GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS(GST_VIDEO_CAPS_MAKE(FORMATS)));

// --- Properties: their defaults come from the Swift half, which returns them if it is asked without a job. ---

static GType mode_type(void) {
    static gsize type = 0;
    if (g_once_init_enter(&type)) {
        static const GEnumValue values[] = {
            {FGE_MODE_AUTO, "live where the source is live, else complete", "auto"},
            {FGE_MODE_LIVE, "Never hold the stream up: read the newest frame there is", "live"},
            {FGE_MODE_COMPLETE, "Lose no frame: hold the stream up until it is read, as framegrep find does", "complete"},
            {0, NULL, NULL}};
        g_once_init_leave(&type, g_enum_register_static("FramegrepMode", values));
    }
    return type;
}

static GType redact_type(void) {
    static gsize type = 0;
    if (g_once_init_enter(&type)) {
        static const GEnumValue values[] = {{FGE_REDACT_NONE, "Hide nothing", "none"},
                                            {FGE_REDACT_BLACK, "Black: nothing of it is left", "black"},
                                            {FGE_REDACT_PIXELATE, "Squares of one color each; the text can be guessed by trying", "pixelate"},
                                            {FGE_REDACT_BLUR, "Blurred; much of it can be undone", "blur"},
                                            {0, NULL, NULL}};
        g_once_init_leave(&type, g_enum_register_static("FramegrepRedact", values));
    }
    return type;
}

static GType engine_type(void) {
    static gsize type = 0;
    if (g_once_init_enter(&type)) {
        static const GEnumValue values[] = {{FGE_ENGINE_AUTO, "neural where it is installed, else Tesseract", "auto"},
                                            {FGE_ENGINE_TESSERACT, "Tesseract", "tesseract"},
                                            {FGE_ENGINE_NEURAL, "PP-OCR networks, run by OpenVINO", "neural"},
                                            {0, NULL, NULL}};
        g_once_init_leave(&type, g_enum_register_static("FramegrepEngine", values));
    }
    return type;
}

static GType level_type(void) {
    static gsize type = 0;
    if (g_once_init_enter(&type)) {
        static const GEnumValue values[] = {
            {FGE_LEVEL_FAST, "The small networks", "fast"}, {FGE_LEVEL_ACCURATE, "The large networks", "accurate"}, {0, NULL, NULL}};
        g_once_init_leave(&type, g_enum_register_static("FramegrepLevel", values));
    }
    return type;
}

static void framegrep_set_property(GObject *object, guint id, const GValue *value, GParamSpec *spec) {
    switch (G_TYPE_FUNDAMENTAL(spec->value_type)) {
    case G_TYPE_STRING: fge_job_set_text(JOB(object), id, g_value_get_string(value)); break;
    case G_TYPE_BOOLEAN: fge_job_set_number(JOB(object), id, g_value_get_boolean(value)); break;
    case G_TYPE_DOUBLE: fge_job_set_number(JOB(object), id, g_value_get_double(value)); break;
    case G_TYPE_UINT: fge_job_set_number(JOB(object), id, g_value_get_uint(value)); break;
    case G_TYPE_UINT64: fge_job_set_time(JOB(object), id, g_value_get_uint64(value)); break;
    case G_TYPE_ENUM: fge_job_set_number(JOB(object), id, g_value_get_enum(value)); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
    }
    // How long frames are held is the whole pipeline's business.
    if (id == FGE_EXACT || id == FGE_REDACT) gst_element_post_message(GST_ELEMENT(object), gst_message_new_latency(GST_OBJECT(object)));
}

static void framegrep_get_property(GObject *object, guint id, GValue *value, GParamSpec *spec) {
    switch (G_TYPE_FUNDAMENTAL(spec->value_type)) {
    case G_TYPE_STRING: g_value_take_string(value, fge_job_get_text(JOB(object), id)); break;
    case G_TYPE_BOOLEAN: g_value_set_boolean(value, fge_job_get_number(JOB(object), id) != 0); break;
    case G_TYPE_DOUBLE: g_value_set_double(value, fge_job_get_number(JOB(object), id)); break;
    case G_TYPE_UINT: g_value_set_uint(value, (guint)fge_job_get_number(JOB(object), id)); break;
    case G_TYPE_UINT64: g_value_set_uint64(value, fge_job_get_time(JOB(object), id)); break;
    case G_TYPE_ENUM: g_value_set_enum(value, (gint)fge_job_get_number(JOB(object), id)); break;
    case G_TYPE_BOXED: g_value_take_boxed(value, fge_job_stats(JOB(object))); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
    }
}

#define PLAYING (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING)
#define READY (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY)

static void install_text(GObjectClass *object, guint id, const char *name, const char *nick, const char *blurb, GParamFlags flags) {
    g_object_class_install_property(object, id, g_param_spec_string(name, nick, blurb, NULL, flags));
}

static void install_switch(GObjectClass *object, guint id, const char *name, const char *nick, const char *blurb) {
    g_object_class_install_property(object, id, g_param_spec_boolean(name, nick, blurb, fge_job_get_number(NULL, id) != 0, PLAYING));
}

static void install_search(GObjectClass *object) {
    install_text(object, FGE_PATTERNS, "patterns", "Patterns",
                 "What is searched for: one pattern, several as lines, or a list as in patterns=\"<EXIT, GATE 12>\" (for a shell, in "
                 "single quotes besides); "
                 ":url :email :phone :date :time :number :ip :money :plate :code :card :iban find anything of that kind",
                 PLAYING);
    install_text(object, FGE_PATTERN_FILE, "pattern-file", "Pattern file",
                 "A file of further patterns, one a line; it is read when this is set and when the element starts", PLAYING);
    install_switch(object, FGE_REGEX, "regex", "Regular expressions", "Patterns are regular expressions");
    install_switch(object, FGE_CASE_SENSITIVE, "case-sensitive", "Case-sensitive", "Tell upper case from lower, and é from e");
    install_switch(object, FGE_WHOLE_WORDS, "whole-words", "Whole words", "Match whole words only");
    g_object_class_install_property(object, FGE_MIN_SCORE,
                                    g_param_spec_double("min-score", "Least score", "Ignore matches less sure than this", 0, 1,
                                                        fge_job_get_number(NULL, FGE_MIN_SCORE), PLAYING));
    install_text(object, FGE_REGION, "region", "Region",
                 "Search only this part of the picture: x,y,w,h in pixels or percent, such as 0,50%,100%,50%", PLAYING);
}

static void install_reading(GObjectClass *object) {
    g_object_class_install_property(
        object, FGE_ENGINE, g_param_spec_enum("engine", "Engine", "Which engine reads", engine_type(), (gint)fge_job_get_number(NULL, FGE_ENGINE), READY));
    g_object_class_install_property(
        object, FGE_LEVEL,
        g_param_spec_enum("level", "Level", "How much time the networks take for a picture", level_type(), (gint)fge_job_get_number(NULL, FGE_LEVEL), READY));
    install_text(object, FGE_LANGUAGE, "language", "Language",
                 "Languages to read, with Tesseract's names, as in eng+kor (none: the locale's and English)", READY);
    g_object_class_install_property(
        object, FGE_THREADS, g_param_spec_uint("threads", "Threads", "How many threads may read (0: as the program without --threads)", 0, 256, 0, READY));
    g_object_class_install_property(
        object, FGE_MODE,
        g_param_spec_enum("mode", "Mode", "Whether the stream may be held up by reading", mode_type(), (gint)fge_job_get_number(NULL, FGE_MODE), READY));
    g_object_class_install_property(
        object, FGE_READ_INTERVAL,
        g_param_spec_uint64("read-interval", "Read interval",
                            "Read no more often than this, in nanoseconds of the stream (0: as often as is worth it)", 0, G_MAXINT64, 0,
                            PLAYING));
}

static void install_results(GObjectClass *object) {
    install_switch(object, FGE_OVERLAY, "overlay", "Overlay", "Draw a box around what is found");
    install_switch(object, FGE_EXACT, "exact", "Exact",
                   "Hold frames for 0.35 s, so that boxes rest on readings from before and after; declared as latency");
    g_object_class_install_property(
        object, FGE_REDACT,
        g_param_spec_enum("redact", "Redact",
                          "Hide what is found instead of marking it; frames are held for 0.35 s, and none goes on that was not read "
                          "(complete mode)",
                          redact_type(), (gint)fge_job_get_number(NULL, FGE_REDACT), PLAYING));
    install_switch(object, FGE_POST_MESSAGES, "post-messages", "Post messages",
                   "Post element messages: framegrep-appeared, framegrep-disappeared, framegrep-line, framegrep-warning");
    install_switch(object, FGE_ATTACH_META, "attach-meta", "Attach metadata",
                   "Attach a GstVideoRegionOfInterestMeta of the type framegrep to each frame for each place that is found");
    install_switch(object, FGE_ALL_TEXT, "all-text", "All text", "Tell every line of text that is read (complete mode)");
    g_object_class_install_property(object, FGE_STATS,
                                    g_param_spec_boxed("stats", "Statistics", "What was read and how long it took", GST_TYPE_STRUCTURE,
                                                       G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
}

// The time for which frames are held affects the whole pipeline.

// Pushes the held frames with their current boxes. `all`: also those whose time has not come.
static GstFlowReturn drain(GstBaseTransform *transform, gboolean all) {
    GstBuffer *buffer;
    GstFlowReturn result = GST_FLOW_OK;
    while ((buffer = fge_job_take(JOB(transform), all))) {
        if (result == GST_FLOW_OK) {
            result = gst_pad_push(transform->srcpad, buffer);
        } else {
            gst_buffer_unref(buffer);
        }
    }
    return result;
}

static GstFlowReturn framegrep_generate_output(GstBaseTransform *transform, GstBuffer **output) {
    GstBuffer *buffer = transform->queued_buf;
    transform->queued_buf = NULL;
    if (buffer) {
        GstCaps *caps = gst_pad_get_current_caps(transform->sinkpad);
        if (!caps) {
            gst_buffer_unref(buffer);
            return GST_FLOW_NOT_NEGOTIATED;
        }
        GstFlowReturn result = fge_job_put(JOB(transform), buffer, caps, &transform->segment);
        gst_caps_unref(caps);
        if (result != GST_FLOW_OK) return result;
    }
    *output = fge_job_take(JOB(transform), FALSE);
    return GST_FLOW_OK;
}

// Returns the stream time of the end of a gap, or its beginning if the end is outside the segment.
static GstClockTime gap_end(GstBaseTransform *transform, GstEvent *event) {
    GstClockTime start, duration, end = GST_CLOCK_TIME_NONE;
    gst_event_parse_gap(event, &start, &duration);
    if (GST_CLOCK_TIME_IS_VALID(duration)) end = gst_segment_to_stream_time(&transform->segment, GST_FORMAT_TIME, start + duration);
    return GST_CLOCK_TIME_IS_VALID(end) ? end : gst_segment_to_stream_time(&transform->segment, GST_FORMAT_TIME, start);
}

static gboolean framegrep_sink_event(GstBaseTransform *transform, GstEvent *event) {
    switch (GST_EVENT_TYPE(event)) {
    case GST_EVENT_FLUSH_START: fge_job_interrupt(JOB(transform)); break;
    case GST_EVENT_FLUSH_STOP: fge_job_flush(JOB(transform)); break;
    // Held frames come before these events.
    case GST_EVENT_CAPS:
    case GST_EVENT_SEGMENT: drain(transform, TRUE); break;
    case GST_EVENT_GAP:
        drain(transform, !fge_job_pass_gap(JOB(transform), gap_end(transform, event)));
        if (!fge_job_holds(JOB(transform))) break;
        // A gap that is shorter than frames are held is dropped: it must not come before them, and frames follow
        // anyway.
        gst_event_unref(event);
        return TRUE;
    case GST_EVENT_STREAM_START:
    case GST_EVENT_SEGMENT_DONE:
    case GST_EVENT_EOS:
        // The end comes after everything that is still to be reported.
        fge_job_finish(JOB(transform));
        drain(transform, TRUE);
        break;
    default: break;
    }
    return GST_BASE_TRANSFORM_CLASS(framegrep_parent_class)->sink_event(transform, event);
}

static gboolean framegrep_src_event(GstBaseTransform *transform, GstEvent *event) {
    if (GST_EVENT_TYPE(event) == GST_EVENT_QOS) {
        GstClockTimeDiff jitter;
        gst_event_parse_qos(event, NULL, NULL, &jitter, NULL);
        if (!fge_job_late(JOB(transform), jitter)) {
            gst_event_unref(event);
            return TRUE;
        }
    }
    return GST_BASE_TRANSFORM_CLASS(framegrep_parent_class)->src_event(transform, event);
}

// Frames that wait to be read are missing upstream, so ask for more; cropping is not supported, so do not offer it.
static void amend_allocation(GstQuery *query) {
    guint index, size, least, most;
    GstBufferPool *pool;
    while (gst_query_find_allocation_meta(query, GST_VIDEO_CROP_META_API_TYPE, &index)) gst_query_remove_nth_allocation_meta(query, index);
    for (guint number = 0; number < gst_query_get_n_allocation_pools(query); number++) {
        gst_query_parse_nth_allocation_pool(query, number, &pool, &size, &least, &most);
        if (most == 0 || least + 2 <= most) gst_query_set_nth_allocation_pool(query, number, pool, size, least + 2, most);
        if (pool) gst_object_unref(pool);
    }
}

static void amend_latency(GstQuery *query, GstClockTime own) {
    gboolean live;
    GstClockTime least, most;
    gst_query_parse_latency(query, &live, &least, &most);
    gst_query_set_latency(query, live, least + own, GST_CLOCK_TIME_IS_VALID(most) ? most + own : most);
}

static gboolean framegrep_query(GstBaseTransform *transform, GstPadDirection direction, GstQuery *query) {
    gboolean known = GST_BASE_TRANSFORM_CLASS(framegrep_parent_class)->query(transform, direction, query);
    if (!known) return FALSE;
    if (direction == GST_PAD_SINK && GST_QUERY_TYPE(query) == GST_QUERY_ALLOCATION) amend_allocation(query);
    if (direction == GST_PAD_SRC && GST_QUERY_TYPE(query) == GST_QUERY_LATENCY) amend_latency(query, fge_job_latency(JOB(transform)));
    return TRUE;
}

static gboolean framegrep_start(GstBaseTransform *transform) { return fge_job_start(JOB(transform)); }

static gboolean framegrep_stop(GstBaseTransform *transform) {
    fge_job_stop(JOB(transform));
    return TRUE;
}

static GstStateChangeReturn framegrep_change_state(GstElement *element, GstStateChange transition) {
    // Do this before the pads wait for a streaming thread that waits for a reading.
    if (transition == GST_STATE_CHANGE_PAUSED_TO_READY) fge_job_interrupt(JOB(element));
    return GST_ELEMENT_CLASS(framegrep_parent_class)->change_state(element, transition);
}

// --- The type ---

static void framegrep_finalize(GObject *object) {
    fge_job_free(JOB(object));
    G_OBJECT_CLASS(framegrep_parent_class)->finalize(object);
}

static void framegrep_init(Framegrep *self) {
    self->job = fge_job_new(self);
    // Frames pass unchanged: the Swift half knows which of them are drawn on.
    gst_base_transform_set_passthrough(GST_BASE_TRANSFORM(self), TRUE);
}

static void install_signals(GObjectClass *object) {
    static const char *const names[] = {"appeared", "disappeared", "line"};
    for (guint index = 0; index < G_N_ELEMENTS(names); index++) {
        g_signal_new(names[index], G_TYPE_FROM_CLASS(object), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1,
                     GST_TYPE_STRUCTURE | G_SIGNAL_TYPE_STATIC_SCOPE);
    }
}

static void framegrep_class_init(FramegrepClass *class) {
    GObjectClass *object = G_OBJECT_CLASS(class);
    object->set_property = framegrep_set_property;
    object->get_property = framegrep_get_property;
    object->finalize = framegrep_finalize;
    install_search(object);
    install_reading(object);
    install_results(object);
    install_signals(object);

    GstElementClass *element = GST_ELEMENT_CLASS(class);
    element->change_state = framegrep_change_state;
    gst_element_class_add_static_pad_template(element, &sink_template);
    gst_element_class_add_static_pad_template(element, &source_template);
    gst_element_class_set_static_metadata(
        element, "Text finder", "Filter/Analyzer/Effect/Video",
        "Finds words in the picture: says when they appear and disappear, draws boxes around them, attaches where they are. "
        "Example: gst-launch-1.0 -m filesrc location=a.mp4 ! decodebin ! videoconvert ! framegrep patterns=EXIT ! videoconvert ! "
        "autovideosink",
        "the framegrep authors");
    gst_type_mark_as_plugin_api(mode_type(), 0);
    gst_type_mark_as_plugin_api(redact_type(), 0);
    gst_type_mark_as_plugin_api(engine_type(), 0);
    gst_type_mark_as_plugin_api(level_type(), 0);

    GstBaseTransformClass *transform = GST_BASE_TRANSFORM_CLASS(class);
    transform->start = framegrep_start;
    transform->stop = framegrep_stop;
    transform->sink_event = framegrep_sink_event;
    transform->src_event = framegrep_src_event;
    transform->query = framegrep_query;
    transform->generate_output = framegrep_generate_output;
}

static gboolean register_plugin(GstPlugin *plugin) {
    return gst_element_register(plugin, "framegrep", GST_RANK_NONE, framegrep_get_type());
}

#ifndef PACKAGE
#define PACKAGE "framegrep"
#endif
GST_PLUGIN_DEFINE(GST_VERSION_MAJOR, GST_VERSION_MINOR, framegrep, "Finds words in video", register_plugin, "0.1.0", "MIT/X11", "framegrep",
                  "framegrep")

// --- Functions that the Swift half calls ---

void fge_set_string(GstStructure *structure, const char *field, const char *value) {
    gst_structure_set(structure, field, G_TYPE_STRING, value, NULL);
}

void fge_set_double(GstStructure *structure, const char *field, double value) {
    gst_structure_set(structure, field, G_TYPE_DOUBLE, value, NULL);
}

void fge_set_uint(GstStructure *structure, const char *field, guint value) { gst_structure_set(structure, field, G_TYPE_UINT, value, NULL); }

void fge_set_uint64(GstStructure *structure, const char *field, guint64 value) {
    gst_structure_set(structure, field, G_TYPE_UINT64, value, NULL);
}

void fge_set_quad(GstStructure *structure, const char *field, const double *quad) {
    GValue array = G_VALUE_INIT, number = G_VALUE_INIT;
    g_value_init(&array, GST_TYPE_ARRAY);
    g_value_init(&number, G_TYPE_DOUBLE);
    for (guint index = 0; index < 8; index++) {
        g_value_set_double(&number, quad[index]);
        gst_value_array_append_value(&array, &number);
    }
    gst_structure_take_value(structure, field, &array);
    g_value_unset(&number);
}

void fge_emit(gpointer element, const char *name, GstStructure *structure) { g_signal_emit_by_name(element, name, structure); }

gboolean fge_is_live(gpointer element) {
    GstQuery *query = gst_query_new_latency();
    gboolean live = FALSE;
    if (gst_pad_peer_query(GST_BASE_TRANSFORM_SINK_PAD(element), query)) gst_query_parse_latency(query, &live, NULL, NULL);
    gst_query_unref(query);
    return live;
}

char *fge_source_uri(gpointer element) {
    GstQuery *query = gst_query_new_uri();
    char *uri = NULL;
    if (gst_pad_peer_query(GST_BASE_TRANSFORM_SINK_PAD(element), query)) gst_query_parse_uri(query, &uri);
    gst_query_unref(query);
    return uri;
}
