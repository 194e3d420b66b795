// The desktop of an X server as a picture without windows of our own, and windows of our own over it that let clicks through. C because
// Xlib, Render, Composite, Damage and Shape are macros, unions and structures that Swift sees as bytes.
#ifndef FRAMEGREP_CSCREEN_H
#define FRAMEGREP_CSCREEN_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    int x, y, width, height;
} fg_rect;

// MARK: The picture

/// A connection that watches the desktop. Used by one thread at a time.
typedef struct fg_screen fg_screen;

/// Connects and starts to watch. Returns NULL with a reason in `message` if that fails.
///
/// From now on the server keeps the contents of each window separately (Composite's automatic redirection), so that what is below a window
/// of ours is known too; the visible picture stays the same. The server stops this by itself when the connection ends.
fg_screen *fg_screen_open(const char *name, char *message, size_t capacity);
void fg_screen_close(fg_screen *screen);

/// Returns a descriptor to poll, which is readable when something may have changed.
int fg_screen_descriptor(const fg_screen *screen);
void fg_screen_size(const fg_screen *screen, int *width, int *height);

/// The monitors' places, first the primary one; returns how many there are, of which at most `capacity` are written.
int fg_screen_monitors(fg_screen *screen, fg_rect *places, int capacity);

/// The window of this number, or with 0 the first from the top whose title has `title` in it, whatever the case. 0 when there is none.
unsigned long fg_screen_window(fg_screen *screen, unsigned long number, const char *title);
/// The place of a window on the screen; 0 when it is gone or not visible.
int fg_screen_place(fg_screen *screen, unsigned long window, fg_rect *place);

/// Leaves this window, one of ours, out of the picture. Call it before the window is shown.
void fg_screen_exclude(fg_screen *screen, unsigned long window);

/// Processes the server's events; returns 1 if the picture may have changed since it was last taken. Never waits.
int fg_screen_pump(fg_screen *screen);
/// Returns whether windows were opened, closed or moved since the last call.
int fg_screen_moved(fg_screen *screen);
/// Marks the whole picture as changed.
void fg_screen_forget(fg_screen *screen);

/// Brings the picture of `area` up to date where it changed.
///
/// `pixels` contains the picture of the last call: rows from the top without padding, `channels` bytes a pixel (1: brightness, 3:
/// red, green, blue). `tiles` gets 1 for each tile of `side` pixels, row by row, in which a pixel has changed, and is not written
/// elsewhere. Returns the number of changed tiles, or -1 if the server does not return the picture.
int fg_screen_take(fg_screen *screen, fg_rect area, int channels, uint8_t *pixels, uint8_t *tiles, int side);

// MARK: The overlay

/// Windows over the desktop: thin frames that let clicks through, and a bar that accepts keys. Used by one thread at a time.
typedef struct fg_overlay fg_overlay;

/// The largest number of colors of frames.
enum { fg_overlay_layers = 8 };

/// Connects and creates the windows, which are not shown yet. Returns NULL with a reason in `message` if that fails.
fg_overlay *fg_overlay_open(const char *name, char *message, size_t capacity);
void fg_overlay_close(fg_overlay *overlay);
int fg_overlay_descriptor(const fg_overlay *overlay);

/// The windows' numbers: the bar's, then each layer's.
unsigned long fg_overlay_bar(const fg_overlay *overlay);
unsigned long fg_overlay_layer(const fg_overlay *overlay, int layer);

/// Shows these rectangles in a layer, in this color (0xRRGGBB), and nothing else there.
void fg_overlay_show(fg_overlay *overlay, int layer, uint32_t color, const fg_rect *rects, int count);
/// Shows the bar at this place with these pixels: blue, green, red and an ignored byte, without padding.
void fg_overlay_show_bar(fg_overlay *overlay, fg_rect place, const uint8_t *pixels);
/// Puts all windows above the others again.
void fg_overlay_raise(fg_overlay *overlay);
/// Gives the bar the keyboard focus.
void fg_overlay_focus(fg_overlay *overlay);
/// Moves the pointer to a place on the screen.
void fg_overlay_point(fg_overlay *overlay, int x, int y);

/// Processes the server's events. Sets `has_focus` to whether the bar has the focus. Returns 1 if the bar was clicked. Never waits.
int fg_overlay_pump(fg_overlay *overlay, int *has_focus);

#endif
