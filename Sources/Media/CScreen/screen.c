// The picture of the desktop without our own windows.
//
// Each window's contents are in a separate pixmap (Composite). They are composed in a pixmap of ours (Render), in stacking order and
// without the windows that are left out, only where something was drawn (Damage), and that part is transferred (with MIT-SHM if the
// server shares memory with us).
// For strcasestr.
#define _GNU_SOURCE
#include "CScreen.h"

#include <X11/Xatom.h>
#include <X11/Xlib.h>
#include <X11/Xutil.h>
#include <X11/extensions/XShm.h>
#include <X11/extensions/Xcomposite.h>
#include <X11/extensions/Xdamage.h>
#include <X11/extensions/Xrandr.h>
#include <X11/extensions/Xrender.h>
#include <X11/extensions/shape.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ipc.h>
#include <sys/shm.h>

typedef struct {
    Window id;
    fg_rect place;
    Pixmap pixmap;
    Picture picture;
    Damage damage;
    int has_alpha, is_shaped, is_dirty, is_new, is_kept;
} window_t;

enum { most_windows = 1024, most_excluded = 32, most_rects = 24 };

struct fg_screen {
    Display *display;
    Window root;
    int width, height;
    int damage_event;
    Pixmap canvas;
    Picture target;
    XRenderPictFormat *format;
    XserverRegion dirty;
    window_t windows[most_windows];
    int count;
    Window excluded[most_excluded];
    int excluded_count;
    int is_restacked, has_moved, has_dirt;
    XShmSegmentInfo shared;
    int has_shared;
};

static void say(char *message, size_t capacity, const char *text) { snprintf(message, capacity, "%s", text); }

static int is_excluded(const fg_screen *screen, Window id) {
    for (int i = 0; i < screen->excluded_count; i++)
        if (screen->excluded[i] == id) return 1;
    return 0;
}

static window_t *known(fg_screen *screen, Window id) {
    for (int i = 0; i < screen->count; i++)
        if (screen->windows[i].id == id) return &screen->windows[i];
    return NULL;
}

static void add_dirt(fg_screen *screen, fg_rect place) {
    XRectangle rect = {(short)place.x, (short)place.y, (unsigned short)place.width, (unsigned short)place.height};
    XserverRegion region = XFixesCreateRegion(screen->display, &rect, 1);
    XFixesUnionRegion(screen->display, screen->dirty, screen->dirty, region);
    XFixesDestroyRegion(screen->display, region);
    screen->has_dirt = 1;
}

static void release(fg_screen *screen, window_t *window) {
    if (window->picture) XRenderFreePicture(screen->display, window->picture);
    if (window->pixmap) XFreePixmap(screen->display, window->pixmap);
    window->picture = None;
    window->pixmap = None;
}

static void share_memory(fg_screen *screen) {
    if (!XShmQueryExtension(screen->display)) return;
    screen->shared.shmid = shmget(IPC_PRIVATE, (size_t)screen->width * (size_t)screen->height * 4, IPC_CREAT | 0600);
    if (screen->shared.shmid < 0) return;
    screen->shared.shmaddr = shmat(screen->shared.shmid, NULL, 0);
    screen->shared.readOnly = False;
    if (screen->shared.shmaddr != (void *)-1) {
        screen->has_shared = XShmAttach(screen->display, &screen->shared);
        XSync(screen->display, False);
    }
    // The memory is removed as soon as neither side uses it.
    shmctl(screen->shared.shmid, IPC_RMID, NULL);
}

