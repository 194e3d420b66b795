// The X window system for Swift, and xkbcommon for keys: their names, their text and Compose sequences.
#ifndef FRAMEGREP_CX11_H
#define FRAMEGREP_CX11_H

#include <X11/Xlib.h>
#include <X11/Xutil.h>
#include <X11/Xatom.h>
#include <X11/XKBlib.h>
#include <xkbcommon/xkbcommon.h>
#include <xkbcommon/xkbcommon-compose.h>

// A macro that casts.
static inline int fx11_group(unsigned int state) { return XkbGroupForCoreState(state); }

// Macros that cast or reach into Xlib's own structures.
static inline Window fx11_root(Display *display) { return DefaultRootWindow(display); }
static inline int fx11_screen_width(Display *display) { return DisplayWidth(display, DefaultScreen(display)); }
static inline int fx11_screen_height(Display *display) { return DisplayHeight(display, DefaultScreen(display)); }
static inline Atom fx11_atom_type(void) { return XA_ATOM; }
static inline Atom fx11_window_type(void) { return XA_WINDOW; }

// Tells the requestor of a selection that it is there, or (property 0) that it is not. The event is a union that Swift sees as bytes.
static inline void fx11_answer_selection(Display *display, const XSelectionRequestEvent *request, Atom property) {
    XEvent event = {0};
    event.xselection.type = SelectionNotify;
    event.xselection.requestor = request->requestor;
    event.xselection.selection = request->selection;
    event.xselection.target = request->target;
    event.xselection.property = property;
    event.xselection.time = request->time;
    XSendEvent(display, request->requestor, False, 0, &event);
    XFlush(display);
}

// A union that Swift sees as bytes.
static inline void fx11_ask_window_manager(Display *display, Window window, Atom message, long a, long b, long c) {
    XEvent event = {0};
    event.xclient.type = ClientMessage;
    event.xclient.window = window;
    event.xclient.message_type = message;
    event.xclient.format = 32;
    event.xclient.data.l[0] = a;
    event.xclient.data.l[1] = b;
    event.xclient.data.l[2] = c;
    event.xclient.data.l[3] = 1;
    XSendEvent(display, fx11_root(display), False, SubstructureNotifyMask | SubstructureRedirectMask, &event);
    XFlush(display);
}

#endif
