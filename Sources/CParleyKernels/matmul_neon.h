// SPDX-License-Identifier: Apache-2.0
//
// The product of one group of columns (those with a common scale) with 8 rows and a tile of tokens, for NEON with dot
// product.

#ifndef PARLEY_MATMUL_NEON_H
#define PARLEY_MATMUL_NEON_H

#include "kernels_internal.h"

#define LANES_TARGET PARLEY_NEON
#define LANES_KERNEL(operation) LANES_TARGET void parley_##operation##_neon
#define LANES_CHUNKS parley_matmul_chunks_neon

#include "planes_neon.h"

#include "panel_lanes.h"

/// Adds the products of four rows by four columns with one of four words of activations.
LANES_INLINE int32x4_t add_products(int32x4_t sums, int8x16_t q, int8x16_t words, size_t word) {
    switch (word) {
        case 0: return vdotq_laneq_s32(sums, q, words, 0);
        case 1: return vdotq_laneq_s32(sums, q, words, 1);
        case 2: return vdotq_laneq_s32(sums, q, words, 2);
        default: return vdotq_laneq_s32(sums, q, words, 3);
    }
}

/// The weights of two quarters of a panel in a block of 32 columns: packed in planes, or already unpacked to bytes.
typedef struct {
    parley_type type;
    bool unpacked;
    const uint8_t *at;
    size_t quarter;  // the first
} weight_source;

/// Packed weights are not centred: `first_sum` makes up for that.
LANES_INLINE int8x16_t columns_of(weight_source w, size_t g, size_t quarter) {
    if (w.unpacked) return vreinterpretq_s8_u8(vld1q_u8(w.at + 64 * g + 16 * (w.quarter + quarter)));
    return signed_weights(w.type, plane_columns(w.type, w.at, g, w.quarter + quarter));
}

/// What the dot products of group h of a block with token t start with.
LANES_INLINE int32x4_t first_sum(parley_block_kind kind, weight_source w, const parley_activation_block *x, size_t t,
                                 size_t h) {
    if (w.unpacked || signed_offset(w.type) == 0) return vdupq_n_s32(0);
    int32_t minus_sum = kind.halves && h == 0 ? x->minus_low[t] : x->minus_sum[t];
    if (kind.halves && h == 1) minus_sum -= x->minus_low[t];
    return vdupq_n_s32(minus_sum * signed_offset(w.type));
}

/// Adds group h of a block: 8 rows by `width` tokens. Up to two need few registers.
LANES_INLINE void group_product(parley_block_kind kind, weight_source w, size_t width, size_t h,
                                const parley_activation_block *x, const row_factors group[2],
                                f32_rows acc[2][PARLEY_TILE_TOKENS]) {
    int32x4_t dot[2][PARLEY_TILE_TOKENS];
    int8x16_t q[2], words;
    UNROLL for (size_t t = 0; t < width; t++) dot[0][t] = dot[1][t] = first_sum(kind, w, x, t, h);
    UNROLL for (size_t word = group_begin(kind, h) * width; word < group_end(kind, h) * width; word++) {
        const size_t g = word / width, t = word % width;
        if (word % 4 == 0) words = vld1q_s8(x->q + 4 * word);
        UNROLL for (size_t i = 0; i < 2; i++) {
            if (t == 0) q[i] = columns_of(w, g, i);
            dot[i][t] = add_products(dot[i][t], q[i], words, word % 4);
        }
        if (width > 2) KEEP_ORDER(dot[0][t], dot[1][t]);
    }
    UNROLL for (size_t t = 0; t < width; t++) {
        UNROLL for (size_t i = 0; i < 2; i++) acc[i][t] = add_group(kind, x, t, h, dot[i][t], group[i], acc[i][t]);
        if (width > 2) KEEP_ORDER(acc[0][t], acc[1][t]);
    }
}

#endif
