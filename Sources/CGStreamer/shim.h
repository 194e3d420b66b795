// GStreamer for Swift. Only what Swift cannot import by itself is wrapped here: function-like and cast macros.
#ifndef FRAMEGREP_CGSTREAMER_H
#define FRAMEGREP_CGSTREAMER_H

#include <gst/gst.h>
#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/video/video.h>
#include <gst/pbutils/pbutils.h>

#endif
