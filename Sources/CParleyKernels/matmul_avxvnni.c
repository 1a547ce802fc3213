// SPDX-License-Identifier: Apache-2.0
//
// Products with quantised matrices for AVX-VNNI, half a panel at a time.

#include "kernels_internal.h"

#if PARLEY_X86

#pragma STDC FP_CONTRACT OFF

#include "matmul_avxvnni.h"

#define LANES_TOKENS 4
#define LANES_AHEAD 8192

LANES_INLINE void block_product(parley_type type, size_t width, const uint8_t *unit, size_t s,
                                const parley_activation_block *x, f32_rows acc[2][PARLEY_TILE_TOKENS]) {
    const parley_unit_layout layout = parley_unit(type);
    const parley_block_kind kind = parley_kind(type);
    const uint8_t *planes = unit + layout.planes + s * layout.plane_bytes;
    const i32_rows shift = splat_integer(offset_shift(type));
    UNROLL for (size_t half = 0; half < 2; half++) {
        const row_factors whole = unit_factors(type, unit, half);
        UNROLL for (size_t h = 0; h < group_count(kind); h++) {
            const row_factors group = group_factors(type, unit, s * group_count(kind) + h, half, whole);
            i32_rows dot[PARLEY_TILE_TOKENS];
            UNROLL for (size_t t = 0; t < width; t++) dot[t] = first_sum(kind, x, t, h, shift);
            UNROLL for (size_t g = group_begin(kind, h); g < group_end(kind, h); g++) {
                const __m256i q = unpack_columns(type, planes, g, half);
                UNROLL for (size_t t = 0; t < width; t++) {
                    dot[t] = add_products(dot[t], q, four_columns(x, width, t, g));
                }
            }
            UNROLL for (size_t t = 0; t < width; t++) {
                acc[half][t] = add_group(kind, x, t, h, dot[t], group, acc[half][t]);
            }
        }
    }
}

#include "matmul_lanes.h"

#endif
