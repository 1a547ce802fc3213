// SPDX-License-Identifier: Apache-2.0
//
// A panel of 16 rows by a tile of tokens for AVX2. Their integer sums take 12 of the 16 registers, so that each
// broadcast of activations is used for two registers of weights. Meanwhile the float accumulators are in memory.

#ifndef PARLEY_MATMUL_TILE_AVX2_H
#define PARLEY_MATMUL_TILE_AVX2_H

#include "matmul_avx2.h"

/// acc[2 * t + half] has rows 8 * half to 8 * half + 7 of token t.
typedef struct {
    f32_rows acc[2 * PARLEY_TILE_TOKENS];
} tile_sums;

/// Prevents the compiler from reordering additions to these two sums. It would balance them into trees and load the
/// activations far ahead, for which there are not enough registers.
LANES_INLINE void keep_order(__m256i *sums) { __asm__ volatile("" : "+x"(sums[0]), "+x"(sums[1])); }

/// Adds the dot products of group h of a block, scaled, to the accumulators of token t; `scales` are the group's.
LANES_INLINE void finish_token(block_form form, const parley_activation_block *x, size_t t, size_t h,
                                            const __m256i dots[2], const float *scales, tile_sums *sums) {
    UNROLL for (size_t half = 0; half < 2; half++) {
        row_factors group = {load_f32(scales + 8 * half), {0}};
        if (form.kind.has_minimum) group.minimum = load_f32(scales + 32 + 8 * half);
        f32_rows *acc = &sums->acc[2 * t + half];
        *acc = add_group(form.kind, x, t, h, dots[half], group, *acc);
    }
}

/// Adds group h of a block of weights of up to 6 bits, unpacked to bytes.
LANES_INLINE void bytes_group(block_form form, size_t width, size_t h, const uint8_t *weights,
                                           const parley_activation_block *x, tile_sums *sums) {
    const float *scales = (const float *)(const void *)(weights + PARLEY_UNPACKED_SCALES + 64 * h);
    const size_t first = group_begin(form.kind, h), end = group_end(form.kind, h), run = run_length(form);
    __m256i dots[2 * PARLEY_TILE_TOKENS];
    UNROLL for (size_t begin = first; begin < end; begin += run) {
        __m256i pairs[2 * PARLEY_TILE_TOKENS];
        UNROLL for (size_t g = begin; g < begin + run && g < end; g++) {
            const __m256i low = load_bytes(weights + 64 * g), high = load_bytes(weights + 64 * g + 32);
            UNROLL for (size_t t = 0; t < width; t++) {
                const __m256i four = _mm256_set1_epi32(four_columns(x, width, t, g));
                if (g == begin) pairs[2 * t] = pairs[2 * t + 1] = _mm256_setzero_si256();
                pairs[2 * t] = add_products(form, pairs[2 * t], low, four);
                pairs[2 * t + 1] = add_products(form, pairs[2 * t + 1], high, four);
                keep_order(pairs + 2 * t);
            }
        }
        UNROLL for (size_t t = 0; t < width; t++) {
            UNROLL for (size_t half = 0; half < 2; half++) {
                const __m256i sum = _mm256_madd_epi16(pairs[2 * t + half], _mm256_set1_epi16(1));
                const __m256i before = begin == first ? first_sum(form, x, t, h) : dots[2 * t + half];
                dots[2 * t + half] = _mm256_add_epi32(before, sum);
            }
            if (begin + run >= end) finish_token(form, x, t, h, dots + 2 * t, scales, sums);
        }
    }
}

/// The size in bytes of a block of 8-bit weights widened to 16 bits: s16 [8][even, odd columns][16 rows][2], f32
/// scale[16].
#define WIDE_BYTES 1088
#define WIDE_SCALES 1024
/// The number of such blocks that fit into the scratch memory.
#define WIDE_BLOCKS (PARLEY_CHUNK_BLOCKS * PARLEY_UNPACKED_BYTES / WIDE_BYTES)

/// The even or the odd columns of the groups of four columns in a register, as s16.
LANES_INLINE __m256i widen_columns(__m256i bytes, size_t odd) {
    return _mm256_srai_epi16(odd ? bytes : _mm256_slli_epi16(bytes, 8), 8);
}

/// Converts a block of activations to s16 [8][even, odd columns][width][2].
LANES_INLINE void widen_block(const parley_activation_block *x, size_t width, int16_t *wide) {
    UNROLL for (size_t i = 0; i < width; i++) {
        __m256i bytes = load_bytes((const uint8_t *)x->q + 32 * i);
        UNROLL for (size_t odd = 0; odd < 2; odd++) {
            _mm256_store_si256((__m256i *)(void *)(wide + 16 * (width * odd + i)), widen_columns(bytes, odd));
        }
    }
}

/// Adds a block of 8-bit weights, with weights and activations widened to 16 bits. This takes two multiplications and
/// two additions, as many as with bytes whose sign must be moved, but no final step from 16 to 32 bits.
LANES_INLINE void words_block(block_form form, size_t width, const uint8_t *weights, const int16_t *wide,
                                           const parley_activation_block *x, tile_sums *sums) {
    __m256i dots[2 * PARLEY_TILE_TOKENS];
    UNROLL for (size_t i = 0; i < 16; i++) {
        const __m256i low = load_bytes(weights + 64 * i), high = load_bytes(weights + 64 * i + 32);
        UNROLL for (size_t t = 0; t < width; t++) {
            int32_t two;
            __builtin_memcpy(&two, wide + 2 * (i % 2 * 8 * width + i / 2 * width + t), sizeof two);
            const __m256i columns = _mm256_set1_epi32(two);
            if (i == 0) dots[2 * t] = dots[2 * t + 1] = _mm256_setzero_si256();
            dots[2 * t] = _mm256_add_epi32(dots[2 * t], _mm256_madd_epi16(low, columns));
            dots[2 * t + 1] = _mm256_add_epi32(dots[2 * t + 1], _mm256_madd_epi16(high, columns));
            keep_order(dots + 2 * t);
        }
    }
    const float *scales = (const float *)(const void *)(weights + WIDE_SCALES);
    UNROLL for (size_t t = 0; t < width; t++) finish_token(form, x, t, 0, dots + 2 * t, scales, sums);
}

/// Sets the accumulators to zero for the first chunk, otherwise to the sums that the previous chunk left in y.
LANES_INLINE void load_sums(const parley_chunk *c, size_t width, const float *y, size_t rows,
                                         tile_sums *sums) {
    UNROLL for (size_t i = 0; i < 2 * width; i++) {
        const float *row = y + i / 2 * c->y_stride + 8 * (i % 2);
        sums->acc[i] = c->begin == 0 ? _mm256_setzero_ps() : load_rows(row, rows_of_part(rows, i % 2));
    }
}

LANES_INLINE void store_sums(const parley_chunk *c, size_t width, float *y, size_t rows,
                                          const tile_sums *sums) {
    UNROLL for (size_t i = 0; i < 2 * width; i++) {
        store_rows(y + i / 2 * c->y_stride + 8 * (i % 2), rows_of_part(rows, i % 2), sums->acc[i]);
    }
}

#endif