fg_screen *fg_screen_open(const char *name, char *message, size_t capacity) {
    Display *display = XOpenDisplay(name);
    if (!display) {
        say(message, capacity, "the X server cannot be reached");
        return NULL;
    }
    int event, error, major = 0, minor = 4, damage_event = 0;
    const char *problem = NULL;
    if (!XCompositeQueryExtension(display, &event, &error) || !XCompositeQueryVersion(display, &major, &minor) || (major == 0 && minor < 2))
        problem = "the X server has no Composite extension, which keeps windows apart";
    else if (!XDamageQueryExtension(display, &damage_event, &error))
        problem = "the X server has no Damage extension, which tells what was drawn";
    else if (!XRenderQueryExtension(display, &event, &error) || !XFixesQueryExtension(display, &event, &error))
        problem = "the X server has no Render or XFixes extension";
    else if (DefaultDepth(display, DefaultScreen(display)) < 24)
        problem = "the screen has fewer than 24 bits a pixel";
    fg_screen *screen = problem ? NULL : calloc(1, sizeof *screen);
    if (!screen) {
        say(message, capacity, problem ? problem : "there is no memory");
        XCloseDisplay(display);
        return NULL;
    }
    screen->display = display;
    screen->damage_event = damage_event;
    screen->root = DefaultRootWindow(display);
    screen->width = DisplayWidth(display, DefaultScreen(display));
    screen->height = DisplayHeight(display, DefaultScreen(display));
    XDamageQueryVersion(display, &major, &minor);
    screen->format = XRenderFindVisualFormat(display, DefaultVisual(display, DefaultScreen(display)));
    screen->canvas = XCreatePixmap(
        display, screen->root, (unsigned)screen->width, (unsigned)screen->height, (unsigned)DefaultDepth(display, DefaultScreen(display)));
    screen->target = XRenderCreatePicture(display, screen->canvas, screen->format, 0, NULL);
    screen->dirty = XFixesCreateRegion(display, NULL, 0);
    XSelectInput(display, screen->root, SubstructureNotifyMask | StructureNotifyMask);
    XCompositeRedirectSubwindows(display, screen->root, CompositeRedirectAutomatic);
    share_memory(screen);
    screen->is_restacked = 1;
    fg_screen_forget(screen);
    return screen;
}

void fg_screen_close(fg_screen *screen) {
    if (screen->has_shared) XShmDetach(screen->display, &screen->shared);
    XCloseDisplay(screen->display);
    if (screen->shared.shmaddr && screen->shared.shmaddr != (void *)-1) shmdt(screen->shared.shmaddr);
    free(screen);
}

int fg_screen_descriptor(const fg_screen *screen) { return ConnectionNumber(screen->display); }

void fg_screen_size(const fg_screen *screen, int *width, int *height) {
    *width = screen->width;
    *height = screen->height;
}

void fg_screen_forget(fg_screen *screen) {
    fg_rect all = {0, 0, screen->width, screen->height};
    add_dirt(screen, all);
}

void fg_screen_exclude(fg_screen *screen, unsigned long window) {
    if (screen->excluded_count < most_excluded) screen->excluded[screen->excluded_count++] = window;
}

int fg_screen_monitors(fg_screen *screen, fg_rect *places, int capacity) {
    int event, error, count = 0;
    if (!XRRQueryExtension(screen->display, &event, &error)) return 0;
    XRRMonitorInfo *monitors = XRRGetMonitors(screen->display, screen->root, True, &count);
    if (!monitors) return 0;
    int written = 0;
    // The primary monitor is number 1.
    for (int primary = 1; primary >= 0; primary--) {
        for (int i = 0; i < count; i++) {
            if (!!monitors[i].primary != primary || written >= capacity) continue;
            places[written++] = (fg_rect){monitors[i].x, monitors[i].y, monitors[i].width, monitors[i].height};
        }
    }
    XRRFreeMonitors(monitors);
    return count;
}

// MARK: Windows by name

static int has_title(fg_screen *screen, Window id, const char *title) {
    unsigned char *text = NULL;
    Atom type;
    int format, found = 0;
    unsigned long count, rest;
    Atom names[] = {XInternAtom(screen->display, "_NET_WM_NAME", False), XA_WM_NAME};
    for (int i = 0; i < 2 && !found; i++) {
        if (XGetWindowProperty(screen->display, id, names[i], 0, 1024, False, AnyPropertyType, &type, &format, &count, &rest, &text) == Success
            && text && format == 8)
            found = strcasestr((const char *)text, title) != NULL;
        if (text) XFree(text);
        text = NULL;
    }
    return found;
}

