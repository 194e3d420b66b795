#include "CMeaning.h"

enum { row_size = 128 };

static void near_plain(const uint8_t *codes, size_t rows, const int8_t *question, int32_t *sums) {
    for (size_t row = 0; row < rows; row++, codes += row_size) {
        int32_t sum = 0;
        for (int shift = 0; shift < 4; shift++) {
            for (int place = 0; place < row_size; place++)
                sum += ((codes[place] >> (2 * shift)) & 3) * question[shift * row_size + place];
        }
        sums[row] = sum;
    }
}

#if defined(__x86_64__)
#include <immintrin.h>

__attribute__((target("avx2"))) static void near_wide(
    const uint8_t *codes, size_t rows, const int8_t *question, int32_t *sums) {
    const __m256i lowest = _mm256_set1_epi8(3);
    for (size_t row = 0; row < rows; row++, codes += row_size) {
        // 32 products of at most 3 times 127 in each number of 16 bits.
        __m256i sum = _mm256_setzero_si256();
        for (int part = 0; part < 4; part++) {
            const __m256i bytes = _mm256_loadu_si256((const __m256i *)(codes + 32 * part));
            for (int shift = 0; shift < 4; shift++) {
                const __m256i numbers = _mm256_and_si256(_mm256_srli_epi16(bytes, 2 * shift), lowest);
                const __m256i factors =
                    _mm256_loadu_si256((const __m256i *)(question + shift * row_size + 32 * part));
                sum = _mm256_add_epi16(sum, _mm256_maddubs_epi16(numbers, factors));
            }
        }
        const __m256i pairs = _mm256_madd_epi16(sum, _mm256_set1_epi16(1));
        __m128i four = _mm_add_epi32(_mm256_castsi256_si128(pairs), _mm256_extracti128_si256(pairs, 1));
        four = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4E));
        four = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0xB1));
        sums[row] = _mm_cvtsi128_si32(four);
    }
}
#endif

void fg_meaning_near(const uint8_t *codes, size_t rows, const int8_t *question, int32_t *sums) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        near_wide(codes, rows, question, sums);
        return;
    }
#endif
    near_plain(codes, rows, question, sums);
}
