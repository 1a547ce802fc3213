// SPDX-License-Identifier: Apache-2.0
//
// Products with quantised matrices for AVX2, half a panel at a time.

#include "kernels_internal.h"

#if PARLEY_X86

#pragma STDC FP_CONTRACT OFF

#include "matmul_avx2.h"

#define LANES_TOKENS 4
#define LANES_AHEAD 8192

/// Adds group h of a block: 8 rows by `width` tokens.
LANES_INLINE void group_product(parley_type type, const uint8_t *planes, size_t half, size_t width, size_t h,
                                const parley_activation_block *x, row_factors group,
                                f32_rows acc[PARLEY_TILE_TOKENS]) {
    const block_form form = form_of(type);
    const size_t end = group_end(form.kind, h), run = run_length(form);
    __m256i dot[PARLEY_TILE_TOKENS];
    UNROLL for (size_t t = 0; t < width; t++) dot[t] = first_sum(form, x, t, h);
    UNROLL for (size_t begin = group_begin(form.kind, h); begin < end; begin += run) {
        __m256i sums[PARLEY_TILE_TOKENS];
        UNROLL for (size_t t = 0; t < width; t++) sums[t] = _mm256_setzero_si256();
        UNROLL for (size_t g = begin; g < begin + run && g < end; g++) {
            const __m256i q = unpack_columns(type, planes, g, half);
            UNROLL for (size_t t = 0; t < width; t++) {
                sums[t] = add_products(form, sums[t], q, _mm256_set1_epi32(four_columns(x, width, t, g)));
            }
        }
        UNROLL for (size_t t = 0; t < width; t++) {
            dot[t] = _mm256_add_epi32(dot[t], _mm256_madd_epi16(sums[t], _mm256_set1_epi16(1)));
        }
    }
    UNROLL for (size_t t = 0; t < width; t++) acc[t] = add_group(form.kind, x, t, h, dot[t], group, acc[t]);
}

LANES_INLINE void block_product(parley_type type, size_t width, const uint8_t *unit, size_t s,
                                const parley_activation_block *x, f32_rows acc[2][PARLEY_TILE_TOKENS]) {
    const parley_unit_layout layout = parley_unit(type);
    const size_t groups = group_count(parley_kind(type));
    UNROLL for (size_t half = 0; half < 2; half++) {
        UNROLL for (size_t h = 0; h < groups; h++) {
            const row_factors whole = unit_factors(type, unit, half);
            const row_factors group = group_factors(type, unit, s * groups + h, half, whole);
            group_product(type, unit + layout.planes + s * layout.plane_bytes, half, width, h, x, group, acc[half]);
        }
    }
}

#include "matmul_lanes.h"

#endif
