// SPDX-License-Identifier: Apache-2.0
//
// The steps of `parley_matmul_chunks` for AVX-512 with VNNI. The tile of 32 rows by 6 tokens keeps 12 integer and 12
// float accumulators in registers.

#include "kernels_internal.h"

#if PARLEY_X86

#pragma STDC FP_CONTRACT OFF

#include "matmul_avx512.h"

/// Adds group h of a block: 16 rows of each panel by `width` tokens.
LANES_INLINE void group_product(parley_block_kind kind, size_t panels, size_t width, size_t h, const uint8_t *weights,
                                const parley_activation_block *x, i32_rows shift, f32_rows acc[2][PARLEY_TILE_TOKENS]) {
    __m512i dot[2][PARLEY_TILE_TOKENS];
    UNROLL for (size_t t = 0; t < width; t++) {
        UNROLL for (size_t p = 0; p < panels; p++) dot[p][t] = (__m512i)first_sum(kind, x, t, h, shift);
    }
    UNROLL for (size_t g = group_begin(kind, h); g < group_end(kind, h); g++) {
        __m512i q[2];
        UNROLL for (size_t p = 0; p < panels; p++) {
            q[p] = _mm512_load_si512(weights + p * PARLEY_UNPACKED_BYTES + 64 * g);
        }
        UNROLL for (size_t t = 0; t < width; t++) {
            __m512i four = _mm512_set1_epi32(four_columns(x, width, t, g));
            UNROLL for (size_t p = 0; p < panels; p++) dot[p][t] = _mm512_dpbusd_epi32(dot[p][t], q[p], four);
        }
    }
    UNROLL for (size_t p = 0; p < panels; p++) {
        const row_factors group = unpacked_factors(kind, weights + p * PARLEY_UNPACKED_BYTES, h, 0);
        UNROLL for (size_t t = 0; t < width; t++) {
            acc[p][t] = add_group(kind, x, t, h, dot[p][t], group, acc[p][t]);
        }
    }
}

LANES_INLINE void panels_product(parley_block_kind kind, size_t panels, size_t width, parley_chunk *c,
                                 size_t tile_begin) {
    const i32_rows shift = splat_integer(offset_shift(c->type));
    const size_t rows[2] = {rows_of_part(c->rows, 0), rows_of_part(c->rows, 1)};
    float *y = c->y + tile_begin * c->y_stride;
    f32_rows acc[2][PARLEY_TILE_TOKENS];
    UNROLL for (size_t p = 0; p < panels; p++) {
        const size_t kept = c->begin == 0 ? 0 : rows[p];
        UNROLL for (size_t t = 0; t < width; t++) acc[p][t] = load_rows(y + t * c->y_stride + 16 * p, kept);
    }
    const uint8_t *weights = c->weights;
    for (size_t block = c->begin; block < c->end; block++, weights += panels * PARLEY_UNPACKED_BYTES) {
        parley_activation_block x = parley_activations_at(c->activations, c->columns, tile_begin, width, block);
        parley_prefetch(c);
        UNROLL for (size_t h = 0; h < group_count(kind); h++) {
            group_product(kind, panels, width, h, weights, &x, shift, acc);
        }
    }
    UNROLL for (size_t p = 0; p < panels; p++) {
        UNROLL for (size_t t = 0; t < width; t++) {
            store_rows(y + t * c->y_stride + 16 * p, rows[p], acc[p][t]);
        }
    }
}

LANES_INLINE void tile_product(parley_block_kind kind, size_t width, parley_chunk *c, size_t tile_begin) {
    if (c->panels == 2) {
        panels_product(kind, 2, width, c, tile_begin);
    } else {
        panels_product(kind, 1, width, c, tile_begin);
    }
}

#include "matmul_chunks_lanes.h"

#endif
