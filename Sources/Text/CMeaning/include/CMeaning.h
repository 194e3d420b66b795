// Products of matrices and of vectors, as fast as one core gives them. C because Swift cannot choose instructions by the processor that it runs on.
#ifndef CMEANING_H
#define CMEANING_H

#include <stddef.h>
#include <stdint.h>

/// Adds `x` times `w` to `y`: `rows` x `inner` numbers times `inner` x `columns`, row by row.
///
/// Each number of `y` is summed up in the order of `inner`, multiplication and addition rounded one after the other: the result is the
/// same to the last bit on every processor, and however many rows are multiplied at once.
///
/// `w` is in panels of 16 columns, each `inner` x 16; `columns` is a multiple of 16. None of the three may overlap.
void fg_meaning_multiply(const float *x, size_t rows, size_t inner, const float *w, size_t columns, float *y);

/// Multiplies a question with vectors that are kept in two bits a number: 512 numbers from 0 to 3 in 128 bytes a row.
///
/// The two lowest bits of the bytes are the first 128 numbers, the next two the second 128, and so on. `sums` gets one number a row, the same
/// on every processor.
///
/// No number of `question` may be less than -127.
void fg_meaning_near(const uint8_t *codes, size_t rows, const int8_t *question, int32_t *sums);

#endif
