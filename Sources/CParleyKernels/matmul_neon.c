// SPDX-License-Identifier: Apache-2.0
//
// Products with quantised matrices for NEON with dot product, half a panel at a time.

#include "kernels_internal.h"

#if PARLEY_ARM

#pragma STDC FP_CONTRACT OFF

#include "matmul_neon.h"

#define LANES_AHEAD 4096

LANES_INLINE void block_product(parley_type type, size_t width, const uint8_t *unit, size_t s,
                                const parley_activation_block *x, f32_rows acc[4][PARLEY_TILE_TOKENS]) {
    const parley_unit_layout layout = parley_unit(type);
    const parley_block_kind kind = parley_kind(type);
    UNROLL for (size_t quarter = 0; quarter < 4; quarter += 2) {
        weight_source w = {type, false, unit + layout.planes + s * layout.plane_bytes, quarter};
        UNROLL for (size_t h = 0; h < group_count(kind); h++) {
            row_factors group[2];
            UNROLL for (size_t i = 0; i < 2; i++) {
                const row_factors whole = unit_factors(type, unit, quarter + i);
                group[i] = group_factors(type, unit, s * group_count(kind) + h, quarter + i, whole);
            }
            group_product(kind, w, width, h, x, group, acc + quarter);
        }
    }
}

#include "matmul_lanes.h"

#endif
