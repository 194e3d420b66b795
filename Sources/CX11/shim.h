// The X window system for Swift, and what xkbcommon knows of keys: their names, their text, what Compose makes of them.
#ifndef FRAMEGREP_CX11_H
#define FRAMEGREP_CX11_H

#include <X11/Xlib.h>
#include <X11/Xutil.h>
#include <X11/XKBlib.h>
#include <xkbcommon/xkbcommon.h>
#include <xkbcommon/xkbcommon-compose.h>

// A macro that casts.
static inline int fx11_group(unsigned int state) { return XkbGroupForCoreState(state); }

#endif