static Window find_title(fg_screen *screen, Window parent, const char *title, int depth) {
    Window root, above, *children = NULL, found = None;
    unsigned count = 0;
    if (!XQueryTree(screen->display, parent, &root, &above, &children, &count)) return None;
    for (unsigned i = count; i-- > 0 && !found;) {
        XWindowAttributes attributes;
        if (is_excluded(screen, children[i]) || !XGetWindowAttributes(screen->display, children[i], &attributes)) continue;
        if (attributes.map_state != IsViewable) continue;
        if (has_title(screen, children[i], title)) found = children[i];
        // A window manager's frame contains the window.
        else if (depth > 0) found = find_title(screen, children[i], title, depth - 1);
    }
    if (children) XFree(children);
    return found;
}

unsigned long fg_screen_window(fg_screen *screen, unsigned long number, const char *title) {
    XWindowAttributes attributes;
    if (number) return XGetWindowAttributes(screen->display, number, &attributes) ? number : 0;
    return find_title(screen, screen->root, title, 2);
}

int fg_screen_place(fg_screen *screen, unsigned long window, fg_rect *place) {
    XWindowAttributes attributes;
    Window child;
    int x, y;
    if (!XGetWindowAttributes(screen->display, window, &attributes) || attributes.map_state != IsViewable) return 0;
    if (!XTranslateCoordinates(screen->display, window, screen->root, 0, 0, &x, &y, &child)) return 0;
    int right = x + attributes.width, bottom = y + attributes.height;
    if (x < 0) x = 0;
    if (y < 0) y = 0;
    if (right > screen->width) right = screen->width;
    if (bottom > screen->height) bottom = screen->height;
    *place = (fg_rect){x, y, right - x, bottom - y};
    return right > x && bottom > y;
}

// MARK: Changes

static void hear(fg_screen *screen, const XEvent *event) {
    if (event->type == screen->damage_event + XDamageNotify) {
        window_t *window = known(screen, ((const XDamageNotifyEvent *)event)->drawable);
        if (window) window->is_dirty = screen->has_dirt = 1;
        return;
    }
    Window id;
    window_t *window;
    switch (event->type) {
    case MapNotify:
        id = event->xmap.window;
        // Its contents are now in another pixmap.
        if ((window = known(screen, id))) window->is_new = 1;
        break;
    case ConfigureNotify: id = event->xconfigure.window; break;
    case UnmapNotify: id = event->xunmap.window; break;
    case DestroyNotify: id = event->xdestroywindow.window; break;
    case ReparentNotify: id = event->xreparent.window; break;
    case CirculateNotify: id = event->xcirculate.window; break;
    default: return;
    }
    if (is_excluded(screen, id)) return;
    screen->is_restacked = screen->has_moved = 1;
}

int fg_screen_pump(fg_screen *screen) {
    while (XPending(screen->display) > 0) {
        XEvent event;
        XNextEvent(screen->display, &event);
        hear(screen, &event);
    }
    return screen->has_dirt || screen->is_restacked;
}

int fg_screen_moved(fg_screen *screen) {
    int moved = screen->has_moved;
    screen->has_moved = 0;
    return moved;
}

static int same(fg_rect a, fg_rect b) { return a.x == b.x && a.y == b.y && a.width == b.width && a.height == b.height; }

/// Records the new state of a window; `before` is its known state, or NULL.
static void adopt(fg_screen *screen, window_t *now, Window id, const XWindowAttributes *attributes, window_t *before) {
    int border = attributes->border_width;
    fg_rect place = {attributes->x, attributes->y, attributes->width + 2 * border, attributes->height + 2 * border};
    if (before) {
        *now = *before;
        before->is_kept = 1;
        int is_same = same(place, before->place);
        if (!is_same) {
            add_dirt(screen, before->place);
            add_dirt(screen, place);
        }
        int fits = place.width == before->place.width && place.height == before->place.height && !before->is_new;
        now->place = place;
        now->is_kept = 0;
        if (fits) return;
        release(screen, now);
        if (is_same) add_dirt(screen, place);
    } else {
        *now = (window_t){.id = id, .place = place};
        now->damage = XDamageCreate(screen->display, id, XDamageReportNonEmpty);
        add_dirt(screen, place);
    }
    now->is_new = 0;
    XRenderPictFormat *format = XRenderFindVisualFormat(screen->display, attributes->visual);
    XRenderPictureAttributes wish = {.subwindow_mode = IncludeInferiors};
    now->pixmap = XCompositeNameWindowPixmap(screen->display, id);
    now->picture = format ? XRenderCreatePicture(screen->display, now->pixmap, format, CPSubwindowMode, &wish) : None;
    now->has_alpha = format && format->type == PictTypeDirect && format->direct.alphaMask != 0;
    Bool bounding = False, clip;
    int x, y;
    unsigned width, height;
    XShapeQueryExtents(screen->display, id, &bounding, &x, &y, &width, &height, &clip, &x, &y, &width, &height);
    now->is_shaped = bounding;
}

