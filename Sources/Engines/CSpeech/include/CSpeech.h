// A model of speech in ONNX Runtime, opened at run time: 'framegrep setup --voice' installs it. C because the runtime's functions are in a
// table without names.
#ifndef FRAMEGREP_CSPEECH_H
#define FRAMEGREP_CSPEECH_H

#include <stddef.h>
#include <stdint.h>

/// An encoder of sound and a decoder into pieces of words. Used by one thread at a time.
typedef struct fg_speech fg_speech;
/// What was heard, and what was written of it so far.
typedef struct fg_heard fg_heard;

/// Opens the runtime's library and the two networks. NULL with a reason in `message`.
fg_speech *fg_speech_open(const char *runtime, const char *encoder, const char *decoder, int threads, char *message, size_t capacity);

/// Takes in sound: one channel, 16000 samples a second, -1 to 1. `begin` is the piece that begins every run; how likely each piece is after it
/// is in `*first`: logarithms but for a constant, `fg_speech_pieces` numbers, which belong to what is returned. NULL with a reason.
fg_heard *fg_speech_hear(
    fg_speech *speech, const float *samples, size_t count, int64_t begin, const float **first, char *message, size_t capacity);

/// How many pieces there are; known once something was heard.
size_t fg_speech_pieces(const fg_speech *speech);

/// Makes runs longer: the k-th of `count` runs goes on the run `parents[k]` of the step before, or the begin where `parents` is NULL, by
/// `length` pieces, row by row in `ids`. What may follow each of these: count x length x pieces numbers, as above, which belong to `heard` until
/// the next step. NULL with a reason in `message`.
const float *fg_speech_go_on(
    fg_speech *speech, fg_heard *heard, const int32_t *parents, const int64_t *ids, size_t count, size_t length, char *message,
    size_t capacity);

/// Nothing is heard for a while: what memory is free goes back to the system.
void fg_speech_rest(void);

void fg_heard_free(fg_speech *speech, fg_heard *heard);

#endif
