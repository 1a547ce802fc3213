// SPDX-License-Identifier: Apache-2.0
//
// Products with quantised matrices and many tokens for NEON with i8mm, whose instruction multiplies two rows by two
// tokens over 8 columns. So a register holds 8 columns of one row (token), then those of the next, and sums are those
// of two rows and two tokens:
//
//     [row 0, token 0] [row 0, token 1] [row 1, token 0] [row 1, token 1]
//
// They stay so until the end of a chunk, because the order of lanes means nothing to the float steps. A tile is 8 rows
// by up to 6 tokens: 12 integer and 12 float accumulators, 4 registers of weights and 3 of activations.

#include "kernels_internal.h"

#if PARLEY_ARM

#pragma STDC FP_CONTRACT OFF

#define LANES_TARGET PARLEY_I8MM
#define LANES_CHUNKS parley_matmul_chunks_i8mm

#include "planes_neon.h"

#include "panel_lanes.h"

// An unpacked block of 32 columns of a panel has
//
//     s8 q[4][8][2][8]               column 8k + j of row 2i + r at [k][i][r][j]
//     f32 scale[groups][16][2]       each twice, for two tokens
//     f32 minimum[groups][16][2]     in types that have one
#define PAIRED_SCALES 512
#define PAIRED_GROUP 128
#define LANES_UNPACKED_BYTES(kind) ((kind).halves && (kind).has_minimum ? 1024 : PARLEY_UNPACKED_BYTES)

/// Stores a factor of the four rows of a part, each twice.
LANES_INLINE void store_twice(uint8_t *to, f32_rows rows) {
    store_f32(to, vzip1q_f32(rows, rows));
    store_f32(to + 16, vzip2q_f32(rows, rows));
}

LANES_INLINE void unpack_block(parley_type type, const uint8_t *unit, size_t s, uint8_t *out) {
    const parley_unit_layout layout = parley_unit(type);
    const uint8_t *planes = unit + layout.planes + s * layout.plane_bytes;
    const size_t groups = group_count(parley_kind(type));
    UNROLL for (size_t i = 0; i < 4 * LANES_PARTS; i++) {
        const size_t k = i / LANES_PARTS, part = i % LANES_PARTS;
        const int32x4_t low = vreinterpretq_s32_s8(unpack_columns(type, planes, 2 * k, part));
        const int32x4_t high = vreinterpretq_s32_s8(unpack_columns(type, planes, 2 * k + 1, part));
        vst1q_s32((int32_t *)(void *)(out + 32 * i), vzip1q_s32(low, high));
        vst1q_s32((int32_t *)(void *)(out + 32 * i + 16), vzip2q_s32(low, high));
    }
    out += PAIRED_SCALES;
    UNROLL for (size_t i = 0; i < groups * LANES_PARTS; i++) {
        const size_t part = i % LANES_PARTS;
        const row_factors whole = unit_factors(type, unit, part);
        const row_factors group = group_factors(type, unit, s * groups + i / LANES_PARTS, part, whole);
        store_twice(out + 32 * i, group.scale);
        if (layout.has_minimum) store_twice(out + groups * PAIRED_GROUP + 32 * i, group.minimum);
    }
}

#define TOKEN_PAIRS (PARLEY_TILE_TOKENS / 2)

/// A block of 32 columns of a tile's activations. In a tile of odd width the last pair has one token and, beside it,
/// numbers that mean nothing.
typedef struct {
    int8_t q[4][TOKEN_PAIRS][16];  // columns 8k + j of tokens 2p and 2p + 1 at [k][p]
    float scale[TOKEN_PAIRS][4];   // of tokens 2p, 2p + 1, 2p, 2p + 1
    float sum[2][TOKEN_PAIRS][4];  // the scale times the sum of the q of a group: what minima are multiplied by
} paired_block;

/// Two numbers twice, or one four times if only one is `left`.
LANES_INLINE float32x4_t load_twice(const float *numbers, size_t left) {
    if (left == 1) return vdupq_n_f32(numbers[0]);
    const float32x2_t two = vld1_f32(numbers);
    return vcombine_f32(two, two);
}

