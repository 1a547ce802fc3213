// SPDX-License-Identifier: Apache-2.0
//
// Products with quantised matrices for AVX-512 with VNNI.

#include "kernels_internal.h"

#if PARLEY_X86

#pragma STDC FP_CONTRACT OFF

#include "matmul_avx512.h"

#define LANES_TOKENS 6
#define LANES_AHEAD 8192

LANES_INLINE void block_product(parley_type type, size_t width, const uint8_t *unit, size_t s,
                                const parley_activation_block *x, f32_rows acc[1][PARLEY_TILE_TOKENS]) {
    const parley_unit_layout layout = parley_unit(type);
    const parley_block_kind kind = parley_kind(type);
    const row_factors whole = unit_factors(type, unit, 0);
    const i32_rows shift = splat_integer(offset_shift(type));
    __m512i q[8];
    UNROLL for (size_t g = 0; g < 8; g++) {
        q[g] = unpack_columns(type, unit + layout.planes + s * layout.plane_bytes, g, 0);
    }
    UNROLL for (size_t h = 0; h < group_count(kind); h++) {
        const row_factors group = group_factors(type, unit, s * group_count(kind) + h, 0, whole);
        UNROLL for (size_t t = 0; t < width; t++) {
            __m512i dot = (__m512i)first_sum(kind, x, t, h, shift);
            UNROLL for (size_t g = group_begin(kind, h); g < group_end(kind, h); g++) {
                dot = _mm512_dpbusd_epi32(dot, q[g], _mm512_set1_epi32(four_columns(x, width, t, g)));
            }
            acc[0][t] = add_group(kind, x, t, h, dot, group, acc[0][t]);
        }
    }
}

#include "matmul_lanes.h"

#endif
