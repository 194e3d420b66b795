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

/// Connects and begins to watch. NULL with a reason in `message`.
///
/// From now on the server keeps the contents of each window apart (Composite's automatic redirection), so that what lies under a window of
/// ours is known too; what is seen stays the same. The server ends that by itself when the connection ends.
fg_screen *fg_screen_open(const char *name, char *message, size_t capacity);
void fg_screen_close(fg_screen *screen);

/// Can be polled: readable when something may have changed.
int fg_screen_descriptor(const fg_screen *screen);
void fg_screen_size(const fg_screen *screen, int *width, int *height);

/// The monitors' places, first the primary one; returns how many there are, of which at most `capacity` are written.
int fg_screen_monitors(fg_screen *screen, fg_rect *places, int capacity);

/// The window of this number, or with 0 the first from the top whose title has `title` in it, whatever the case. 0 when there is none.
unsigned long fg_screen_window(fg_screen *screen, unsigned long number, const char *title);
/// The place of a window on the screen; 0 when it is gone or not visible.
int fg_screen_place(fg_screen *screen, unsigned long window, fg_rect *place);

/// Leaves this window out of the picture: one of ours. To be called before it is shown.
void fg_screen_exclude(fg_screen *screen, unsigned long window);

/// Takes in what the server has told; 1 where the picture may have changed since it was last taken. Never waits.
int fg_screen_pump(fg_screen *screen);
/// Whether windows came, went or moved since this was last asked.
int fg_screen_moved(fg_screen *screen);
/// All of the picture counts as changed.
void fg_screen_forget(fg_screen *screen);

/// Brings the picture of `area` up to date where it changed.
///
/// `pixels` contains the picture of the last call: rows from the top without padding, `channels` bytes a pixel (1: brightness, 3:
/// red, green, blue). `tiles` gets 1 for each tile of `side` pixels, row by row, in which a pixel is another now, and is left as it is
/// elsewhere. Returns how many tiles changed, or -1 when the server does not give the picture.
int fg_screen_take(fg_screen *screen, fg_rect area, int channels, uint8_t *pixels, uint8_t *tiles, int side);

// MARK: The overlay

/// Windows over the desktop: thin frames that let clicks through, and a bar that takes keys. Used by one thread at a time.
typedef struct fg_overlay fg_overlay;

/// The largest number of colors of frames.
enum { fg_overlay_layers = 8 };

/// Connects and makes the windows, which are not shown yet. NULL with a reason in `message`.
fg_overlay *fg_overlay_open(const char *name, char *message, size_t capacity);
void fg_overlay_close(fg_overlay *overlay);
int fg_overlay_descriptor(const fg_overlay *overlay);

/// The windows' numbers: the bar's, then each layer's.
unsigned long fg_overlay_bar(const fg_overlay *overlay);
unsigned long fg_overlay_layer(const fg_overlay *overlay, int layer);

/// Shows these rectangles in a layer, in this color (0xRRGGBB), and nothing else there.
void fg_overlay_show(fg_overlay *overlay, int layer, uint32_t color, const fg_rect *rects, int count);
/// Shows the bar at this place with these pixels: blue, green, red and a byte that counts for nothing, without padding.
void fg_overlay_show_bar(fg_overlay *overlay, fg_rect place, const uint8_t *pixels);
/// Puts all windows above the others again.
void fg_overlay_raise(fg_overlay *overlay);
/// Has the bar take the keys.
void fg_overlay_focus(fg_overlay *overlay);
/// Sends the pointer to a place of the screen.
void fg_overlay_point(fg_overlay *overlay, int x, int y);

/// Takes in what the server has told. `has_focus` becomes whether the bar has the keys. Returns 1 where the bar was clicked. Never waits.
int fg_overlay_pump(fg_overlay *overlay, int *has_focus);

#endif
