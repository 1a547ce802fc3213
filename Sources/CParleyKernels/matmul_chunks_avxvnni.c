// SPDX-License-Identifier: Apache-2.0
//
// The steps of `parley_matmul_chunks` for AVX-VNNI. The integer sums of a tile of 16 rows by 6 tokens take 12 of the 16
// registers, so that each broadcast of activations is used for two registers of weights. Meanwhile the float
// accumulators are in memory.

#include "kernels_internal.h"

#if PARLEY_X86

#pragma STDC FP_CONTRACT OFF

#include "matmul_avxvnni.h"

/// Adds group h of a block: 16 rows by `width` tokens.
LANES_INLINE void group_product(parley_block_kind kind, size_t width, size_t h, const uint8_t *weights,
                                const parley_activation_block *x, i32_rows shift,
                                f32_rows acc[2][PARLEY_TILE_TOKENS]) {
    i32_rows dot[2][PARLEY_TILE_TOKENS];
    UNROLL for (size_t t = 0; t < width; t++) dot[0][t] = dot[1][t] = first_sum(kind, x, t, h, shift);
    UNROLL for (size_t g = group_begin(kind, h); g < group_end(kind, h); g++) {
        const __m256i q[2] = {load_bytes(weights + 64 * g), load_bytes(weights + 64 * g + 32)};
        UNROLL for (size_t t = 0; t < width; t++) {
            const int32_t four = four_columns(x, width, t, g);
            UNROLL for (size_t half = 0; half < 2; half++) dot[half][t] = add_products(dot[half][t], q[half], four);
        }
    }
    UNROLL for (size_t half = 0; half < 2; half++) {
        const row_factors group = unpacked_factors(kind, weights, h, half);
        UNROLL for (size_t t = 0; t < width; t++) {
            acc[half][t] = add_group(kind, x, t, h, dot[half][t], group, acc[half][t]);
        }
    }
}

LANES_INLINE void panel_product(parley_block_kind kind, size_t width, parley_chunk *c, size_t tile_begin,
                                size_t panel) {
    const i32_rows shift = splat_integer(offset_shift(c->type));
    const size_t rows = c->rows - PARLEY_PANEL_ROWS * panel;
    float *y = c->y + tile_begin * c->y_stride + PARLEY_PANEL_ROWS * panel;
    f32_rows acc[2][PARLEY_TILE_TOKENS];
    UNROLL for (size_t half = 0; half < 2; half++) {
        const size_t kept = c->begin == 0 ? 0 : rows_of_part(rows, half);
        UNROLL for (size_t t = 0; t < width; t++) acc[half][t] = load_rows(y + t * c->y_stride + 8 * half, kept);
    }
    const uint8_t *weights = c->weights + panel * PARLEY_UNPACKED_BYTES;
    for (size_t block = c->begin; block < c->end; block++, weights += c->panels * PARLEY_UNPACKED_BYTES) {
        const parley_activation_block x = parley_activations_at(c->activations, c->columns, tile_begin, width, block);
        if (panel == 0) parley_prefetch(c);
        UNROLL for (size_t h = 0; h < group_count(kind); h++) group_product(kind, width, h, weights, &x, shift, acc);
    }
    UNROLL for (size_t half = 0; half < 2; half++) {
        UNROLL for (size_t t = 0; t < width; t++) {
            store_rows(y + t * c->y_stride + 8 * half, rows_of_part(rows, half), acc[half][t]);
        }
    }
}

LANES_INLINE void tile_product(parley_block_kind kind, size_t width, parley_chunk *c, size_t tile_begin) {
    for (size_t panel = 0; panel < c->panels; panel++) panel_product(kind, width, c, tile_begin, panel);
}

#include "matmul_chunks_lanes.h"

#endif
