// SPDX-License-Identifier: Apache-2.0
//
// One group of columns (those that share a scale) of 8 rows and a tile of tokens, NEON with dot product.

#ifndef PARLEY_MATMUL_NEON_H
#define PARLEY_MATMUL_NEON_H

#include "unpack_neon.h"

#define UNROLL _Pragma("clang loop unroll(full)")
#define KEEP_ROLLED _Pragma("clang loop unroll(disable)")

PARLEY_INLINE size_t group_begin(parley_block_kind kind, size_t h) { return kind.halves ? 4 * h : 0; }
PARLEY_INLINE size_t group_end(parley_block_kind kind, size_t h) { return kind.halves ? 4 * h + 4 : 8; }
PARLEY_INLINE size_t group_count(parley_block_kind kind) { return kind.halves ? 2 : 1; }

/// Adds the products of four rows by four columns with word `word` of the activations of a block.
PARLEY_NEON PARLEY_INLINE int32x4_t add_products(int32x4_t sums, int8x16_t q, const int8_t *x, size_t word) {
    // Neighbouring words share a load, and a lane is chosen by the instruction.
    int8x16_t four_words = vld1q_s8(x + word / 4 * 16);
    switch (word % 4) {
        case 0: return vdotq_laneq_s32(sums, q, four_words, 0);
        case 1: return vdotq_laneq_s32(sums, q, four_words, 1);
        case 2: return vdotq_laneq_s32(sums, q, four_words, 2);
        default: return vdotq_laneq_s32(sums, q, four_words, 3);
    }
}

/// Adds a group's dot products to the accumulators.
PARLEY_NEON PARLEY_INLINE float32x4_t add_group(parley_block_kind kind, const parley_activation_block *x, size_t t,
                                                size_t h, int32x4_t dot, float32x4_t scale, float32x4_t minimum,
                                                float32x4_t acc) {
    acc = vfmaq_f32(acc, vcvtq_f32_s32(dot), vmulq_n_f32(scale, x->scale[t]));
    if (!kind.has_minimum) return acc;
    if (!kind.halves) return vfmaq_n_f32(acc, minimum, x->scaled_sum[t]);
    int32_t sum = h == 0 ? -x->minus_low[t] : x->minus_low[t] - x->minus_sum[t];
    return vfmaq_n_f32(acc, minimum, x->scale[t] * (float)sum);
}

/// Where the weights of a block of 32 columns come from: planes of a panel, or bytes unpacked before.
typedef struct {
    parley_type type;
    bool unpacked;
    const uint8_t *at;
    size_t quarter;  // the first of the two quarters of the panel
} weight_source;

PARLEY_NEON PARLEY_INLINE int8x16_t columns_of(weight_source w, size_t g, size_t quarter) {
    if (w.unpacked) return vreinterpretq_s8_u8(vld1q_u8(w.at + 64 * g + 16 * (w.quarter + quarter)));
    return unpack_columns_neon(w.type, w.at, g, w.quarter + quarter);
}

/// Group h of a block: 8 rows by `width` tokens.
PARLEY_NEON PARLEY_INLINE void group_product(parley_block_kind kind, weight_source w, size_t width, size_t h,
                                             const parley_activation_block *x, const float32x4_t scale[2],
                                             const float32x4_t minimum[2], float32x4_t acc[2][PARLEY_TILE_TOKENS]) {
    int32x4_t dot[2][PARLEY_TILE_TOKENS];
    UNROLL for (size_t t = 0; t < width; t++) dot[0][t] = dot[1][t] = vdupq_n_s32(0);
    UNROLL for (size_t g = group_begin(kind, h); g < group_end(kind, h); g++) {
        int8x16_t q[2] = {columns_of(w, g, 0), columns_of(w, g, 1)};
        UNROLL for (size_t t = 0; t < width; t++) {
            UNROLL for (size_t i = 0; i < 2; i++) dot[i][t] = add_products(dot[i][t], q[i], x->q, g * width + t);
        }
    }
    UNROLL for (size_t t = 0; t < width; t++) {
        UNROLL for (size_t i = 0; i < 2; i++) {
            acc[i][t] = add_group(kind, x, t, h, dot[i][t], scale[i], minimum[i], acc[i][t]);
        }
    }
}

/// The first `rows` of 4 floats; the rest is neither read nor written.
PARLEY_NEON PARLEY_INLINE float32x4_t load_rows(const float *y, size_t rows) {
    float values[4] = {0};
    if (rows >= 4) return vld1q_f32(y);
    for (size_t r = 0; r < rows; r++) values[r] = y[r];
    return vld1q_f32(values);
}

PARLEY_NEON PARLEY_INLINE void store_rows(float *y, size_t rows, float32x4_t x) {
    float values[4];
    if (rows >= 4) {
        vst1q_f32(y, x);
        return;
    }
    vst1q_f32(values, x);
    for (size_t r = 0; r < rows; r++) y[r] = values[r];
}

/// The rows of quarter `quarter` of a panel that exist, where `rows` exist from the panel's first on.
PARLEY_INLINE size_t rows_of_quarter(size_t rows, size_t quarter) {
    return rows > 4 * quarter ? rows - 4 * quarter : 0;
}

/// `parley_matmul_chunks` with the steps of this instruction set.
void parley_matmul_chunks_neon(const parley_matrix *w, const void *activations, size_t tokens, float *y,
                               size_t y_stride, size_t panel_begin, size_t panel_end, void *scratch);

#endif
