// The functions of the target GstFramegrep that the C half calls; each is a @_cdecl function of this name.
#ifndef FRAMEGREP_SWIFTSIDE_H
#define FRAMEGREP_SWIFTSIDE_H

#include <gst/gst.h>

// The lifetime of the job. `element` is the GObject, which outlives everything that is made for it.
void *fge_job_new(gpointer element);
void fge_job_free(void *job);

// Properties, by number. Texts are copied. Without a job, a number is the default.
void fge_job_set_text(void *job, guint property, const char *text);
void fge_job_set_number(void *job, guint property, double number);
char *fge_job_get_text(void *job, guint property);
double fge_job_get_number(void *job, guint property);
// Nanoseconds as an integer, because a double would lose precision.
void fge_job_set_time(void *job, guint property, guint64 nanoseconds);
guint64 fge_job_get_time(void *job, guint property);
GstStructure *fge_job_stats(void *job);

// READY to PAUSED; FALSE if an error was posted. PAUSED to READY.
gboolean fge_job_start(void *job);
void fge_job_stop(void *job);

// Wakes a streaming thread that waits in one of the functions below; callable from any thread.
void fge_job_interrupt(void *job);
// Announces that later frames are unrelated to earlier ones; called on the streaming thread.
void fge_job_flush(void *job);

// Takes the next frame; the job owns the reference from now on.
GstFlowReturn fge_job_put(void *job, GstBuffer *buffer, GstCaps *caps, const GstSegment *segment);
// Returns a frame to push, whose reference the caller owns; NULL if there is none. `all`: also frames whose time has
// not come.
GstBuffer *fge_job_take(void *job, gboolean all);
// Announces that no frame comes until a stream time. Returns FALSE if all held frames must be pushed before the gap;
// otherwise those whose time has not come stay held.
gboolean fge_job_pass_gap(void *job, GstClockTime end);
// Returns whether frames are still held.
gboolean fge_job_holds(void *job);
// Announces that no frame follows: returns when everything is read and reported.
void fge_job_finish(void *job);

// Returns the time by which frames are delayed.
GstClockTime fge_job_latency(void *job);
// Announces that a frame was shown late downstream; returns TRUE if upstream may leave frames out because of it.
gboolean fge_job_late(void *job, GstClockTimeDiff jitter);

#endif
