// SPDX-License-Identifier: Apache-2.0
//
// The steps of `parley_matmul_chunks` for NEON with dot product. A tile is 8 rows by up to 6 tokens: 12 integer and 12
// float accumulators.

#include "kernels_internal.h"

#if PARLEY_ARM

#pragma STDC FP_CONTRACT OFF

#include "matmul_neon.h"

/// Multiplies the 8 rows of half `half` of the chunk, of which `rows` exist, with `width` tokens.
LANES_INLINE void half_product(parley_block_kind kind, size_t width, parley_chunk *c, size_t tile_begin, size_t half,
                               size_t rows) {
    float *y = c->y + tile_begin * c->y_stride + 8 * half;
    const uint8_t *weights = c->weights + half / 2 * PARLEY_UNPACKED_BYTES;
    f32_rows acc[2][PARLEY_TILE_TOKENS];
    UNROLL for (size_t t = 0; t < width; t++) {
        UNROLL for (size_t i = 0; i < 2; i++) {
            const float *row = y + t * c->y_stride + 4 * i;
            acc[i][t] = c->begin == 0 ? vdupq_n_f32(0) : load_rows(row, rows_of_part(rows, i));
        }
    }
    const parley_chunk here = *c;  // which cannot change, so that the loop does not load it again
    for (size_t block = here.begin; block < here.end; block++, weights += here.panels * PARLEY_UNPACKED_BYTES) {
        parley_activation_block x = parley_activations_at(here.activations, here.columns, tile_begin, width, block);
        weight_source w = {c->type, true, weights, half % 2 * 2};
        UNROLL for (size_t h = 0; h < group_count(kind); h++) {
            row_factors group[2];
            UNROLL for (size_t i = 0; i < 2; i++) group[i] = unpacked_factors(kind, weights, h, half % 2 * 2 + i);
            group_product(kind, w, width, h, &x, group, acc);
        }
    }
    UNROLL for (size_t t = 0; t < width; t++) {
        UNROLL for (size_t i = 0; i < 2; i++) {
            store_rows(y + t * c->y_stride + 4 * i, rows_of_part(rows, i), acc[i][t]);
        }
    }
}

LANES_INLINE void tile_product(parley_block_kind kind, size_t width, parley_chunk *c, size_t tile_begin) {
    for (size_t half = 0; half < 2 * c->panels && c->rows > 8 * half; half++) {
        half_product(kind, width, c, tile_begin, half, c->rows - 8 * half);
        for (size_t block = c->begin; block < c->end; block += 2) parley_prefetch(c);
    }
}

#include "matmul_chunks_lanes.h"

#endif