/// Four columns of each of two pairs of tokens, or of one if only one is `left`. Beside the last token of an odd tile
/// this reads what follows it in the block.
LANES_INLINE int32x4_t load_words(const int8_t *q, size_t left) {
    if (left > 1) return vreinterpretq_s32_s8(vld1q_s8(q));
    const int8x8_t words = vld1_s8(q);
    return vreinterpretq_s32_s8(vcombine_s8(words, words));
}

LANES_INLINE void pair_tokens(parley_block_kind kind, size_t width, const parley_activation_block *x,
                              paired_block *out) {
    float sums[2][PARLEY_TILE_TOKENS];
    UNROLL for (size_t t = 0; t < width && kind.has_minimum; t++) {
        sums[0][t] = kind.halves ? x->scale[t] * (float)-x->minus_low[t] : x->scaled_sum[t];
        sums[1][t] = x->scale[t] * (float)(x->minus_low[t] - x->minus_sum[t]);
    }
    const size_t pairs = (width + 1) / 2;
    UNROLL for (size_t k = 0; k < 4; k++) {
        const int8_t *low = x->q + 8 * k * width, *high = low + 4 * width;
        UNROLL for (size_t p = 0; p < pairs; p += 2) {
            const int32x4_t first = load_words(low + 8 * p, pairs - p), second = load_words(high + 8 * p, pairs - p);
            vst1q_s8(out->q[k][p], vreinterpretq_s8_s32(vzip1q_s32(first, second)));
            if (p + 1 < pairs) vst1q_s8(out->q[k][p + 1], vreinterpretq_s8_s32(vzip2q_s32(first, second)));
        }
    }
    UNROLL for (size_t p = 0; p < pairs; p++) {
        vst1q_f32(out->scale[p], load_twice(x->scale + 2 * p, width - 2 * p));
        UNROLL for (size_t h = 0; h < group_count(kind) && kind.has_minimum; h++) {
            vst1q_f32(out->sum[h][p], load_twice(sums[h] + 2 * p, width - 2 * p));
        }
    }
}

/// Adds group h of a block: 8 rows, whose weights and factors begin at `weights`, by `pairs` pairs of tokens.
LANES_INLINE void group_product(parley_block_kind kind, size_t pairs, size_t h, const uint8_t *weights,
                                const paired_block *x, f32_rows acc[TOKEN_PAIRS][4]) {
    int32x4_t dot[TOKEN_PAIRS][4];
    UNROLL for (size_t i = 0; i < 4 * pairs; i++) dot[i / 4][i % 4] = vdupq_n_s32(0);
    UNROLL for (size_t k = group_begin(kind, h) / 2; k < group_end(kind, h) / 2; k++) {
        int8x16_t q[4];
        UNROLL for (size_t i = 0; i < 4; i++) q[i] = vreinterpretq_s8_u8(load_bytes(weights + 128 * k + 16 * i));
        UNROLL for (size_t p = 0; p < pairs; p++) {
            const int8x16_t tokens = vld1q_s8(x->q[k][p]);
            UNROLL for (size_t i = 0; i < 4; i++) dot[p][i] = vmmlaq_s32(dot[p][i], q[i], tokens);
            KEEP_ORDER(dot[p][0], dot[p][1]);
            KEEP_ORDER(dot[p][2], dot[p][3]);
        }
    }
    const uint8_t *scales = weights + PAIRED_SCALES + PAIRED_GROUP * h;
    const uint8_t *minima = scales + PAIRED_GROUP * group_count(kind);
    UNROLL for (size_t i = 0; i < 4; i++) {
        UNROLL for (size_t p = 0; p < pairs; p++) {
            const f32_rows scale = load_f32(scales + 16 * i) * load_f32(x->scale[p]);
            acc[p][i] = __builtin_elementwise_fma(as_floats(dot[p][i]), scale, acc[p][i]);
            if (!kind.has_minimum) continue;
            acc[p][i] = __builtin_elementwise_fma(load_f32(minima + 16 * i), load_f32(x->sum[h][p]), acc[p][i]);
        }
    }
    UNROLL for (size_t i = 0; i < 4 * pairs; i += 2) KEEP_ORDER(acc[i / 4][i % 4], acc[i / 4][i % 4 + 1]);
}

