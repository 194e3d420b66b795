// Video4Linux for Swift. Only what Swift cannot import by itself is wrapped here: a variadic function and the macros
// that compute request numbers.
#ifndef FRAMEGREP_CVIDEO4LINUX_H
#define FRAMEGREP_CVIDEO4LINUX_H

#include <errno.h>
#include <linux/videodev2.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>

// ioctl is variadic. A call that a signal interrupts is repeated. Returns 0, or the error's number.
static inline int fv4l_control(int descriptor, unsigned long request, void *argument) {
    int result;
    do result = ioctl(descriptor, request, argument);
    while (result < 0 && errno == EINTR);
    return result < 0 ? errno : 0;
}

static const unsigned long FV4L_QUERYCAP = VIDIOC_QUERYCAP;
static const unsigned long FV4L_ENUM_FMT = VIDIOC_ENUM_FMT;
static const unsigned long FV4L_ENUM_FRAMESIZES = VIDIOC_ENUM_FRAMESIZES;
static const unsigned long FV4L_ENUM_FRAMEINTERVALS = VIDIOC_ENUM_FRAMEINTERVALS;
static const unsigned long FV4L_REQBUFS = VIDIOC_REQBUFS;
static const unsigned long FV4L_QUERY_EXT_CTRL = VIDIOC_QUERY_EXT_CTRL;
static const unsigned long FV4L_QUERYMENU = VIDIOC_QUERYMENU;
static const unsigned long FV4L_G_EXT_CTRLS = VIDIOC_G_EXT_CTRLS;
static const unsigned long FV4L_S_EXT_CTRLS = VIDIOC_S_EXT_CTRLS;

// Controls that are known by more than their names: sums that Swift does not import.
static const unsigned int FV4L_CID_BRIGHTNESS = V4L2_CID_BRIGHTNESS;
static const unsigned int FV4L_CID_EXPOSURE = V4L2_CID_EXPOSURE;
static const unsigned int FV4L_CID_EXPOSURE_AUTO = V4L2_CID_EXPOSURE_AUTO;
static const unsigned int FV4L_CID_EXPOSURE_ABSOLUTE = V4L2_CID_EXPOSURE_ABSOLUTE;
static const unsigned int FV4L_CID_FOCUS_AUTO = V4L2_CID_FOCUS_AUTO;
static const unsigned int FV4L_CID_AUTO_FOCUS_START = V4L2_CID_AUTO_FOCUS_START;
static const unsigned int FV4L_CID_ZOOM_ABSOLUTE = V4L2_CID_ZOOM_ABSOLUTE;
static const unsigned int FV4L_CID_FLASH_LED_MODE = V4L2_CID_FLASH_LED_MODE;

// Control values live in a union inside a packed struct.
static inline int fv4l_get_value(int descriptor, unsigned int id, int is_wide, long long *value) {
    struct v4l2_ext_control control = {.id = id};
    struct v4l2_ext_controls controls = {.which = V4L2_CTRL_WHICH_CUR_VAL, .count = 1, .controls = &control};
    int failure = fv4l_control(descriptor, VIDIOC_G_EXT_CTRLS, &controls);
    *value = is_wide ? control.value64 : control.value;
    return failure;
}
static inline int fv4l_set_value(int descriptor, unsigned int id, int is_wide, long long value) {
    struct v4l2_ext_control control = {.id = id};
    struct v4l2_ext_controls controls = {.which = V4L2_CTRL_WHICH_CUR_VAL, .count = 1, .controls = &control};
    if (is_wide) control.value64 = value;
    else control.value = (int)value;
    return fv4l_control(descriptor, VIDIOC_S_EXT_CTRLS, &controls);
}
// A menu's entry: its name, or its number for menus of numbers. Returns 0, or the error's number.
static inline int fv4l_menu_entry(int descriptor, unsigned int id, unsigned int index, char name[33], long long *number) {
    struct v4l2_querymenu entry = {.id = id, .index = index};
    int failure = fv4l_control(descriptor, VIDIOC_QUERYMENU, &entry);
    *number = entry.value;
    for (int i = 0; i < 32; i++) name[i] = (char)entry.name[i];
    name[32] = 0;
    return failure;
}

#endif
