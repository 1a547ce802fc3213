// SPDX-License-Identifier: Apache-2.0
//
// The second pass of attention with sixteen lanes, one lane per column: values weighted by the scores. Included by
// `attention_lanes.h`.

#ifndef PARLEY_ATTENTION_VALUES_LANES_H
#define PARLEY_ATTENTION_VALUES_LANES_H

#include "attention_scores_lanes.h"

#pragma STDC FP_CONTRACT OFF

/// How many positions ahead values are prefetched. Keys are prefetched one step ahead.
#define VALUES_AHEAD 64

/// Adds the weighted values at positions [begin, end) to `chunks` * 16 columns of y, for queries [first, first +
/// queries). `tile_queries` is the number of queries whose scores are stored. If `half`, only the first 8 columns are
/// used.
LANES_INLINE void weigh_values(const int queries, const int chunks, const bool half, const attention_tile *tile,
                               int first, int tile_queries, const float *scores, size_t column, size_t begin,
                               size_t end) {
    const size_t width = half ? 8 : 16;
    f32x16 sums[PARLEY_ATTENTION_TILE][4];
#pragma clang loop unroll(full)
    for (int i = 0; i < queries; i++)
#pragma clang loop unroll(full)
        for (int c = 0; c < chunks; c++) {
            const float *y = tile->y[first + i] + column + (size_t)c * 16;
            sums[i][c] = half ? lanes_load_part(y, width) : lanes_load(y);
        }
    size_t position = begin;
    while (position < end) {
        size_t panel = position / PARLEY_KEY_PANEL, lane = position % PARLEY_KEY_PANEL;
        size_t stop = smaller((panel + 1) * PARLEY_KEY_PANEL, end);
        size_t slot = (panel - tile->first_panel) * (size_t)tile_queries + (size_t)first;
        const float *weights = scores + slot * PARLEY_KEY_PANEL + lane;
        const uint16_t *values = tile->values + position * tile->value_dim + column;
        for (; position < stop; position++, weights++, values += tile->value_dim) {
            f32x16 v[4];
#pragma clang loop unroll(full)
            for (int c = 0; c < chunks; c++) {
                // Two chunks share a cache line.
                if (c % 2 == 0) prefetch(values + c * 16, VALUES_AHEAD * tile->value_dim);
                v[c] = half ? lanes_load_half_f16(values) : lanes_load_f16(values + c * 16);
            }
#pragma clang loop unroll(full)
            for (int i = 0; i < queries; i++) {
                f32x16 weight = (f32x16)(weights[i * PARLEY_KEY_PANEL]);
#pragma clang loop unroll(full)
                for (int c = 0; c < chunks; c++) sums[i][c] = lanes_fma(weight, v[c], sums[i][c]);
            }
        }
    }
#pragma clang loop unroll(full)
    for (int i = 0; i < queries; i++)
#pragma clang loop unroll(full)
        for (int c = 0; c < chunks; c++) {
            float *y = tile->y[first + i] + column + (size_t)c * 16;
            if (half) lanes_store_part(y, sums[i][c], width);
            else lanes_store(y, sums[i][c]);
        }
}

/// As weigh_values, for all columns.
LANES_INLINE void weigh_rows(const int queries, const attention_tile *tile, int first, int tile_queries,
                             const float *scores, size_t begin, size_t end) {
    const int chunks = beside(queries);
    size_t column = 0;
    for (; column + 16 * (size_t)chunks <= tile->value_dim; column += 16 * (size_t)chunks)
        weigh_values(queries, chunks, false, tile, first, tile_queries, scores, column, begin, end);
    for (; column + 16 <= tile->value_dim; column += 16)
        weigh_values(queries, 1, false, tile, first, tile_queries, scores, column, begin, end);
    if (column < tile->value_dim)
        weigh_values(queries, 1, true, tile, first, tile_queries, scores, column, begin, end);
}

/// As weigh_rows, for one query, at positions that not all queries attend to.
LANES_TARGET static void weigh_alone(const attention_tile *tile, int query, int tile_queries, const float *scores,
                                     size_t begin, size_t end) {
    if (begin < end) weigh_rows(1, tile, query, tile_queries, scores, begin, end);
}

/// Multiplies a value only for queries that attend to its position, because unused cache memory may contain NaN, and 0
/// * NaN is NaN. The positions before the range common to all queries are added query by query, then the common range
/// for all queries together, then the positions after it query by query. Each sum is added in order of positions.
LANES_INLINE void weigh(const int queries, const attention_tile *tile, const float *scores) {
    size_t begin = tile->begin[0], end = tile->end[0];
    for (int i = 1; i < queries; i++) {
        begin = larger(begin, tile->begin[i]);
        end = smaller(end, tile->end[i]);
    }
    end = larger(begin, end);
    for (int i = 0; i < queries; i++)
        weigh_alone(tile, i, queries, scores, tile->begin[i], smaller(begin, tile->end[i]));
    if (begin < end) weigh_rows(queries, tile, 0, queries, scores, begin, end);
    for (int i = 0; i < queries; i++)
        weigh_alone(tile, i, queries, scores, larger(end, tile->begin[i]), tile->end[i]);
}

#endif
