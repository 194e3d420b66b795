#include "CMeaning.h"

#include <string.h>

// A fused multiplication and addition rounds once where two instructions round twice: another result on another processor.
#pragma STDC FP_CONTRACT OFF

// Half of a panel's width; a processor with smaller registers takes several for one.
typedef float Lane __attribute__((vector_size(32), aligned(4)));
enum { panel = 16, most = 4 };

// `count` rows of one panel; a compiler that knows the count keeps the sums in registers.
#define INLINED static inline __attribute__((always_inline))

INLINED void multiply_rows(const float *x, size_t inner, const float *w, size_t columns, float *y, const int count) {
    Lane sums[most][2];
    for (int row = 0; row < count; row++) memcpy(sums[row], y + (size_t)row * columns, sizeof sums[row]);
    for (size_t k = 0; k < inner; k++) {
        Lane left, right;
        memcpy(&left, w + k * panel, sizeof left);
        memcpy(&right, w + k * panel + panel / 2, sizeof right);
        for (int row = 0; row < count; row++) {
            const float value = x[(size_t)row * inner + k];
            sums[row][0] += left * value;
            sums[row][1] += right * value;
        }
    }
    for (int row = 0; row < count; row++) memcpy(y + (size_t)row * columns, sums[row], sizeof sums[row]);
}

INLINED void multiply_all(const float *x, size_t rows, size_t inner, const float *w, size_t columns, float *y) {
    for (size_t column = 0; column < columns; column += panel) {
        const float *part = w + column * inner;
        size_t row = 0;
        for (; row + 4 <= rows; row += 4)
            multiply_rows(x + row * inner, inner, part, columns, y + row * columns + column, 4);
        for (; row + 2 <= rows; row += 2)
            multiply_rows(x + row * inner, inner, part, columns, y + row * columns + column, 2);
        if (row < rows) multiply_rows(x + row * inner, inner, part, columns, y + row * columns + column, 1);
    }
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void multiply_wide(
    const float *x, size_t rows, size_t inner, const float *w, size_t columns, float *y) {
    multiply_all(x, rows, inner, w, columns, y);
}
#endif

void fg_meaning_multiply(const float *x, size_t rows, size_t inner, const float *w, size_t columns, float *y) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        multiply_wide(x, rows, inner, w, columns, y);
        return;
    }
#endif
    multiply_all(x, rows, inner, w, columns, y);
}
