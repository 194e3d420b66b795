// GLib's checksums for the index, which needs nothing else of it.
#ifndef FRAMEGREP_CGLIB_H
#define FRAMEGREP_CGLIB_H

#include <glib.h>

#endif
