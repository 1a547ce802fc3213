// SPDX-License-Identifier: Apache-2.0
//
// Products with PARLEY_Q8_256 for NEON with i8mm, whose instruction multiplies two rows by two tokens over 8 columns.
// So a register holds 8 columns of one row (token), then those of the next, and sums are those of two rows and two
// tokens:
//
//     [row 0, token 0] [row 0, token 1] [row 1, token 0] [row 1, token 1]
//
// They are sorted by tokens at the end of a group. For 8 rows and a tile of six tokens there are 12 registers of sums,
// four of weights and three of activations.

#include "kernels_internal.h"

#if PARLEY_ARM

#pragma STDC FP_CONTRACT OFF

#define LANES_TARGET PARLEY_I8MM
#define LANES_KERNEL(operation) LANES_TARGET static void operation##_of_pairs
#define LANES_CHUNKS parley_matmul_chunks_i8mm

#include "planes_neon.h"

#include "panel_lanes.h"

#include "q8_256_layout.h"

#define LANES_CHUNK_GROUPS 3
#define LANES_CENTRED
#define LANES_GROUP_DOTS
#define LANES_COPIES(tokens) true
#define LANES_COPIES_TOKENS

/// Copies a panel's group, centred, to s8[width / 8][2][4][2][8]: column 8k + j of row 4i + 2h + r at [k][h][i][r][j].
LANES_INLINE void copy_weights(const uint8_t *q, size_t width, uint8_t *out) {
    const int32x4_t offset = vreinterpretq_s32_u8(vdupq_n_u8(PARLEY_GROUP_OFFSET));
    for (size_t k = 0; k < width / 8; k++, q += 128, out += 128) {
        UNROLL for (size_t i = 0; i < LANES_PARTS; i++) {
            const int32x4_t low = veorq_s32(vreinterpretq_s32_u8(load_bytes(q + 16 * i)), offset);
            const int32x4_t high = veorq_s32(vreinterpretq_s32_u8(load_bytes(q + 64 + 16 * i)), offset);
            vst1q_u8(out + 16 * i, vreinterpretq_u8_s32(vzip1q_s32(low, high)));
            vst1q_u8(out + 64 + 16 * i, vreinterpretq_u8_s32(vzip2q_s32(low, high)));
        }
    }
}

/// Copies a tile's group to s8[columns / 8][pairs][2][8]. Beside the last token of an odd tile is the same one again.
LANES_INLINE void copy_tokens(size_t width, const int8_t *q, size_t columns, uint8_t *out) {
    const size_t step = 16 * ((width + 1) / 2);
    _Pragma("clang loop unroll_count(2)") for (size_t k = 0; k < columns / 16; k++) {
        UNROLL for (size_t t = 0; t < width; t += 2) {
            const int8_t *first = q + t * columns, *second = t + 1 < width ? first + columns : first;
            const int64x2_t a = vreinterpretq_s64_s8(vld1q_s8(first + 16 * k));
            const int64x2_t b = vreinterpretq_s64_s8(vld1q_s8(second + 16 * k));
            vst1q_u8(out + 2 * step * k + 8 * t, vreinterpretq_u8_s64(vzip1q_s64(a, b)));
            vst1q_u8(out + 2 * step * k + step + 8 * t, vreinterpretq_u8_s64(vzip2q_s64(a, b)));
        }
    }
}

/// Makes the products of all columns of a group.
LANES_INLINE void group_dots(size_t width, size_t registers, const uint8_t *const q[2], const uint8_t *x,
                             size_t columns, i32_rows dot[2][PARLEY_TILE_TOKENS]) {
    const size_t pairs = (width + 1) / 2;
    int32x4_t sums[PARLEY_TILE_TOKENS / 2][4];
    UNROLL for (size_t i = 0; i < 4 * pairs; i++) sums[i / 4][i % 4] = vdupq_n_s32(0);
    _Pragma("clang loop unroll_count(2)") for (size_t k = 0; k < columns / 8; k++) {
        int8x16_t weights[4];
        UNROLL for (size_t i = 0; i < 2 * registers; i++) {
            weights[i] = vreinterpretq_s8_u8(load_bytes(q[i / 2] + 128 * k + 64 * (i % 2)));
        }
        UNROLL for (size_t p = 0; p < pairs; p++) {
            const int8x16_t tokens = vreinterpretq_s8_u8(load_bytes(x + 16 * (k * pairs + p)));
            UNROLL for (size_t i = 0; i < 2 * registers; i++) sums[p][i] = vmmlaq_s32(sums[p][i], weights[i], tokens);
        }
    }
    UNROLL for (size_t t = 0; t < width; t++) {
        UNROLL for (size_t i = 0; i < registers; i++) {
            const int32x4_t a = sums[t / 2][2 * i], b = sums[t / 2][2 * i + 1];
            dot[i][t] = (i32_rows)(t % 2 == 0 ? vuzp1q_s32(a, b) : vuzp2q_s32(a, b));
        }
    }
}

#include "q8_256_lanes.h"

/// With one or two tokens, re-arranging the weights would take longer than their products.
void parley_matmul_q8_256_i8mm(const parley_matrix *w, const void *activations, size_t tokens, float *y,
                               size_t y_stride, size_t panel_begin, size_t panel_end, void *scratch) {
    if (tokens > 2) {
        matmul_q8_256_of_pairs(w, activations, tokens, y, y_stride, panel_begin, panel_end, scratch);
    } else {
        parley_matmul_q8_256_neon(w, activations, tokens, y, y_stride, panel_begin, panel_end, scratch);
    }
}

#endif
