// SPDX-License-Identifier: Apache-2.0
//
// The second pass of attention with sixteen lanes, one lane per column: values weighted by the scores. Included by
// `attention_lanes.h`.

#ifndef PARLEY_ATTENTION_VALUES_LANES_H
#define PARLEY_ATTENTION_VALUES_LANES_H

#include "attention_scores_lanes.h"

#pragma STDC FP_CONTRACT OFF

/// How many panels ahead values are prefetched. Keys are prefetched one step ahead.
#define VALUES_AHEAD 4

/// Adds the weighted values at positions [begin, end) to `chunks` * 16 columns of y, for queries [first, first +
/// queries). `tile_queries` is the number of queries whose scores are stored. If `half`, only the first 8 columns are
/// used.
LANES_INLINE void weigh_values(const parley_type type, const int queries, const int chunks, const bool half,
                               const attention_tile *tile, int first, int tile_queries, const float *scores,
                               size_t column, size_t begin, size_t end) {
    const size_t width = half ? 8 : 16, size = parley_cached_size(type);
    const size_t scale_bytes = parley_cache_scale_bytes(type, tile->value_dim);
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
        const float *weights = scores + slot * PARLEY_KEY_PANEL;
        const uint8_t *scales = tile->values + panel * tile->value_panel;
        // The weights times the scales of two blocks of columns, which four chunks are at most.
        float scaled[2][PARLEY_ATTENTION_TILE * PARLEY_KEY_PANEL];
        if (type == PARLEY_Q8_0) {
            for (int b = 0; b < (chunks + 1) / 2; b++) {
                size_t block = column / PARLEY_CACHE_BLOCK + (size_t)b;
                f32x16 scale = load_cached(PARLEY_F16, scales + block * PARLEY_KEY_PANEL * sizeof(uint16_t));
                for (int i = 0; i < queries * PARLEY_KEY_PANEL; i += PARLEY_KEY_PANEL)
                    lanes_store(scaled[b] + i, lanes_load(weights + i) * scale);
            }
        }
        const uint8_t *values = scales + scale_bytes + (lane * tile->value_dim + column) * size;
        for (; position < stop; position++, lane++, values += tile->value_dim * size) {
            f32x16 v[4];
#pragma clang loop unroll(full)
            for (int c = 0; c < chunks; c++) {
                const uint8_t *chunk = values + (size_t)c * 16 * size;
                // Two chunks of f16 share a cache line, and four of int8.
                if ((size_t)c * 16 * size % 64 == 0) prefetch(chunk, VALUES_AHEAD * tile->value_panel);
                v[c] = half ? load_half_cached(type, chunk) : load_cached(type, chunk);
            }
#pragma clang loop unroll(full)
            for (int i = 0; i < queries; i++)
#pragma clang loop unroll(full)
                for (int c = 0; c < chunks; c++) {
                    const float *row = type == PARLEY_Q8_0 ? scaled[c / 2] : weights;
                    sums[i][c] = lanes_fma((f32x16)(row[(size_t)i * PARLEY_KEY_PANEL + lane]), v[c], sums[i][c]);
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
LANES_INLINE void weigh_rows(const parley_type type, const int queries, const attention_tile *tile, int first,
                             int tile_queries, const float *scores, size_t begin, size_t end) {
    const int chunks = beside(queries);
    size_t column = 0;
    for (; column + 16 * (size_t)chunks <= tile->value_dim; column += 16 * (size_t)chunks)
        weigh_values(type, queries, chunks, false, tile, first, tile_queries, scores, column, begin, end);
    for (; column + 16 <= tile->value_dim; column += 16)
        weigh_values(type, queries, 1, false, tile, first, tile_queries, scores, column, begin, end);
    if (column < tile->value_dim)
        weigh_values(type, queries, 1, true, tile, first, tile_queries, scores, column, begin, end);
}

/// As weigh_rows, for one query, at positions that not all queries attend to.
LANES_TARGET static void weigh_alone(parley_type type, const attention_tile *tile, int query, int tile_queries,
                                     const float *scores, size_t begin, size_t end) {
    if (begin >= end) return;
    if (type == PARLEY_Q8_0) weigh_rows(PARLEY_Q8_0, 1, tile, query, tile_queries, scores, begin, end);
    else weigh_rows(PARLEY_F16, 1, tile, query, tile_queries, scores, begin, end);
}

/// Multiplies a value only for queries that attend to its position, because unused cache memory may contain NaN, and 0
/// * NaN is NaN. The positions before the range common to all queries are added query by query, then the common range
/// for all queries together, then the positions after it query by query. Each sum is added in order of positions.
LANES_INLINE void weigh(const parley_type type, const int queries, const attention_tile *tile, const float *scores) {
    size_t begin = tile->begin[0], end = tile->end[0];
    for (int i = 1; i < queries; i++) {
        begin = larger(begin, tile->begin[i]);
        end = smaller(end, tile->end[i]);
    }
    end = larger(begin, end);
    for (int i = 0; i < queries; i++)
        weigh_alone(type, tile, i, queries, scores, tile->begin[i], smaller(begin, tile->end[i]));
    if (begin < end) weigh_rows(type, queries, tile, 0, queries, scores, begin, end);
    for (int i = 0; i < queries; i++)
        weigh_alone(type, tile, i, queries, scores, larger(end, tile->begin[i]), tile->end[i]);
}

#endif
