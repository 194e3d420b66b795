// GLib's checksums for the index, which uses nothing else of GLib.
#ifndef FRAMEGREP_CGLIB_H
#define FRAMEGREP_CGLIB_H

#include <glib.h>

#endif
