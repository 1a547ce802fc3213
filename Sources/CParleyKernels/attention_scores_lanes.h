// SPDX-License-Identifier: Apache-2.0
//
// The first pass of attention with sixteen lanes, one lane per position: scores and their softmax. Included by
// `attention_lanes.h`.
//
// The scratch memory holds the scores as f32 [panel][query][16], starting with the tile's first panel.

#ifndef PARLEY_ATTENTION_SCORES_LANES_H
#define PARLEY_ATTENTION_SCORES_LANES_H

#include "attention.h"
#include "lanes.h"

#pragma STDC FP_CONTRACT OFF

/// The number of key panels (or of value chunks) that are multiplied at the same time with each of `queries`.
LANES_INLINE int beside(const int queries) { return 4 * queries <= LANES_SUMS ? 4 : 2 * queries <= LANES_SUMS ? 2 : 1; }

/// Prefetches the cache line `distance` bytes after `x`. The address may lie beyond the array, where prefetching has no
/// effect.
LANES_INLINE void prefetch(const uint8_t *x, size_t distance) {
    __builtin_prefetch((const void *)((uintptr_t)x + distance));
}

/// Loads sixteen cached numbers, without their scales.
LANES_INLINE f32x16 load_cached(const parley_type type, const uint8_t *x) {
    if (type == PARLEY_Q8_0) return lanes_load_i8(x, 16);
    return lanes_load_f16((const uint16_t *)(const void *)x);
}

/// Loads eight cached numbers, and sets the other lanes to zero.
LANES_INLINE f32x16 load_half_cached(const parley_type type, const uint8_t *x) {
    if (type == PARLEY_Q8_0) return lanes_load_i8(x, 8);
    return lanes_load_half_f16((const uint16_t *)(const void *)x);
}

/// Replaces the scores of lanes whose position is outside [begin, end) by -infinity. `position` is that of lane 0.
LANES_INLINE f32x16 masked(f32x16 scores, size_t position, size_t begin, size_t end) {
    if (begin <= position && position + PARLEY_KEY_PANEL <= end) return scores;
    int32_t from = begin <= position ? 0 : begin - position < 16 ? (int32_t)(begin - position) : 16;
    int32_t to = end <= position ? 0 : end - position < 16 ? (int32_t)(end - position) : 16;
    i32x16 lane = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    return lanes_select((lane >= from) & (lane < to), scores, (f32x16)(-INFINITY));
}

/// Computes q . k of all queries for `panels` panels of keys from `panel` on, one position per lane.
LANES_INLINE void score_panels(const parley_type type, const int queries, const int panels, const attention_tile *tile,
                               size_t panel, float *scores) {
    const size_t row_bytes = PARLEY_KEY_PANEL * parley_cached_size(type);
    const size_t block = type == PARLEY_Q8_0 ? PARLEY_CACHE_BLOCK : tile->head_dim;
    const uint8_t *scales = tile->keys + panel * tile->key_panel;
    const uint8_t *keys = scales + parley_cache_scale_bytes(type, tile->head_dim);
    for (size_t begin = 0; begin < tile->head_dim; begin += block, scales += PARLEY_KEY_PANEL * sizeof(uint16_t)) {
        f32x16 sums[PARLEY_ATTENTION_TILE][4];
#pragma clang loop unroll(full)
        for (int i = 0; i < queries; i++)
#pragma clang loop unroll(full)
            for (int j = 0; j < panels; j++) sums[i][j] = (f32x16)(0.0f);
        const size_t end = smaller(begin + block, tile->head_dim);
        for (size_t d = begin; d < end; d++) {
            f32x16 k[4];
#pragma clang loop unroll(full)
            for (int j = 0; j < panels; j++) {
                const uint8_t *row = keys + (size_t)j * tile->key_panel + d * row_bytes;
                prefetch(row, (size_t)panels * tile->key_panel);
                k[j] = load_cached(type, row);
            }
#pragma clang loop unroll(full)
            for (int i = 0; i < queries; i++) {
                f32x16 q = (f32x16)(tile->q[i][d]);
#pragma clang loop unroll(full)
                for (int j = 0; j < panels; j++) sums[i][j] = lanes_fma(q, k[j], sums[i][j]);
            }
        }
#pragma clang loop unroll(full)
        for (int j = 0; j < panels; j++)
#pragma clang loop unroll(full)
            for (int i = 0; i < queries; i++) {
                float *total = scores + (j * queries + i) * PARLEY_KEY_PANEL;
                if (type == PARLEY_Q8_0) {
                    f32x16 scale = load_cached(PARLEY_F16, scales + (size_t)j * tile->key_panel);
                    sums[i][j] = lanes_fma(sums[i][j], scale, begin == 0 ? (f32x16)(0.0f) : lanes_load(total));
                }
                lanes_store(total, sums[i][j]);
            }
    }
}

/// Scales, caps and masks the scores of `score_panels`, and updates the maximum of each query.
LANES_INLINE void finish_scores(const int queries, const int panels, const attention_tile *tile, size_t panel,
                                float *scores, f32x16 *highest) {
    for (int j = 0; j < panels; j++)
        for (int i = 0; i < queries; i++, scores += PARLEY_KEY_PANEL) {
            f32x16 s = lanes_load(scores) * tile->scale;
            if (tile->softcap != 0.0f) s = tile->softcap * lanes_tanh(s / tile->softcap);
            if (tile->key_bias) s += lanes_load(tile->key_bias + (panel + (size_t)j) * PARLEY_KEY_PANEL);
            s = masked(s, (panel + (size_t)j) * PARLEY_KEY_PANEL, tile->begin[i], tile->end[i]);
            highest[i] = lanes_max(s, highest[i]);
            lanes_store(scores, s);
        }
}

/// Replaces one query's scores by exp(score - highest) and returns their sum. Masked scores become 0.
LANES_INLINE float softmax(const int queries, const attention_tile *tile, float *scores, float highest) {
    f32x16 sum = (f32x16)(0.0f);
    for (size_t panel = tile->first_panel; panel < tile->last_panel; panel++) {
        f32x16 e = lanes_exp(lanes_load(scores) - highest);
        lanes_store(scores, e);
        sum += e;
        scores += queries * PARLEY_KEY_PANEL;
    }
    return lanes_sum(sum);
}

#endif