/// Queries the server for its windows.
static void list_windows(fg_screen *screen) {
    Window root, parent, *children = NULL;
    unsigned count = 0;
    screen->is_restacked = 0;
    if (!XQueryTree(screen->display, screen->root, &root, &parent, &children, &count)) return;
    window_t *now = calloc(most_windows, sizeof *now);
    int kept = 0, last = -1;
    for (unsigned i = 0; now && i < count && kept < most_windows; i++) {
        XWindowAttributes attributes;
        if (is_excluded(screen, children[i]) || !XGetWindowAttributes(screen->display, children[i], &attributes)) continue;
        if (attributes.map_state != IsViewable || attributes.class != InputOutput) continue;
        window_t *before = known(screen, children[i]);
        int rank = before ? (int)(before - screen->windows) : last;
        // This window was above one that is now above it.
        int is_moved = before && rank < last;
        adopt(screen, &now[kept], children[i], &attributes, before);
        if (is_moved) add_dirt(screen, now[kept].place);
        if (rank > last) last = rank;
        kept++;
    }
    if (children) XFree(children);
    if (!now) return;
    for (int i = 0; i < screen->count; i++) {
        window_t *window = &screen->windows[i];
        if (window->is_kept) continue;
        add_dirt(screen, window->place);
        release(screen, window);
        XDamageDestroy(screen->display, window->damage);
    }
    memcpy(screen->windows, now, sizeof screen->windows);
    screen->count = kept;
    free(now);
}

/// Composes the changed parts of the windows again.
static void compose(fg_screen *screen) {
    XserverRegion part = XFixesCreateRegion(screen->display, NULL, 0);
    for (int i = 0; i < screen->count; i++) {
        window_t *window = &screen->windows[i];
        if (!window->is_dirty) continue;
        window->is_dirty = 0;
        XDamageSubtract(screen->display, window->damage, None, part);
        XFixesTranslateRegion(screen->display, part, window->place.x, window->place.y);
        XFixesUnionRegion(screen->display, screen->dirty, screen->dirty, part);
    }
    XFixesSetPictureClipRegion(screen->display, screen->target, 0, 0, screen->dirty);
    XRenderColor gray = {0x8080, 0x8080, 0x8080, 0xffff};
    XRenderFillRectangle(
        screen->display, PictOpSrc, screen->target, &gray, 0, 0, (unsigned)screen->width, (unsigned)screen->height);
    for (int i = 0; i < screen->count; i++) {
        window_t *window = &screen->windows[i];
        if (!window->picture) continue;
        if (window->is_shaped) {
            XserverRegion shape = XFixesCreateRegionFromWindow(screen->display, window->id, WindowRegionBounding);
            XFixesTranslateRegion(screen->display, shape, window->place.x, window->place.y);
            XFixesIntersectRegion(screen->display, shape, shape, screen->dirty);
            XFixesSetPictureClipRegion(screen->display, screen->target, 0, 0, shape);
            XFixesDestroyRegion(screen->display, shape);
        }
        XRenderComposite(
            screen->display, window->has_alpha ? PictOpOver : PictOpSrc, window->picture, None, screen->target, 0, 0, 0, 0,
            window->place.x, window->place.y, (unsigned)window->place.width, (unsigned)window->place.height);
        if (window->is_shaped) XFixesSetPictureClipRegion(screen->display, screen->target, 0, 0, screen->dirty);
    }
    XFixesDestroyRegion(screen->display, part);
}

// MARK: The pixels

