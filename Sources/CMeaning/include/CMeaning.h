// Products of matrices, as fast as one core gives them. C because Swift cannot choose instructions by the processor that it runs on.
#ifndef CMEANING_H
#define CMEANING_H

#include <stddef.h>

/// Adds `x` times `w` to `y`: `rows` x `inner` numbers times `inner` x `columns`, row by row.
///
/// Each number of `y` is summed up in the order of `inner`, multiplication and addition rounded one after the other: the result is the
/// same to the last bit on every processor, and however many rows are multiplied at once.
///
/// `w` is in panels of 16 columns, each `inner` x 16; `columns` is a multiple of 16. None of the three may overlap.
void fg_meaning_multiply(const float *x, size_t rows, size_t inner, const float *w, size_t columns, float *y);

#endif
