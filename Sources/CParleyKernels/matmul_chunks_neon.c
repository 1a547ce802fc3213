// SPDX-License-Identifier: Apache-2.0
//
// The steps of `parley_matmul_chunks` for NEON with dot product. A tile is 8 rows by up to 6 tokens: 12 integer and 12
// float accumulators.

#include "kernels_internal.h"

#if PARLEY_ARM

#pragma STDC FP_CONTRACT OFF

#include "matmul_neon.h"

PARLEY_NEON PARLEY_INLINE void unpack_blocks(parley_type type, const uint8_t *panel, size_t begin, size_t end,
                                             uint8_t *out, size_t stride) {
    const parley_unit_layout layout = parley_unit(type);
    const size_t unit_blocks = layout.columns / PARLEY_BLOCK_COLUMNS, groups = layout.halves ? 2 : 1;
    const uint8_t *unit = panel + begin / unit_blocks * layout.bytes;
    for (size_t block = begin; block < end; unit += layout.bytes) {
        for (size_t s = 0; s < unit_blocks; s++, block++, out += stride) {
            const uint8_t *planes = unit + layout.planes + s * layout.plane_bytes;
            UNROLL for (size_t i = 0; i < 32; i++) {
                vst1q_s8((int8_t *)out + 16 * i, unpack_columns_neon(type, planes, i / 4, i % 4));
            }
            UNROLL for (size_t i = 0; i < 4 * groups; i++) {
                float32x4_t scale, minimum;
                group_scales_neon(type, unit, s * groups + i / 4, i % 4, &scale, &minimum);
                vst1q_f32((float *)(void *)(out + PARLEY_UNPACKED_SCALES + 16 * i), scale);
                vst1q_f32((float *)(void *)(out + PARLEY_UNPACKED_MINIMA + 16 * i), minimum);
            }
        }
    }
}

#define UNPACK_BLOCKS(type)                                                                                            \
    case type: unpack_blocks(type, panel, begin, end, out, stride); break

PARLEY_NEON static void unpack(parley_type type, const uint8_t *panel, size_t begin, size_t end, uint8_t *out,
                               size_t stride) {
    switch (type) {
        UNPACK_BLOCKS(PARLEY_Q4_0);
        UNPACK_BLOCKS(PARLEY_Q4_1);
        UNPACK_BLOCKS(PARLEY_Q5_0);
        UNPACK_BLOCKS(PARLEY_Q5_1);
        UNPACK_BLOCKS(PARLEY_Q8_0);
        UNPACK_BLOCKS(PARLEY_Q2_K);
        UNPACK_BLOCKS(PARLEY_Q3_K);
        UNPACK_BLOCKS(PARLEY_Q4_K);
        UNPACK_BLOCKS(PARLEY_Q5_K);
        UNPACK_BLOCKS(PARLEY_Q6_K);
        UNPACK_BLOCKS(PARLEY_IQ4_NL);
        UNPACK_BLOCKS(PARLEY_IQ4_XS);
        default: break;
    }
}

/// The 8 rows of half `half` of the chunk, of which `rows` exist, by `width` tokens.
PARLEY_NEON PARLEY_INLINE void half_product(parley_block_kind kind, size_t width, parley_chunk *c, size_t tile_begin,
                                            size_t half, size_t rows) {
    float *y = c->y + tile_begin * c->y_stride + 8 * half;
    const uint8_t *weights = c->weights + half / 2 * PARLEY_UNPACKED_BYTES;
    float32x4_t acc[2][PARLEY_TILE_TOKENS];
    UNROLL for (size_t t = 0; t < width; t++) {
        UNROLL for (size_t i = 0; i < 2; i++) {
            const float *row = y + t * c->y_stride + 4 * i;
            acc[i][t] = c->begin == 0 ? vdupq_n_f32(0) : load_rows(row, rows_of_quarter(rows, i));
        }
    }
    for (size_t block = c->begin; block < c->end; block++, weights += c->panels * PARLEY_UNPACKED_BYTES) {
        parley_activation_block x = parley_activations_at(c->activations, c->columns, tile_begin, width, block);
        weight_source w = {c->type, true, weights, half % 2 * 2};
        UNROLL for (size_t h = 0; h < group_count(kind); h++) {
            const float *scales = (const float *)(const void *)(weights + PARLEY_UNPACKED_SCALES) + 16 * h;
            float32x4_t scale[2], minimum[2] = {vdupq_n_f32(0), vdupq_n_f32(0)};
            UNROLL for (size_t i = 0; i < 2; i++) {
                scale[i] = vld1q_f32(scales + 8 * (half % 2) + 4 * i);
                if (kind.has_minimum) minimum[i] = vld1q_f32(scales + 32 + 8 * (half % 2) + 4 * i);
            }
            group_product(kind, w, width, h, &x, scale, minimum, acc);
        }
    }
    UNROLL for (size_t t = 0; t < width; t++) {
        UNROLL for (size_t i = 0; i < 2; i++) {
            store_rows(y + t * c->y_stride + 4 * i, rows_of_quarter(rows, i), acc[i][t]);
        }
    }
}

PARLEY_NEON PARLEY_INLINE void tile_product(parley_block_kind kind, size_t width, parley_chunk *c,
                                            size_t tile_begin) {
    for (size_t half = 0; half < 2 * c->panels && c->rows > 8 * half; half++) {
        half_product(kind, width, c, tile_begin, half, c->rows - 8 * half);
        for (size_t block = c->begin; block < c->end; block += 2) parley_prefetch(c);
    }
}

/// More than four tokens make tiles of three to six.
PARLEY_NEON PARLEY_INLINE void widths(parley_block_kind kind, parley_chunk *c, size_t tile_begin, size_t width) {
    switch (width) {
        case 3: tile_product(kind, 3, c, tile_begin); break;
        case 4: tile_product(kind, 4, c, tile_begin); break;
        case 5: tile_product(kind, 5, c, tile_begin); break;
        case 6: tile_product(kind, 6, c, tile_begin); break;
        default: break;
    }
}

PARLEY_NEON static void product(parley_chunk *c, size_t tile_begin, size_t width) {
    parley_block_kind kind = parley_kind(c->type);
    if (kind.halves && kind.has_minimum) {
        widths((parley_block_kind){true, true}, c, tile_begin, width);
    } else if (kind.halves) {
        widths((parley_block_kind){true, false}, c, tile_begin, width);
    } else if (kind.has_minimum) {
        widths((parley_block_kind){false, true}, c, tile_begin, width);
    } else {
        widths((parley_block_kind){false, false}, c, tile_begin, width);
    }
}

void parley_matmul_chunks_neon(const parley_matrix *w, const void *activations, size_t tokens, float *y,
                               size_t y_stride, size_t panel_begin, size_t panel_end, void *scratch) {
    static const parley_matmul_steps steps = {PARLEY_UNPACKED_BYTES, unpack, product};
    parley_matmul_chunks(&steps, w, activations, tokens, y, y_stride, panel_begin, panel_end, scratch);
}

#endif