/// Returns the intersection of two rectangles; it is empty if it has no size.
static fg_rect common(fg_rect a, fg_rect b) {
    int left = a.x > b.x ? a.x : b.x, top = a.y > b.y ? a.y : b.y;
    int right = a.x + a.width < b.x + b.width ? a.x + a.width : b.x + b.width;
    int bottom = a.y + a.height < b.y + b.height ? a.y + a.height : b.y + b.height;
    return (fg_rect){left, top, right > left ? right - left : 0, bottom > top ? bottom - top : 0};
}

/// Copies a row of pixels, and marks the tiles in which one has changed.
static int copy_row(const uint8_t *from, uint8_t *to, int channels, int x, int width, uint8_t *tiles, int side) {
    int changed = 0;
    for (int i = 0; i < width; i++, from += 4, to += channels) {
        if (channels == 3) {
            if (to[0] == from[2] && to[1] == from[1] && to[2] == from[0]) continue;
            to[0] = from[2];
            to[1] = from[1];
            to[2] = from[0];
        } else {
            // Weights of ITU-R BT.601.
            uint8_t luma = (uint8_t)((77 * from[2] + 150 * from[1] + 29 * from[0] + 128) >> 8);
            if (*to == luma) continue;
            *to = luma;
        }
        uint8_t *tile = &tiles[(x + i) / side];
        changed += !*tile;
        *tile = 1;
    }
    return changed;
}

static int fetch(fg_screen *screen, fg_rect part, fg_rect area, int channels, uint8_t *pixels, uint8_t *tiles, int side) {
    XImage *image = NULL;
    if (screen->has_shared) {
        image = XShmCreateImage(
            screen->display, DefaultVisual(screen->display, DefaultScreen(screen->display)),
            (unsigned)DefaultDepth(screen->display, DefaultScreen(screen->display)), ZPixmap, screen->shared.shmaddr, &screen->shared,
            (unsigned)part.width, (unsigned)part.height);
        if (image && !XShmGetImage(screen->display, screen->canvas, image, part.x, part.y, AllPlanes)) {
            image->data = NULL;
            XDestroyImage(image);
            image = NULL;
            // The server is on another machine, or in another container.
            screen->has_shared = 0;
        }
    }
    int is_shared = image != NULL;
    if (!image)
        image = XGetImage(
            screen->display, screen->canvas, part.x, part.y, (unsigned)part.width, (unsigned)part.height, AllPlanes, ZPixmap);
    if (!image) return -1;
    int changed = -1;
    if (image->bits_per_pixel == 32) {
        changed = 0;
        int columns = (area.width + side - 1) / side;
        for (int y = 0; y < part.height; y++) {
            int x = part.x - area.x, row = part.y - area.y + y;
            changed += copy_row(
                (const uint8_t *)image->data + (size_t)y * (size_t)image->bytes_per_line,
                pixels + ((size_t)row * (size_t)area.width + (size_t)x) * (size_t)channels, channels, x, part.width,
                tiles + (size_t)(row / side) * (size_t)columns, side);
        }
    }
    if (is_shared) image->data = NULL;
    XDestroyImage(image);
    return changed;
}

int fg_screen_take(fg_screen *screen, fg_rect area, int channels, uint8_t *pixels, uint8_t *tiles, int side) {
    if (screen->is_restacked) list_windows(screen);
    screen->has_dirt = 0;
    compose(screen);
    int count = 0, changed = 0;
    XRectangle bounds;
    XRectangle *rects = XFixesFetchRegionAndBounds(screen->display, screen->dirty, &count, &bounds);
    XFixesSetRegion(screen->display, screen->dirty, NULL, 0);
    XRectangle *parts = count > most_rects ? &bounds : rects;
    fg_rect whole = {0, 0, screen->width, screen->height};
    for (int i = 0; i < (count > most_rects ? 1 : count) && changed >= 0; i++) {
        fg_rect part = {parts[i].x, parts[i].y, parts[i].width, parts[i].height};
        part = common(common(part, whole), area);
        if (part.width == 0 || part.height == 0) continue;
        int found = fetch(screen, part, area, channels, pixels, tiles, side);
        changed = found < 0 ? -1 : changed + found;
    }
    if (rects) XFree(rects);
    return changed;
}
