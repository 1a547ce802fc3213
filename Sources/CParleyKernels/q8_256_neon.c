// SPDX-License-Identifier: Apache-2.0
//
// Products with PARLEY_Q8_256 and their activations for NEON with dot product. For 8 rows and a tile of six tokens
// there are 12 registers of sums, two of weights and six of 16 columns of the tokens, of which each product takes four.

#include "kernels_internal.h"

#if PARLEY_ARM

#pragma STDC FP_CONTRACT OFF

#define LANES_TARGET PARLEY_NEON
#define LANES_KERNEL(operation) LANES_TARGET void parley_##operation##_neon
#define LANES_CHUNKS parley_matmul_chunks_neon

#include "planes_neon.h"

#include "panel_lanes.h"

#include "q8_256_layout.h"

#define LANES_CHUNK_GROUPS 3
#define LANES_CENTRED
#define LANES_GROUP_DOTS
/// Whether weights are centred once, in a copy, and not by each tile of so many tokens. Tiles have one or two tokens
/// only if that is all there are.
#define LANES_COPIES(tokens) ((tokens) > 2)

LANES_INLINE uint8x16_t centred(uint8x16_t q) { return veorq_u8(q, vdupq_n_u8(PARLEY_GROUP_OFFSET)); }

LANES_INLINE void copy_weights(const uint8_t *q, size_t width, uint8_t *out) {
    for (size_t i = 0; i < PARLEY_PANEL_ROWS * width; i += 16) vst1q_u8(out + i, centred(load_bytes(q + i)));
}

/// Adds the products of four rows by four columns with one of four words of activations.
LANES_INLINE i32_rows add_products(i32_rows sums, int8x16_t q, int8x16_t words, size_t word) {
    switch (word) {
        case 0: return (i32_rows)vdotq_laneq_s32((int32x4_t)sums, q, words, 0);
        case 1: return (i32_rows)vdotq_laneq_s32((int32x4_t)sums, q, words, 1);
        case 2: return (i32_rows)vdotq_laneq_s32((int32x4_t)sums, q, words, 2);
        default: return (i32_rows)vdotq_laneq_s32((int32x4_t)sums, q, words, 3);
    }
}

/// Adds the products of all columns of a group.
LANES_INLINE void group_dots(size_t width, size_t registers, const uint8_t *const q[2], const uint8_t *x,
                             size_t columns, i32_rows dot[2][PARLEY_TILE_TOKENS]) {
    KEEP_ROLLED for (size_t k = 0; k < columns; k += 16) {
        int8x16_t words[PARLEY_TILE_TOKENS];
        UNROLL for (size_t t = 0; t < width; t++) words[t] = vreinterpretq_s8_u8(vld1q_u8(x + t * columns + k));
        UNROLL for (size_t word = 0; word < 4; word++) {
            int8x16_t weights[2];
            UNROLL for (size_t i = 0; i < registers; i++) {
                const uint8x16_t bytes = load_bytes(q[i] + PARLEY_PANEL_ROWS * (k + 4 * word));
                weights[i] = vreinterpretq_s8_u8(LANES_COPIES(width) ? bytes : centred(bytes));
            }
            UNROLL for (size_t t = 0; t < width; t++) {
                UNROLL for (size_t i = 0; i < registers; i++) {
                    dot[i][t] = add_products(dot[i][t], weights[i], words[t], word);
                }
            }
        }
    }
}

#include "q8_256_lanes.h"

LANES_INLINE float32x4_t columns_at(const float *x, size_t c, size_t count) {
    float rest[4] = {0};
    if (c + 4 <= count) return vld1q_f32(x + c);
    for (size_t i = 0; c + i < count; i++) rest[i] = x[c + i];
    return vld1q_f32(rest);
}

LANES_INLINE void quantize_group(const float *x, size_t count, size_t width, int8_t *q, float *scale, int32_t *start) {
    float32x4_t maxima = vdupq_n_f32(0);
    for (size_t c = 0; c < count; c += 4) {
        // A comparison with NaN fails, so it leaves no trace.
        const float32x4_t magnitude = vabsq_f32(columns_at(x, c, count));
        maxima = vbslq_f32(vcgtq_f32(magnitude, maxima), magnitude, maxima);
    }
    const parley_group_factors factors = parley_factors_of(vmaxnmvq_f32(maxima));
    int32x4_t sums = vdupq_n_s32(0);
    for (size_t c = 0; c < width; c += 8) {
        int32x4_t part[2];
        for (size_t i = 0; i < 2; i++) {
            // The "number" form of the maximum sends NaN to -127.
            const float32x4_t scaled = vmulq_n_f32(columns_at(x, c + 4 * i, count), factors.inverse);
            part[i] = vcvtnq_s32_f32(vminnmq_f32(vmaxnmq_f32(scaled, vdupq_n_f32(-127)), vdupq_n_f32(127)));
            sums = vaddq_s32(sums, part[i]);
        }
        vst1_s8(q + c, vmovn_s16(vcombine_s16(vmovn_s32(part[0]), vmovn_s32(part[1]))));
    }
    *scale = factors.scale;
    *start = -PARLEY_GROUP_OFFSET * vaddvq_s32(sums);
}

#include "q8_256_quantize_lanes.h"

#endif