/// Loads the sums of 8 rows, of which `rows` exist, that the previous chunk left in y, or stores them there.
LANES_INLINE void load_sums(const float *y, size_t stride, size_t rows, size_t width,
                            f32_rows acc[TOKEN_PAIRS][4]) {
    UNROLL for (size_t t = 0; t < width; t += 2) {
        UNROLL for (size_t part = 0; part < 2; part++) {
            const size_t count = rows_of_part(rows, part), second = t + 1 < width ? t + 1 : t;
            const f32_rows a = load_rows(y + t * stride + 4 * part, count);
            const f32_rows b = load_rows(y + second * stride + 4 * part, count);
            acc[t / 2][2 * part] = vzip1q_f32(a, b);
            acc[t / 2][2 * part + 1] = vzip2q_f32(a, b);
        }
    }
}

LANES_INLINE void store_sums(float *y, size_t stride, size_t rows, size_t width, f32_rows acc[TOKEN_PAIRS][4]) {
    UNROLL for (size_t t = 0; t < width; t++) {
        UNROLL for (size_t part = 0; part < 2; part++) {
            const f32_rows a = acc[t / 2][2 * part], b = acc[t / 2][2 * part + 1];
            const f32_rows sums = t % 2 == 0 ? vuzp1q_f32(a, b) : vuzp2q_f32(a, b);
            store_rows(y + t * stride + 4 * part, rows_of_part(rows, part), sums);
        }
    }
}

/// Multiplies the 8 rows of half `half` of the chunk, of which `rows` exist, with the tile `x` of `width` tokens.
LANES_INLINE void half_product(parley_block_kind kind, size_t width, const parley_chunk *c, const paired_block *x,
                               float *y, size_t half, size_t rows) {
    const size_t bytes = LANES_UNPACKED_BYTES(kind), pairs = (width + 1) / 2;
    const uint8_t *weights = c->weights + half / 2 * bytes + half % 2 * 64;
    f32_rows acc[TOKEN_PAIRS][4];
    UNROLL for (size_t i = 0; i < 4 * pairs; i++) acc[i / 4][i % 4] = (f32_rows){0};
    if (c->begin != 0) load_sums(y, c->y_stride, rows, width, acc);
    const paired_block *const end = x + (c->end - c->begin);
    const size_t step = c->panels * bytes;
    for (; x < end; x++, weights += step) {
        UNROLL for (size_t h = 0; h < group_count(kind); h++) group_product(kind, pairs, h, weights, x, acc);
    }
    store_sums(y, c->y_stride, rows, width, acc);
}

LANES_INLINE void tile_product(parley_block_kind kind, size_t width, parley_chunk *c, size_t tile_begin) {
    paired_block tile[PARLEY_CHUNK_BLOCKS];
    for (size_t block = c->begin; block < c->end; block++) {
        const parley_activation_block x = parley_activations_at(c->activations, c->columns, tile_begin, width, block);
        pair_tokens(kind, width, &x, &tile[block - c->begin]);
        parley_prefetch(c);
    }
    for (size_t half = 0; half < 2 * c->panels && c->rows > 8 * half; half++) {
        float *y = c->y + tile_begin * c->y_stride + 8 * half;
        half_product(kind, width, c, tile, y, half, c->rows - 8 * half);
    }
}

#include "matmul_chunks_lanes.h"

/// With few tokens, weights are used once for each load, and the dot product takes them as they are unpacked.
void parley_matmul_i8mm(const parley_matrix *w, const void *activations, size_t tokens, float *y, size_t y_stride,
                        size_t panel_begin, size_t panel_end, void *scratch) {
    if (tokens > LANES_TOKENS) {
        LANES_CHUNKS(w, activations, tokens, y, y_stride, panel_begin, panel_end, scratch);
    } else {
        parley_matmul_neon(w, activations, tokens, y, y_stride, panel_begin, panel_end, scratch);
    }
}

#endif
