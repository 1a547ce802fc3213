// SPDX-License-Identifier: Apache-2.0
//
// Linear attention, sixteen columns of the state at a time. Included by `ops_<isa>.c` after `ops_lanes.h`.

#include "lanes.h"

#pragma STDC FP_CONTRACT OFF

/// The vectors of columns that are computed together: enough chains of sums to hide how long an fma takes, and a state
/// of 128 rows still fits into the nearest cache.
#define COLUMN_VECTORS 4

/// Computes columns [j, j + 16 * vectors) for all rows.
LANES_INLINE void linear_attention_lanes(const parley_linear_attention *a, size_t j, const size_t vectors) {
    for (size_t t = 0; t < a->rows; t++) {
        const float *q = a->q + t * a->stride, *k = a->k + t * a->stride, *v = a->v + t * a->stride;
        float decay = a->decay[t * a->gate_stride], rate = a->rate[t * a->gate_stride];
        f32x16 d[COLUMN_VECTORS], sums[COLUMN_VECTORS];
        for (size_t n = 0; n < vectors; n++) {
            d[n] = lanes_load(v + j + 16 * n);
            sums[n] = (f32x16)(0.0f);
        }
        if (a->corrects) {
            for (size_t i = 0; i < a->key_dim; i++) {
                const float *row = a->state + i * a->value_dim + j;
                for (size_t n = 0; n < vectors; n++)
                    sums[n] = lanes_fma(lanes_load(row + 16 * n) * decay, (f32x16)(k[i]), sums[n]);
            }
            for (size_t n = 0; n < vectors; n++) d[n] -= sums[n];
        }
        for (size_t n = 0; n < vectors; n++) {
            d[n] *= rate;
            sums[n] = (f32x16)(0.0f);
        }
        for (size_t i = 0; i < a->key_dim; i++) {
            float *row = a->state + i * a->value_dim + j;
            for (size_t n = 0; n < vectors; n++) {
                f32x16 s = lanes_fma((f32x16)(k[i]), d[n], lanes_load(row + 16 * n) * decay);
                lanes_store(row + 16 * n, s);
                sums[n] = lanes_fma(s, (f32x16)(q[i]), sums[n]);
            }
        }
        for (size_t n = 0; n < vectors; n++) lanes_store(a->y + t * a->y_stride + j + 16 * n, sums[n]);
    }
}

LANES_KERNEL(linear_attention)(const parley_linear_attention *a, size_t column_begin, size_t column_end) {
    size_t j = column_begin;
    for (; j + 16 * COLUMN_VECTORS <= column_end; j += 16 * COLUMN_VECTORS)
        linear_attention_lanes(a, j, COLUMN_VECTORS);
    for (; j + 16 <= column_end; j += 16) linear_attention_lanes(a, j, 1);
    parley_linear_attention_generic(a, j, column_end);
}
