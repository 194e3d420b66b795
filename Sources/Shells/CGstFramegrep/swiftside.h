// The functions that the C half calls, of the target GstFramegrep, which has each of them as a @_cdecl function of this name.
#ifndef FRAMEGREP_SWIFTSIDE_H
#define FRAMEGREP_SWIFTSIDE_H

#include <gst/gst.h>

// The element's life. `element` is the GObject, which outlives what is made for it.
void *fge_job_new(gpointer element);
void fge_job_free(void *job);

// Properties, by number. Texts are copied. Without a job a number is the default.
void fge_job_set_text(void *job, guint property, const char *text);
void fge_job_set_number(void *job, guint property, double number);
char *fge_job_get_text(void *job, guint property);
double fge_job_get_number(void *job, guint property);
// Nanoseconds, of which a double would lose some.
void fge_job_set_time(void *job, guint property, guint64 nanoseconds);
guint64 fge_job_get_time(void *job, guint property);
GstStructure *fge_job_stats(void *job);

// READY to PAUSED; FALSE where an error was posted. PAUSED to READY.
gboolean fge_job_start(void *job);
void fge_job_stop(void *job);

// Lets a stream thread that waits in one of the functions below go on; from any thread.
void fge_job_interrupt(void *job);
// The frames from now on are unrelated to those before; on the stream's thread.
void fge_job_flush(void *job);

// Takes the next frame, whose reference is the job's from now on.
GstFlowReturn fge_job_put(void *job, GstBuffer *buffer, GstCaps *caps, const GstSegment *segment);
// A frame that is to go on, with the caller's reference; NULL while none is. `all`: those too whose time has not come.
GstBuffer *fge_job_take(void *job, gboolean all);
// No frame comes until a stream time. FALSE where all that is held is to go on before that; else it stays held, as far as its time has not come.
gboolean fge_job_pass_gap(void *job, GstClockTime end);
// Frames are still to go on.
gboolean fge_job_holds(void *job);
// No frame follows: returns when everything is read and told.
void fge_job_finish(void *job);

// How much later than they come frames go on.
GstClockTime fge_job_latency(void *job);
// A frame was shown late downstream; TRUE where upstream may leave frames out because of it.
gboolean fge_job_late(void *job, GstClockTimeDiff jitter);

#endif
