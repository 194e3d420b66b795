// The functions of OpenCV that framegrep uses, as plain C: no OpenCV type and no exception leaves them.
//
// Every function returns 0, or -1 when OpenCV refused (bad sizes, out of memory). All run on the calling thread alone,
// keep nothing, and may be called from several threads at once. Coordinates are pixels with the origin at the top-left
// corner of the top-left pixel, so that pixel's center is (0.5, 0.5).
#ifndef FRAMEGREP_CVISION_H
#define FRAMEGREP_CVISION_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Rows of 8-bit samples from the top, without padding; `channels` is 1 (luma) or 3 (red, green, blue).
typedef struct {
    const uint8_t *bytes;
    int32_t width;
    int32_t height;
    int32_t channels;
} fg_picture_t;

// The conversion of a sample to a number: sample * factor + offset, for red, green and blue.
typedef struct {
    float factor[3];
    float offset[3];
} fg_normalization_t;

// Scales an RGB picture to `width` x `height` and writes it as three planes of floats (3 * width * height of them).
int fg_resize_to_planes(fg_picture_t picture, fg_normalization_t normalization, int32_t width, int32_t height,
                        float *planes);

// Straightens the contents of a quadrilateral (four x, y pairs, clockwise from the text's top-left) into
// `content_width` x `height` pixels, and writes it as three planes of floats, each `width` x `height`; the columns from
// `content_width` on are 0. Places outside the picture repeat its border. If the picture is noisy compared with the text's contrast,
// the line is smoothed, more so the noisier it is; otherwise it is not.
int fg_crop_to_planes(fg_picture_t picture, fg_normalization_t normalization, const double corners[8],
                      int32_t content_width, int32_t width, int32_t height, float *planes);

// A rectangle at any angle, and the mean of the map inside it.
typedef struct {
    double center_x, center_y;
    // The unit vector along the side called `length`; `breadth` is at a right angle to it.
    double axis_x, axis_y;
    double length, breadth;
    double score;
} fg_blob_t;

// The smallest rectangles around the connected areas of `map` that are above `threshold`; at most `capacity` of them are
// written to `blobs` and `count` says how many. Rectangles with a side under `smallest` pixels are left out.
int fg_blobs_of_map(const float *map, int32_t width, int32_t height, float threshold, double smallest,
                    fg_blob_t *blobs, int32_t capacity, int32_t *count);

#ifdef __cplusplus
}
#endif
#endif
