// Windows over the desktop. A frame's window has the shape of its lines, so that nothing needs to be transparent, and takes no input at all.
#include "CScreen.h"

#include <X11/Xlib.h>
#include <X11/Xutil.h>
#include <X11/extensions/shape.h>
#include <stdio.h>
#include <stdlib.h>

struct fg_overlay {
    Display *display;
    Window root, bar, layers[fg_overlay_layers];
    int is_shown[fg_overlay_layers], has_bar, has_focus;
    Pixmap bar_pixels;
};

static Window make_window(Display *display, int width, int height, long events) {
    XSetWindowAttributes wish = {.override_redirect = True, .event_mask = events, .background_pixel = 0};
    return XCreateWindow(
        display, DefaultRootWindow(display), 0, 0, (unsigned)width, (unsigned)height, 0, CopyFromParent, InputOutput, CopyFromParent,
        CWOverrideRedirect | CWEventMask | CWBackPixel, &wish);
}

fg_overlay *fg_overlay_open(const char *name, char *message, size_t capacity) {
    Display *display = XOpenDisplay(name);
    int event, error;
    const char *problem = !display ? "the X server cannot be reached"
        : !XShapeQueryExtension(display, &event, &error) ? "the X server has no Shape extension, which lets clicks through"
                                                         : NULL;
    fg_overlay *overlay = problem ? NULL : calloc(1, sizeof *overlay);
    if (!overlay) {
        snprintf(message, capacity, "%s", problem ? problem : "there is no memory");
        if (display) XCloseDisplay(display);
        return NULL;
    }
    overlay->display = display;
    overlay->root = DefaultRootWindow(display);
    int width = DisplayWidth(display, DefaultScreen(display)), height = DisplayHeight(display, DefaultScreen(display));
    for (int i = 0; i < fg_overlay_layers; i++) {
        overlay->layers[i] = make_window(display, width, height, 0);
        // The window takes no input, so clicks go to the window below.
        XShapeCombineRectangles(display, overlay->layers[i], ShapeInput, 0, 0, NULL, 0, ShapeSet, Unsorted);
        XStoreName(display, overlay->layers[i], "framegrep boxes");
    }
    overlay->bar = make_window(display, 16, 16, ButtonPressMask | FocusChangeMask);
    XStoreName(display, overlay->bar, "framegrep screen");
    XSync(display, False);
    return overlay;
}

void fg_overlay_close(fg_overlay *overlay) {
    XCloseDisplay(overlay->display);
    free(overlay);
}

int fg_overlay_descriptor(const fg_overlay *overlay) { return ConnectionNumber(overlay->display); }
unsigned long fg_overlay_bar(const fg_overlay *overlay) { return overlay->bar; }
unsigned long fg_overlay_layer(const fg_overlay *overlay, int layer) { return overlay->layers[layer]; }

void fg_overlay_show(fg_overlay *overlay, int layer, uint32_t color, const fg_rect *rects, int count) {
    Window window = overlay->layers[layer];
    if (count == 0) {
        if (overlay->is_shown[layer]) XUnmapWindow(overlay->display, window);
        overlay->is_shown[layer] = 0;
        XFlush(overlay->display);
        return;
    }
    XRectangle *shape = calloc((size_t)count, sizeof *shape);
    if (!shape) return;
    for (int i = 0; i < count; i++)
        shape[i] = (XRectangle){(short)rects[i].x, (short)rects[i].y, (unsigned short)rects[i].width, (unsigned short)rects[i].height};
    XSetWindowBackground(overlay->display, window, color);
    XShapeCombineRectangles(overlay->display, window, ShapeBounding, 0, 0, shape, count, ShapeSet, Unsorted);
    free(shape);
    if (!overlay->is_shown[layer]) XMapRaised(overlay->display, window);
    overlay->is_shown[layer] = 1;
    XClearWindow(overlay->display, window);
    XFlush(overlay->display);
}

void fg_overlay_show_bar(fg_overlay *overlay, fg_rect place, const uint8_t *pixels) {
    Display *display = overlay->display;
    Visual *visual = DefaultVisual(display, DefaultScreen(display));
    unsigned depth = (unsigned)DefaultDepth(display, DefaultScreen(display));
    unsigned width = (unsigned)place.width, height = (unsigned)place.height;
    XImage *image = XCreateImage(display, visual, depth, ZPixmap, 0, (char *)pixels, width, height, 32, place.width * 4);
    if (!image) return;
    Pixmap drawn = XCreatePixmap(display, overlay->root, width, height, depth);
    GC context = XCreateGC(display, drawn, 0, NULL);
    XPutImage(display, drawn, context, image, 0, 0, 0, 0, width, height);
    XFreeGC(display, context);
    // The caller owns the pixels.
    image->data = NULL;
    XDestroyImage(image);
    XMoveResizeWindow(display, overlay->bar, place.x, place.y, width, height);
    XSetWindowBackgroundPixmap(display, overlay->bar, drawn);
    if (!overlay->has_bar) XMapRaised(display, overlay->bar);
    overlay->has_bar = 1;
    XClearWindow(display, overlay->bar);
    if (overlay->bar_pixels) XFreePixmap(display, overlay->bar_pixels);
    overlay->bar_pixels = drawn;
    XFlush(display);
}

void fg_overlay_raise(fg_overlay *overlay) {
    for (int i = 0; i < fg_overlay_layers; i++)
        if (overlay->is_shown[i]) XRaiseWindow(overlay->display, overlay->layers[i]);
    if (overlay->has_bar) XRaiseWindow(overlay->display, overlay->bar);
    XFlush(overlay->display);
}

void fg_overlay_focus(fg_overlay *overlay) {
    // Only a visible window can have the focus.
    XSync(overlay->display, False);
    XSetInputFocus(overlay->display, overlay->bar, RevertToPointerRoot, CurrentTime);
    XFlush(overlay->display);
}

void fg_overlay_point(fg_overlay *overlay, int x, int y) {
    XWarpPointer(overlay->display, None, overlay->root, 0, 0, 0, 0, x, y);
    XFlush(overlay->display);
}

int fg_overlay_pump(fg_overlay *overlay, int *has_focus) {
    int clicked = 0;
    while (XPending(overlay->display) > 0) {
        XEvent event;
        XNextEvent(overlay->display, &event);
        if (event.type == ButtonPress) clicked = 1;
        if (event.type == FocusIn && event.xfocus.detail != NotifyPointer) overlay->has_focus = 1;
        if (event.type == FocusOut && event.xfocus.detail != NotifyPointer) overlay->has_focus = 0;
    }
    *has_focus = overlay->has_focus;
    return clicked;
}
