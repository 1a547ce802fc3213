// SPDX-License-Identifier: Apache-2.0
//
// Products with PARLEY_Q8_256 and their activations for AVX2. Sums of products of bytes do not fit into 16 bits, so both
// are widened: the weights once for all tokens of a call, the activations once for each tile and two panels.

#include "kernels_internal.h"

#if PARLEY_X86

#pragma STDC FP_CONTRACT OFF

#define LANES_TARGET PARLEY_AVX2
#define LANES_KERNEL(operation) LANES_TARGET void parley_##operation##_avx2
#define LANES_CHUNKS parley_matmul_chunks_avx2

#include "planes_256.h"

LANES_INLINE __m256i finish_weights(parley_type type, __m256i q) { return (void)type, q; }

#include "panel_lanes.h"

#define LANES_CHUNK_GROUPS 1
#define LANES_NUMBER_BYTES 2
#define LANES_COPIES(tokens) true
#define LANES_COPIES_TOKENS

LANES_INLINE i32_rows add_products(i32_rows sums, __m256i q, int32_t two) {
    return sums + (i32_rows)_mm256_madd_epi16(q, _mm256_set1_epi32(two));
}

/// Each 8 rows of four columns become two registers of 8 rows by two columns.
LANES_INLINE void copy_weights(const uint8_t *q, size_t width, uint8_t *words) {
    const __m256i low = _mm256_set1_epi32((int)0x80018000), high = _mm256_set1_epi32((int)0x80038002);
    const __m256i row = _mm256_broadcastsi128_si256(_mm_setr_epi32(0, 0x00040004, 0x00080008, 0x000c000c));
    for (size_t k = 0; k < width / 4; k++) {
        for (size_t part = 0; part < LANES_PARTS; part++) {
            const __m256i bytes = load_bytes(q + 64 * k + 32 * part);
            uint8_t *to = words + 128 * k + 32 * part;
            const __m256i first = _mm256_shuffle_epi8(bytes, _mm256_add_epi8(low, row));
            _mm256_storeu_si256((__m256i *)(void *)to, first);
            const __m256i second = _mm256_shuffle_epi8(bytes, _mm256_add_epi8(high, row));
            _mm256_storeu_si256((__m256i *)(void *)(to + 64), second);
        }
    }
}

LANES_INLINE void copy_tokens(size_t width, const int8_t *q, size_t columns, uint8_t *words) {
    for (size_t c = 0; c < width * columns; c += 16) {
        const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(q + c));
        _mm256_storeu_si256((__m256i *)(void *)(words + 2 * c), _mm256_cvtepi8_epi16(bytes));
    }
}

#include "q8_256_lanes.h"

#include "quantize_avx2.h"

LANES_INLINE __m256 columns_at(const float *x, size_t c, size_t count) {
    float rest[8] = {0};
    if (c + 8 <= count) return _mm256_loadu_ps(x + c);
    for (size_t i = 0; c + i < count; i++) rest[i] = x[c + i];
    return _mm256_loadu_ps(rest);
}

LANES_INLINE void quantize_group(const float *x, size_t count, size_t width, int8_t *q, float *scale, int32_t *start) {
    const __m256 magnitude = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fffffff));
    __m256 maxima = _mm256_setzero_ps();
    // The operands' order drops NaN.
    for (size_t c = 0; c < count; c += 8) {
        maxima = _mm256_max_ps(_mm256_and_ps(columns_at(x, c, count), magnitude), maxima);
    }
    const parley_group_factors factors = parley_factors_of(largest(maxima));
    const __m256 inverse = _mm256_set1_ps(factors.inverse);
    __m256i sums = _mm256_setzero_si256();
    for (size_t c = 0; c < width; c += 32) {
        __m256i part[4];
        UNROLL for (size_t i = 0; i < 4; i++) {
            // ... and sends it to -127 here.
            const __m256 scaled = _mm256_mul_ps(columns_at(x, c + 8 * i, count), inverse);
            const __m256 bounded = _mm256_min_ps(_mm256_max_ps(scaled, _mm256_set1_ps(-127)), _mm256_set1_ps(127));
            part[i] = _mm256_cvtps_epi32(bounded);
            sums = _mm256_add_epi32(sums, part[i]);
        }
        // Packing works within halves of a register: the words come out as 0 2 4 6 1 3 5 7.
        __m256i bytes = _mm256_packs_epi16(_mm256_packs_epi32(part[0], part[1]), _mm256_packs_epi32(part[2], part[3]));
        bytes = _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
        _mm256_storeu_si256((__m256i *)(void *)(q + c), bytes);
    }
    *scale = factors.scale;
    *start = -PARLEY_GROUP_OFFSET * sum_of(sums);
}

#include "q8_256_quantize_lanes.h"

#endif
