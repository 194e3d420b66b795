// A speech model in ONNX Runtime, opened at run time: 'framegrep setup --voice' installs it. This is C, because the runtime's functions are in a
// table without names.
#ifndef FRAMEGREP_CSPEECH_H
#define FRAMEGREP_CSPEECH_H

#include <stddef.h>
#include <stdint.h>

/// An encoder of sound and a decoder that writes word pieces. Used by one thread at a time.
typedef struct fg_speech fg_speech;
/// The sound that was heard, and the pieces written for it so far.
typedef struct fg_heard fg_heard;

/// Opens the runtime's library and the two networks. Returns NULL with a reason in `message` if that fails.
fg_speech *fg_speech_open(const char *runtime, const char *encoder, const char *decoder, int threads, char *message, size_t capacity);

/// Encodes sound: one channel, 16000 samples a second, -1 to 1. `begin` is the piece that begins every run. The likelihood of each piece after it
/// is in `*first`: logarithms up to a constant, `fg_speech_pieces` numbers, owned by the result. Returns NULL with a reason if that fails.
fg_heard *fg_speech_hear(
    fg_speech *speech, const float *samples, size_t count, int64_t begin, const float **first, char *message, size_t capacity);

/// Returns the number of pieces; known once something was heard.
size_t fg_speech_pieces(const fg_speech *speech);

/// Extends runs: the k-th of `count` runs continues the run `parents[k]` of the step before, or the beginning if `parents` is NULL, by
/// `length` pieces, row by row in `ids`. Returns the likelihoods of what follows each of these: count x length x pieces numbers, owned by `heard` until
/// the next step; NULL with a reason in `message` if that fails.
const float *fg_speech_go_on(
    fg_speech *speech, fg_heard *heard, const int32_t *parents, const int64_t *ids, size_t count, size_t length, char *message,
    size_t capacity);

/// Returns free memory to the system, because nothing will be recognized for a while.
void fg_speech_rest(void);

void fg_heard_free(fg_speech *speech, fg_heard *heard);

#endif
