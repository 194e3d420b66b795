// The functions of the element's C half that its Swift half needs: macros and variadics that Swift cannot import.
#ifndef FRAMEGREP_CGSTFRAMEGREP_H
#define FRAMEGREP_CGSTFRAMEGREP_H

#include <gst/gst.h>
#include <gst/base/gstbasetransform.h>
#include <gst/video/video.h>

// The properties, in the order in which they are installed.
typedef enum {
    FGE_PATTERNS = 1, FGE_PATTERN_FILE, FGE_REGEX, FGE_CASE_SENSITIVE, FGE_WHOLE_WORDS, FGE_MIN_SCORE, FGE_ENGINE, FGE_LEVEL,
    FGE_LANGUAGE, FGE_REGION, FGE_THREADS, FGE_OVERLAY, FGE_EXACT, FGE_MODE, FGE_READ_INTERVAL, FGE_ALL_TEXT, FGE_POST_MESSAGES,
    FGE_ATTACH_META, FGE_STATS, FGE_REDACT
} FgeProperty;

// The values of "mode".
enum { FGE_MODE_AUTO = 0, FGE_MODE_LIVE, FGE_MODE_COMPLETE };

// The values of "redact".
enum { FGE_REDACT_NONE = 0, FGE_REDACT_BLACK, FGE_REDACT_PIXELATE, FGE_REDACT_BLUR };

// The values of "engine" and "level", in the order of the Swift enumerations.
enum { FGE_ENGINE_AUTO = 0, FGE_ENGINE_TESSERACT, FGE_ENGINE_NEURAL };
enum { FGE_LEVEL_FAST = 0, FGE_LEVEL_ACCURATE };

// gst_structure_set is variadic. `quad` holds eight numbers, the corners one after the other.
void fge_set_string(GstStructure *structure, const char *field, const char *value);
void fge_set_double(GstStructure *structure, const char *field, double value);
void fge_set_uint(GstStructure *structure, const char *field, guint value);
void fge_set_uint64(GstStructure *structure, const char *field, guint64 value);
void fge_set_quad(GstStructure *structure, const char *field, const double *quad);

// g_signal_emit_by_name is variadic. `name` is "appeared", "disappeared" or "line"; the structure stays the caller's.
void fge_emit(gpointer element, const char *name, GstStructure *structure);

// Returns whether the source is live, as the sink pad's peer reports it.
gboolean fge_is_live(gpointer element);

// Returns the address of the stream's source, newly allocated; NULL if no element upstream knows it.
char *fge_source_uri(gpointer element);

// GST_VIDEO_INFO_* and gst_buffer_* macros.
static inline gboolean fge_is_writable(GstBuffer *buffer) { return gst_buffer_is_writable(buffer); }
static inline GstBuffer *fge_make_writable(GstBuffer *buffer) { return gst_buffer_make_writable(buffer); }

#endif
