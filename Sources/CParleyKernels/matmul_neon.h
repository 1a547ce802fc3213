// SPDX-License-Identifier: Apache-2.0
//
// Vectors of products for NEON with dot product: a register holds 4 rows, a quarter of a panel; weights are centred.
// Also the product of one group of columns (those with a common scale) with 8 rows and a tile of tokens.

#ifndef PARLEY_MATMUL_NEON_H
#define PARLEY_MATMUL_NEON_H

#include <arm_neon.h>

#include "panel_layout.h"

#define LANES_TARGET PARLEY_NEON
#define LANES_KERNEL(operation) LANES_TARGET void parley_##operation##_neon
#define LANES_CHUNKS parley_matmul_chunks_neon
#define LANES_ROWS 4

typedef uint8x16_t plane_bytes;
typedef int8x16_t weight_bytes;

LANES_INLINE uint8x16_t load_bytes(const uint8_t *plane) { return vld1q_u8(plane); }

LANES_INLINE uint8x16_t merge_bits(uint8x16_t q, uint8x16_t x, int left, char mask) {
    return vorrq_u8(q, vandq_u8(vshlq_u8(x, vdupq_n_s8((int8_t)left)), vdupq_n_u8((uint8_t)mask)));
}

LANES_INLINE int8x16_t finish_weights(parley_type type, uint8x16_t q) {
    if (type == PARLEY_Q8_0) return vreinterpretq_s8_u8(veorq_u8(q, vdupq_n_u8(0x80)));
    const int8_t *codebook = parley_codebook(type);
    if (codebook) q = vreinterpretq_u8_s8(vqtbl1q_s8(vld1q_s8(codebook), q));
    return vsubq_s8(vreinterpretq_s8_u8(q), vdupq_n_s8((int8_t)parley_offset(type)));
}

#include "panel_lanes.h"

/// Adds the products of four rows by four columns with word `word` of the activations of a block.
LANES_INLINE int32x4_t add_products(int32x4_t sums, int8x16_t q, const int8_t *x, size_t word) {
    // Four neighbouring words are loaded once; the instruction selects one of them.
    int8x16_t four_words = vld1q_s8(x + word / 4 * 16);
    switch (word % 4) {
        case 0: return vdotq_laneq_s32(sums, q, four_words, 0);
        case 1: return vdotq_laneq_s32(sums, q, four_words, 1);
        case 2: return vdotq_laneq_s32(sums, q, four_words, 2);
        default: return vdotq_laneq_s32(sums, q, four_words, 3);
    }
}

/// The weights of two quarters of a panel in a block of 32 columns: packed in planes, or already unpacked to bytes.
typedef struct {
    parley_type type;
    bool unpacked;
    const uint8_t *at;
    size_t quarter;  // the first
} weight_source;

LANES_INLINE int8x16_t columns_of(weight_source w, size_t g, size_t quarter) {
    if (w.unpacked) return vreinterpretq_s8_u8(vld1q_u8(w.at + 64 * g + 16 * (w.quarter + quarter)));
    return unpack_columns(w.type, w.at, g, w.quarter + quarter);
}

/// Adds group h of a block: 8 rows by `width` tokens.
LANES_INLINE void group_product(parley_block_kind kind, weight_source w, size_t width, size_t h,
                                const parley_activation_block *x, const row_factors group[2],
                                f32_rows acc[2][PARLEY_TILE_TOKENS]) {
    int32x4_t dot[2][PARLEY_TILE_TOKENS];
    UNROLL for (size_t t = 0; t < width; t++) dot[0][t] = dot[1][t] = vdupq_n_s32(0);
    UNROLL for (size_t g = group_begin(kind, h); g < group_end(kind, h); g++) {
        int8x16_t q[2] = {columns_of(w, g, 0), columns_of(w, g, 1)};
        UNROLL for (size_t t = 0; t < width; t++) {
            UNROLL for (size_t i = 0; i < 2; i++) dot[i][t] = add_products(dot[i][t], q[i], x->q, g * width + t);
        }
    }
    UNROLL for (size_t t = 0; t < width; t++) {
        UNROLL for (size_t i = 0; i < 2; i++) acc[i][t] = add_group(kind, x, t, h, dot[i][t], group[i], acc[i][t]);
    }
}

#endif
