// SPDX-License-Identifier: Apache-2.0
//
// The first pass of attention over sixteen lanes: scores, a position a lane, and their softmax. Included by
// `attention_lanes.h`.
//
// Scores stand in the scratch as [panel][query][16], panels counted from the tile's first.

#ifndef PARLEY_ATTENTION_SCORES_LANES_H
#define PARLEY_ATTENTION_SCORES_LANES_H

#include "attention.h"
#include "lanes.h"

#pragma STDC FP_CONTRACT OFF

/// How many panels of keys, or chunks of values, are multiplied at once by each of `queries`.
LANES_INLINE int beside(const int queries) { return 4 * queries <= LANES_SUMS ? 4 : 2 * queries <= LANES_SUMS ? 2 : 1; }

/// Asks for the cache line `distance` f16 beyond `x`, which may lie past the end: then nothing happens.
LANES_INLINE void prefetch(const uint16_t *x, size_t distance) {
    __builtin_prefetch((const void *)((uintptr_t)x + distance * sizeof *x));
}

/// -infinity where the position of a lane is outside [begin, end). `position` is that of lane 0.
LANES_INLINE f32x16 masked(f32x16 scores, size_t position, size_t begin, size_t end) {
    if (begin <= position && position + PARLEY_KEY_PANEL <= end) return scores;
    int32_t from = begin <= position ? 0 : begin - position < 16 ? (int32_t)(begin - position) : 16;
    int32_t to = end <= position ? 0 : end - position < 16 ? (int32_t)(end - position) : 16;
    i32x16 lane = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    return lanes_select((lane >= from) & (lane < to), scores, (f32x16)(-INFINITY));
}

/// q . k of all queries for `panels` panels of keys from `panel` on, a position a lane.
LANES_INLINE void score_panels(const int queries, const int panels, const attention_tile *tile, size_t panel,
                               float *scores) {
    f32x16 sums[PARLEY_ATTENTION_TILE][4];
#pragma clang loop unroll(full)
    for (int i = 0; i < queries; i++)
#pragma clang loop unroll(full)
        for (int j = 0; j < panels; j++) sums[i][j] = (f32x16)(0.0f);
    size_t panel_size = tile->head_dim * PARLEY_KEY_PANEL;
    const uint16_t *keys = tile->keys + panel * panel_size;
    for (size_t d = 0; d < tile->head_dim; d++) {
        f32x16 k[4];
#pragma clang loop unroll(full)
        for (int j = 0; j < panels; j++) {
            const uint16_t *row = keys + (size_t)j * panel_size + d * PARLEY_KEY_PANEL;
            prefetch(row, (size_t)panels * panel_size);
            k[j] = lanes_load_f16(row);
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
        for (int i = 0; i < queries; i++) lanes_store(scores + (j * queries + i) * PARLEY_KEY_PANEL, sums[i][j]);
}

/// Scales, caps and masks what `score_panels` left, and keeps the largest of each query.
LANES_INLINE void finish_scores(const int queries, const int panels, const attention_tile *tile, size_t panel,
                                float *scores, f32x16 *highest) {
    for (int j = 0; j < panels; j++)
        for (int i = 0; i < queries; i++, scores += PARLEY_KEY_PANEL) {
            f32x16 s = lanes_load(scores) * tile->scale;
            if (tile->softcap != 0.0f) s = tile->softcap * lanes_tanh(s / tile->softcap);
            s = masked(s, (panel + (size_t)j) * PARLEY_KEY_PANEL, tile->begin[i], tile->end[i]);
            highest[i] = lanes_max(s, highest[i]);
            lanes_store(scores, s);
        }
}

/// Turns one query's scores into exp(score - highest) and returns their sum. What is masked becomes 0 and adds nothing.
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
