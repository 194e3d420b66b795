// A model of speech in ONNX Runtime, opened at run time: 'framegrep setup --voice' installs it. C because the runtime's functions are in a
// table without names.
#ifndef FRAMEGREP_CSPEECH_H
#define FRAMEGREP_CSPEECH_H

#include <stddef.h>
#include <stdint.h>

/// An encoder of sound, a decoder into pieces of words, and what was heard last. Used by one thread at a time.
typedef struct fg_speech fg_speech;

/// Opens the runtime's library and the two networks. NULL with a reason in `message`.
fg_speech *fg_speech_open(const char *runtime, const char *encoder, const char *decoder, int threads, char *message, size_t capacity);

/// Takes in sound: one channel, 16000 samples a second, -1 to 1. What is asked from now on is about it. 0, or -1 with a reason.
int fg_speech_hear(fg_speech *speech, const float *samples, size_t count, char *message, size_t capacity);

/// How many pieces there are; known once something was asked.
size_t fg_speech_pieces(const fg_speech *speech);

/// How likely each piece is at each place: for `count` runs of `length` pieces each (row by row in `ids`), what may follow the first, the
/// first two, and so on. Logarithms but for a constant at each place: count x length x pieces numbers, which belong to `speech` until
/// something else is asked. NULL with a reason in `message`.
const float *fg_speech_ask(
    fg_speech *speech, const int64_t *ids, size_t count, size_t length, char *message, size_t capacity);

#endif
